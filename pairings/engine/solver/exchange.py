"""Exchanges between two pairs: the quick way to few labels in common, before anything is matched (`blocks`).

Where a pair costs something after repeats, bye and score difference, partners are exchanged with another pair of the
same score groups if that makes the round cheaper, the criteria compared in their order. What is left at 0 is the
best there is.
"""

from __future__ import annotations

from pairings.engine.criteria.order import Meter
from pairings.engine.field import Field
from pairings.engine.rng import Chance

Pairs = list[tuple[int, int]]
Cost = tuple[int, ...]

LOOKED_AT = 400  # other pairs tried for one that costs something
IN_ALL = 20_000  # … and exchanges tried in one round, beside four a pair


def exchanged(field: Field, meter: Meter, pairs: Pairs, chance: Chance, costly: set[str]) -> Pairs:
    """The pairs after every exchange that was found to be worth it, where they cost something in `costly`."""
    pairs = list(pairs)
    soft = [k for k, name in enumerate(meter.names) if name in costly]
    costs = [meter.pair(i, j) for i, j in pairs]
    near: dict[int, list[int]] = {}  # points: positions of pairs in which somebody has them
    for position, both in enumerate(pairs):
        for points in {field.points[i] for i in both}:
            near.setdefault(points, []).append(position)
    tries = IN_ALL + 4 * len(pairs)
    for position in range(len(pairs)):
        for points in sorted({field.points[i] for i in pairs[position]}):
            others = near[points]
            for _ in range(min(LOOKED_AT, 4 * len(others))):
                if tries <= 0 or not any(costs[position][k] for k in soft):
                    break
                tries -= 1
                other = others[chance.below(len(others))]
                if other == position:
                    continue
                if better := cheaper(
                    field, meter, pairs[position], pairs[other], costs[position], costs[other]
                ):
                    (pairs[position], costs[position]), (pairs[other], costs[other]) = better
    return pairs


def cheaper(
    field: Field, meter: Meter, one: tuple[int, int], other: tuple[int, int], *costs: Cost
) -> list[tuple[tuple[int, int], Cost]] | None:
    """Two pairs of these four players, with costs, that together cost less; None where none do."""
    least = total(*costs)
    (a, b), (c, d) = one, other
    found = None
    for pairs in ([(a, c), (b, d)], [(a, d), (b, c)]):
        if any(j in field.hard[i] for i, j in pairs):
            continue
        priced = [(both, meter.pair(*both)) for both in pairs]
        price = total(*(cost for _, cost in priced))
        if price < least:
            least, found = price, priced
    return found


def total(one: Cost, other: Cost) -> Cost:
    return tuple(map(int.__add__, one, other))
