"""Why do these two not meet? The round is solved again with them together, and the costs are compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairings.engine.cost import Change, CostModel, changes_between
from pairings.engine.criteria.order import TARGETS, criteria_order
from pairings.engine.pair import solve
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy, Question


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer.

    code     nothing to solve: paired, has_bye, even (no one has a bye), house_bye, house_pair, prohibited,
             locked_table (of `entrant`), locked_bye
             solved: impossible, equal (the choice was random), better, worse
    changes  what would be different, the most important criterion first
    pairing  the best round with the pair in it, if any
    """

    code: str
    changes: tuple[Change, ...] = ()
    pairing: Pairing | None = None
    entrant: Any = None


def why_not(
    entrants: Iterable[Entrant],
    policy: Policy,
    pairing: Pairing,
    a: Any,
    b: Any,
    *,
    seed: int,
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
) -> WhyNot:
    """What the best round with a and b together costs, compared with `pairing`; b None: why a has no bye.

    The `locked` pairs are those of `pair`, whoever meets there. Raises ValueError for an entrant who is not in the
    field, and for one named twice.
    """
    question = Question(list(entrants), policy, seed, locked, forbidden, waived=locked)
    if answer := answer_without_solving(question, pairing, a, b):
        return answer
    try:
        forced = solve_with(question, a, b)
    except NoPairing:
        return WhyNot("impossible")
    model = CostModel(question)
    changes = changes_between(model.cost(pairing), model.cost(forced))
    if not changes:
        return WhyNot("equal", pairing=forced)
    better = changes[0].after < changes[0].before  # type: ignore[operator]
    return WhyNot("better" if better else "worse", changes, forced)


def answer_without_solving(question: Question, pairing: Pairing, a: Any, b: Any) -> WhyNot | None:
    """The answer where there is nothing to solve. Raises as `why_not`."""
    house = {entrant.id: entrant.house for entrant in question.entrants}
    for name in (a, b):
        if name is not None and name not in house:
            raise ValueError(f"{name!r} is not in the field")
    if a is None or a == b:
        raise ValueError("name 2 entrants, or 1 entrant and the bye")
    if b is None:
        if pairing.bye == a:
            return WhyNot("has_bye")
        if house[a]:
            return WhyNot("house_bye")
        if len(house) % 2 == 0:
            return WhyNot("even")
    elif any({a, b} == set(both) for both in pairing.pairs):
        return WhyNot("paired")
    elif house[a] and house[b]:
        return WhyNot("house_pair")
    elif any({a, b} == set(both) for both in question.prohibited_pairs):
        return WhyNot("prohibited")
    for both in question.locked:
        if a in both or (b is not None and b in both):
            return WhyNot("locked_table", entrant=a if a in both else b)
    if b is None and any(None in both for both in question.locked):
        return WhyNot("locked_bye")
    return None


def solve_with(question: Question, a: Any, b: Any) -> Pairing:
    """The best round in which a and b meet (or a has the bye). Raises NoPairing.

    Where fold or adjacent count, a lock would change their ideal, as the field around it has other groups. There both
    are kept from everyone else instead.
    """
    if set(criteria_order(question.policy)) & set(TARGETS):
        others = [entrant.id for entrant in question.entrants if entrant.id not in (a, b)]
        kept_away = [(one, other) for one in (a, b) if one is not None for other in others]
        return solve(replace(question, prohibited_now=kept_away))[0]
    have_met = any(
        (entrant.id == a and b in entrant.opponents) or (entrant.id == b and a in entrant.opponents)
        for entrant in question.entrants
    )
    if question.policy.repeats == "never" and have_met:
        raise NoPairing("rematch", (a, b), rematches=False)
    fixed = [*question.locked, (a, b)]
    return solve(replace(question, locked=fixed, waived=fixed))[0]
