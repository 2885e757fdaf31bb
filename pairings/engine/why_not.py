"""Why do these two not meet? The round is solved again with them together, and the costs are compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pairings.engine.cost import Change, CostModel, changes_between
from pairings.engine.criteria.order import TARGETS, criteria_order
from pairings.engine.pair import pair, solve
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy


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
    listed = list(entrants)
    if answer := answer_without_solving(listed, pairing, a, b, locked, forbidden):
        return answer
    try:
        forced = solve_with(listed, policy, a, b, seed=seed, locked=locked, forbidden=forbidden)
    except NoPairing:
        return WhyNot("impossible")
    model = CostModel(listed, policy, seed=seed, locked=locked, forbidden=forbidden)
    changes = changes_between(model.cost(pairing), model.cost(forced))
    if not changes:
        return WhyNot("equal", pairing=forced)
    better = changes[0].after < changes[0].before  # type: ignore[operator]
    return WhyNot("better" if better else "worse", changes, forced)


def answer_without_solving(
    listed: list[Entrant],
    pairing: Pairing,
    a: Any,
    b: Any,
    locked: Sequence[tuple],
    forbidden: Sequence[tuple],
) -> WhyNot | None:
    """The answer where there is nothing to solve. Raises as `why_not`."""
    by_id = {entrant.id: entrant for entrant in listed}
    for name in (a, b):
        if name is not None and name not in by_id:
            raise ValueError(f"{name!r} is not in the field")
    if a is None or a == b:
        raise ValueError("name 2 entrants, or 1 entrant and the bye")
    if b is None:
        if pairing.bye == a:
            return WhyNot("has_bye")
        if by_id[a].house:
            return WhyNot("house_bye")
        if len(listed) % 2 == 0:
            return WhyNot("even")
    elif any({a, b} == set(both) for both in pairing.pairs):
        return WhyNot("paired")
    elif by_id[a].house and by_id[b].house:
        return WhyNot("house_pair")
    if b is not None and any({a, b} == set(both) for both in forbidden):
        return WhyNot("prohibited")
    for both in locked:
        if a in both or (b is not None and b in both):
            return WhyNot("locked_table", entrant=a if a in both else b)
    if b is None and any(None in both for both in locked):
        return WhyNot("locked_bye")
    return None


def solve_with(
    listed: list[Entrant],
    policy: Policy,
    a: Any,
    b: Any,
    *,
    seed: int,
    locked: Sequence[tuple],
    forbidden: Sequence[tuple],
) -> Pairing:
    """The best round in which a and b meet (or a has the bye). Raises NoPairing.

    Where fold or adjacent count, a lock would change their ideal, as the field around it has other groups. There both
    are kept from everyone else instead.
    """
    if not set(criteria_order(policy)) & set(TARGETS):
        if policy.repeats == "never" and b is not None and have_met(listed, a, b):
            raise NoPairing("rematch", (a, b), rematches=False)
        fixed = [*locked, (a, b)]
        return pair(listed, policy, seed=seed, locked=fixed, forbidden=forbidden, waived=fixed)
    others = [entrant.id for entrant in listed if entrant.id not in (a, b)]
    apart = [(one, other) for one in (a, b) if one is not None for other in others]
    return solve(listed, policy, seed, locked, forbidden, locked, forbidden_now=apart)[0]


def have_met(listed: list[Entrant], a: Any, b: Any) -> bool:
    """Whether a and b have met."""
    by_id = {entrant.id: entrant for entrant in listed}
    return b in by_id[a].opponents or a in by_id[b].opponents
