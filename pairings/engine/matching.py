"""Exact cheapest perfect matching of a graph, for costs compared level by level.

rustworkx counts in 128-bit integers, so the levels are decided in stages. Each stage folds as many levels, from the
left, as fit into one weight. Its matching gives the best sums of these levels, and an upper bound of the next; in the
next stage, a unit of a level only has to outweigh these known sums. Edges that alone exceed a known sum are dropped,
and each vertex's smallest cost, which every matching pays, is subtracted from its edges.
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
    """Return pairs that cover vertices 0..size-1 with the smallest sum of costs, or None if no pairs cover all.

    `edges` are (u, v, cost) with u < v, each pair once; costs are tuples of integers >= 0 of one length, compared from
    the left; `rng` breaks ties. Raises NoPairing if there are too many levels for exact integers.
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
    """Return one weight per edge, below `limit`, that combines its first levels, and the number of levels combined."""
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
    """Subtract, on each level, every vertex's smallest cost from its edges: every perfect matching pays it."""
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
    """Return the largest weight for which rustworkx does not overflow: slacks stay below (4 size + 8) weights."""
    return (1 << 127) // (4 * size + 8)


def heaviest_matching(size: int, edges: Sequence[tuple[int, int, int]]) -> Pairs:
    """Return a matching of maximum size and, among these, of maximum weight. Weights are at most `weight_limit`."""
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size))
    graph.add_edges_from(edges)
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matching)
