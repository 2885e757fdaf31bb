"""Exact cheapest perfect matching of a graph, for costs compared level by level.

rustworkx counts in 128-bit integers, so the levels are decided in stages: each stage matches by as many levels, from
the left, as fit into one weight. No matching is cheaper on these than the one found, so its sums there are the best,
and on the next level the best sum is at most the one found. In the next stage a level only has to outweigh these
sums, not all that the levels after it can add up to. Edges that cost more by themselves are left out of it, and the
sums are kept small: what every matching pays for a vertex, the least cost of its edges, is subtracted from these edges.
"""

from collections.abc import Sequence
from math import gcd
from operator import le

import rustworkx

from pairings.engine.rng import Rng
from pairings.engine.types import NoPairing

DRAW = 1 << 32  # the last level is a random number below this, which decides between equally cheap matchings

Pairs = list[tuple[int, int]]
# A player without a regular opponent, and the dummy: None for the bye, or a house entrant.
Unpaired = list[tuple[int, int | None]]
Edge = tuple[int, int, tuple[int, ...]]  # two vertices, and the cost of matching them
Level = Sequence[int]  # one cost per edge


def cheapest_perfect_matching(size: int, edges: Sequence[Edge], rng: Rng) -> Pairs | None:
    """Return pairs that cover vertices 0..size-1 with the smallest sum of costs, or None where none cover all.

    `edges` are (u, v, cost) with u < v, each pair once, and costs are equally long tuples of integers >= 0.
    Sums are compared level by level from the left; between equal ones `rng` decides. Raises NoPairing where the levels
    are too many for exact integers.
    """
    pairs = [(u, v) for u, v, _ in edges]
    levels: list[Level] = list(zip(*[(*cost, rng.randbelow(DRAW)) for _, _, cost in edges], strict=True))
    known: list[int] = []  # per level from the left, what the best matching costs at most
    while pairs:
        most = [*known, *(size // 2 * max(level) for level in levels[len(known) :])]
        weights, decided = fold_levels(levels, most, weight_limit(size))
        if decided < max(1, len(known)):
            raise NoPairing("too_many_groups")
        ceiling = max(weights) + 1
        weighted = [(u, v, ceiling - weight) for (u, v), weight in zip(pairs, weights, strict=True)]
        matching = heaviest_matching(size, weighted)
        if 2 * len(matching) < size:
            return None
        if decided == len(levels):
            return matching
        levels = lower_costs(size, pairs, levels)
        chosen = list(map({pair: edge for edge, pair in enumerate(pairs)}.__getitem__, matching))
        known = [sum(map(level.__getitem__, chosen)) for level in levels[: decided + 1]]
        costs = zip(*levels[: decided + 1], strict=True)
        left = [edge for edge, cost in enumerate(costs) if all(map(le, cost, known))]
        pairs = [pairs[edge] for edge in left]
        levels = [[level[edge] for edge in left] for level in levels]
    return None if size else []


def fold_levels(levels: Sequence[Level], most: Sequence[int], limit: int) -> tuple[list[int], int]:
    """Return one weight per edge, below `limit`, made of its costs on the first levels; and how many levels those are.

    A unit of a level outweighs the sums up to `most` on the levels after it. A factor that all costs of a level share
    is left out.
    """
    weights, decided = [0] * len(levels[0]), 0
    for level, highest in zip(levels, most, strict=True):
        factor = gcd(*level) or 1
        unit = highest // factor + 1
        if unit > limit:
            break
        limit //= unit
        decided += 1
        if unit > 1:
            weights = [weight * unit + cost // factor for weight, cost in zip(weights, level, strict=True)]
    return weights, decided


def lower_costs(size: int, pairs: Pairs, levels: Sequence[Level]) -> list[Level]:
    """Return the costs, each level less the least that every perfect matching pays for each vertex."""
    edges_at: list[list[int]] = [[] for _ in range(size)]
    for edge, both in enumerate(pairs):
        for vertex in both:
            edges_at[vertex].append(edge)
    lowered: list[Level] = []
    for level in levels:
        costs = list(level)
        for edges in edges_at:
            if all(map(costs.__getitem__, edges)):
                least = min(map(costs.__getitem__, edges))
                for edge in edges:
                    costs[edge] -= least
        lowered.append(costs)
    return lowered


def weight_limit(size: int) -> int:
    """Return the largest weight with which rustworkx does not overflow: slacks stay below (4 size + 8) weights."""
    return (1 << 127) // (4 * size + 8)


def heaviest_matching(size: int, edges: Sequence[tuple[int, int, int]]) -> Pairs:
    """Return the heaviest of the largest matchings, for weights up to `weight_limit`, in ascending order."""
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size))
    graph.add_edges_from(edges)
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matching)
