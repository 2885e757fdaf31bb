"""A published round after something changed: leave it, change as little as possible, or pair it anew.

The change may be a corrected result, a drop restored, a late arrival or somebody missing; the entrants are given
as they are now. All three ways are weighed on the same scales, so that an organizer can compare them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairings.engine.cost import Scales
from pairings.engine.pair import pair, solved
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy, Problem, Value
from pairings.engine.verify import verify


@dataclass(frozen=True, slots=True)
class Option:
    """One way to go on with a published round.

    name      "leave", "keep" (the best round that keeps most published tables) or "anew"
    pairing   None where it is impossible; of "leave" the `problems` say why
    cost      (criterion, value) in order of importance
    changed   tables of it that were not published so, the bye counted as one
    problems  what `verify` says of the published round, for "leave"
    proved    whether no best round keeps more tables (of "keep" in large fields not always known)
    """

    name: str
    pairing: Pairing | None
    cost: tuple[tuple[str, Value], ...]
    changed: int
    problems: tuple[Problem, ...]
    proved: bool


def repair(
    entrants: Iterable[Entrant],
    published: Sequence[tuple],
    policy: Policy,
    *,
    seed: int,
    first: Sequence[str] = (),
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
) -> tuple[Option, Option, Option]:
    """The three ways on from the `published` tables ((a, None) is the bye), entrants being as they are now.

    `first` says for each of these tables whether its "a" or "b" moved first; tables that stay keep that.
    `locked` are the tables that must stand, such as those already finished, whoever meets there. Raises as
    `pair`, save that where no complete round exists the second and third option say so.
    """
    listed = list(entrants)
    scales = Scales(listed, policy, seed=seed, locked=locked, forbidden=forbidden)
    tables = {frozenset(both) - {None} for both in published}
    movers = {
        frozenset(both): both["ab".index(side)] for both, side in zip(published, first, strict=False) if side
    }
    left = left_as_it_is(listed, published, policy, scales, forbidden, movers)
    try:
        kept, proved = solved(listed, policy, seed, locked, forbidden, locked, published)
        anew = pair(listed, policy, seed=seed, locked=locked, forbidden=forbidden, waived=locked)
    except NoPairing:
        nothing = (None, (), 0, (), True)
        return left, Option("keep", *nothing), Option("anew", *nothing)
    keep = option("keep", as_moved(kept, movers), scales, tables, proved)
    return left, keep, option("anew", as_moved(anew, movers), scales, tables, True)


def as_moved(pairing: Pairing, movers: dict[frozenset, Any]) -> Pairing:
    """The round with the first moves of published tables as they were."""
    if not pairing.first:
        return pairing
    sides = [
        "ab"[both.index(movers[frozenset(both)])] if frozenset(both) in movers else side
        for both, side in zip(pairing.pairs, pairing.first, strict=True)
    ]
    return replace(pairing, first=tuple(sides))


def left_as_it_is(listed, published, policy: Policy, scales: Scales, forbidden, movers) -> Option:
    """The published round, if everybody still has exactly one place in it."""
    pairs = tuple(tuple(both) for both in published if None not in both)
    byes = [a if b is None else b for a, b in published if a is None or b is None]
    pairing = Pairing(pairs=pairs, bye=byes[0] if byes else None)
    if all(frozenset(both) in movers for both in pairs):
        pairing = as_moved(replace(pairing, first=("a",) * len(pairs)), movers)
    problems = verify(listed, pairing, policy, forbidden=forbidden)
    wrong = tuple(problem for problem in problems if problem.severity == "error" and problem.code != "first")
    if len(byes) > 1:
        wrong = (*wrong, Problem("several byes", tuple(byes), {"count": len(byes)}))
    if wrong:
        return Option("leave", None, (), 0, wrong, True)
    return Option("leave", pairing, scales.weigh(pairing), 0, tuple(problems), True)


def option(name: str, pairing: Pairing, scales: Scales, tables: set, proved: bool) -> Option:
    """A round weighed against the published one."""
    changed = len([table for table in tables_of(pairing) if table not in tables])
    return Option(name, pairing, scales.weigh(pairing), changed, (), proved)


def tables_of(pairing: Pairing) -> list[frozenset]:
    """Every table as a set of ids; the bye is a table of one."""
    alone = [] if pairing.bye is None else [frozenset({pairing.bye})]
    return [frozenset(both) for both in pairing.pairs] + alone
