"""Swaps between two pairs: the quick way to fewer shared labels and the like, before anything is matched (`blocks`).

Where a pair costs something after rematches, bye and score difference, its players swap partners with another pair of
the same score groups if that makes the round cheaper, the criteria compared in their order. What comes down to 0 is the
best there is.
"""

from pairings.engine.criteria.order import Meter
from pairings.engine.criteria.sides import Costs, add_costs
from pairings.engine.matching import Pairs

TRIES_PER_PAIR = 400  # other pairs tried for one that costs something
TRIES = 20_000  # in one round, and four more for each pair


def swap_partners(meter: Meter, pairs: Pairs, costly: set[str]) -> Pairs:
    """The pairs after every swap that was found to be worth it, where they cost something in `costly` criteria."""
    pairs, field = list(pairs), meter.field
    soft = [k for k, name in enumerate(meter.names) if name in costly]
    costs = [meter.pair_costs(i, j) for i, j in pairs]
    near: dict[int, list[int]] = {}  # {points: positions of pairs in which someone has them}
    for position, both in enumerate(pairs):
        for points in {field.points[i] for i in both}:
            near.setdefault(points, []).append(position)
    tries = TRIES + 4 * len(pairs)
    for position in range(len(pairs)):
        for points in sorted({field.points[i] for i in pairs[position]}):
            others = near[points]
            for _ in range(min(TRIES_PER_PAIR, 4 * len(others))):
                if tries <= 0 or not any(costs[position][k] for k in soft):
                    break
                tries -= 1
                other = others[field.rng.randbelow(len(others))]
                if other == position:
                    continue
                if better := cheaper_pairs(
                    meter, pairs[position], pairs[other], costs[position], costs[other]
                ):
                    (pairs[position], costs[position]), (pairs[other], costs[other]) = better
    return pairs


def cheaper_pairs(
    meter: Meter, one: tuple[int, int], other: tuple[int, int], *costs: Costs
) -> list[tuple[tuple[int, int], Costs]] | None:
    """Two pairs of these four players, with costs, that cost less together; None where none do."""
    least = add_costs(*costs)
    (a, b), (c, d) = one, other
    best = None
    for pairs in ([(a, c), (b, d)], [(a, d), (b, c)]):
        if any(j in meter.field.prohibited[i] for i, j in pairs):
            continue
        priced = [(both, meter.pair_costs(*both)) for both in pairs]
        price = add_costs(priced[0][1], priced[1][1])
        if price < least:
            least, best = price, priced
    return best
