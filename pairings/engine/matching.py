"""Exact cheapest perfect matching of a graph, for costs compared level by level."""

from collections.abc import Sequence
from math import gcd

import rustworkx

from pairings.engine.rng import Rng

# rustworkx counts in 128-bit integers, and its dual variables reach four times the largest weight. Past this limit
# networkx answers: slower, but over Python's unlimited integers. Only `protect_top` gets there, and seldom.
SAFE_WEIGHT = 1 << 118
DRAW = 1 << 32  # a random weight below this decides between equally cheap matchings

Pairs = list[tuple[int, int]]
Slots = list[
    tuple[int, int | None]
]  # a player, and the slot he or she takes: None for the bye, or a house entrant
Edge = tuple[int, int, tuple[int, ...]]  # two vertices, and the cost of matching them
Weighted = tuple[int, int, int]


def cheapest_perfect_matching(size: int, edges: Sequence[Edge], rng: Rng) -> Pairs | None:
    """Pairs that cover vertices 0..size-1 with the smallest sum of costs, or None where none cover all.

    `edges` are (u, v, cost) with u < v, each pair once, and costs are equally long tuples of integers >= 0.
    Sums are compared level by level from the left; between equal ones `rng` decides.
    """
    if not size:
        return []
    weights = [weight + rng.randbelow(DRAW) for weight in fold_costs(size, [cost for _, _, cost in edges])]
    ceiling = max(weights, default=0) + 1
    weighted = [(u, v, ceiling - weight) for (u, v, _), weight in zip(edges, weights, strict=True)]
    match = match_compiled if ceiling < SAFE_WEIGHT else match_unlimited
    matching = match(size, weighted)
    if 2 * len(matching) < size:
        return None
    return sorted((min(pair), max(pair)) for pair in matching)


def match_compiled(size: int, edges: Sequence[Weighted]) -> Pairs:
    """The heaviest of the largest matchings, for weights up to `SAFE_WEIGHT`."""
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size))
    graph.add_edges_from(edges)
    return list(rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int))


def match_unlimited(size: int, edges: Sequence[Weighted]) -> Pairs:
    """The same for weights of any size."""
    import networkx  # here, as it takes longer to import than most rounds to pair

    graph = networkx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from(edges)
    return list(networkx.max_weight_matching(graph, maxcardinality=True))


def fold_costs(size: int, costs: Sequence[tuple[int, ...]]) -> list[int]:
    """One integer per cost, so that sums over size // 2 edges compare as the tuples' sums do.

    Each level's unit outweighs whatever all edges together can cost on the levels below it. A factor that all costs
    of a level share is left out. The last place is free for a random weight below `DRAW`.
    """
    at_most = size // 2
    weights = [0] * len(costs)
    unit = at_most * DRAW
    for level in reversed(list(zip(*costs, strict=True))):
        if factor := gcd(*level):
            weights = [weight + unit * (cost // factor) for weight, cost in zip(weights, level, strict=True)]
            unit *= at_most * (max(level) // factor) + 1
    return weights
