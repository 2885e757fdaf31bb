"""Why do these two not meet? The round is solved again with them together, and the costs are compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pairings.engine.cost import Change, Scales, changes
from pairings.engine.criteria.order import PLACES, ordered
from pairings.engine.pair import pair, solved
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer: one sentence, what would get worse first, and the best round with the pair in it, if any."""

    sentence: str
    changes: tuple[Change, ...] = ()
    pairing: Pairing | None = None


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
    """What the best round with a and b together costs, against `pairing`; b None asks why a has no bye.

    The `locked` pairs are those of `pair`, whoever meets there. Raises ValueError for an entrant who is not in
    the field, and for one asked about twice.
    """
    listed = list(entrants)
    if refusal := cannot(listed, pairing, a, b, locked, forbidden):
        return WhyNot(refusal)
    try:
        forced = solved_with(listed, policy, a, b, seed=seed, locked=locked, forbidden=forbidden)
    except NoPairing as impossible:
        return WhyNot(f"{named(a, b)} is impossible: {impossible.reason}.")
    scales = Scales(listed, policy, seed=seed, locked=locked, forbidden=forbidden)
    before, after = scales.weigh(pairing), scales.weigh(forced)
    differ = changes(before, after)
    if not differ:
        return WhyNot(f"{named(a, b)} would be equally good; the choice was random.", (), forced)
    first = differ[0]
    if first.after < first.before:  # type: ignore[operator]
        return WhyNot(f"{named(a, b)} would be better: {first.words}.", differ, forced)
    rest = "; ".join(change.words for change in differ[1:])
    also = f" (and {rest})" if rest else ""
    return WhyNot(f"{named(a, b)} would cost more: {first.words.removeprefix('+')}{also}.", differ, forced)


def named(a: Any, b: Any) -> str:
    """The pair at the head of a sentence."""
    return f"A bye for {a}" if b is None else f"{a} vs. {b}"


def cannot(listed, pairing: Pairing, a: Any, b: Any, locked, forbidden) -> str:
    """Why there is nothing to solve, in one sentence; "" where there is."""
    by_id = {entrant.id: entrant for entrant in listed}
    for name in (a, b):
        if name is not None and name not in by_id:
            raise ValueError(f"{name!r} is not in the field")
    if a is None or a == b:
        raise ValueError("name 2 entrants, or 1 entrant and the bye")
    if b is None:
        if pairing.bye == a:
            return f"{a} has the bye."
        if by_id[a].house:
            return f"{a} is a house entrant and cannot get the bye."
        if len(listed) % 2 == 0:
            return "The number of players is even, so there is no bye."
    elif any({a, b} == set(both) for both in pairing.pairs):
        return f"{a} and {b} do play each other."
    elif by_id[a].house and by_id[b].house:
        return f"{a} and {b} are both house entrants."
    if b is not None and any({a, b} == set(both) for both in forbidden):
        return f"{a} and {b} are on the do-not-pair list."
    for both in locked:
        if a in both or (b is not None and b in both):
            return f"The organizer locked a table for {a if a in both else b}."
    if b is None and any(None in both for both in locked):
        return "The organizer locked the bye."
    return ""


def solved_with(listed, policy: Policy, a: Any, b: Any, *, seed: int, locked, forbidden) -> Pairing:
    """The best round in which a and b meet (or a has the bye).

    Where the ideal places of fold or adjacent count, a lock would change them, as the field around it has
    other groups; there everybody else is forbidden to both instead.
    """
    if not set(ordered(policy)) & set(PLACES):
        if policy.repeats == "never" and b is not None and met(listed, a, b):
            raise NoPairing("they have already played, and this ruleset does not allow rematches")
        fixed = [*locked, (a, b)]
        return pair(listed, policy, seed=seed, locked=fixed, forbidden=forbidden, waived=fixed)
    others = [entrant.id for entrant in listed if entrant.id not in (a, b)]
    apart = [(one, other) for one in (a, b) if one is not None for other in others]
    return solved(listed, policy, seed, locked, forbidden, locked, not_now=apart)[0]


def met(listed, a: Any, b: Any) -> bool:
    """Whether a and b have met."""
    by_id = {entrant.id: entrant for entrant in listed}
    return b in by_id[a].opponents or a in by_id[b].opponents
