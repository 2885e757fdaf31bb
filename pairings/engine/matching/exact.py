"""The cheapest perfect matching of a graph, exactly, for costs that are compared level by level."""

from __future__ import annotations

from collections.abc import Sequence

import rustworkx

from pairings.engine.matching import blossom
from pairings.engine.rng import Chance

# rustworkx counts in 128-bit integers and its dual variables reach four times the largest weight.
# Past this limit the slower matching over Python's unlimited integers answers instead.
SAFE_WEIGHT = 1 << 118
DRAW = 1 << 32  # among equally cheap matchings a drawn weight per edge decides

Edge = tuple[int, int, tuple[int, ...]]


def cheapest_perfect_matching(
    size: int, edges: Sequence[Edge], chance: Chance
) -> list[tuple[int, int]] | None:
    """Pairs that cover vertices 0..size-1 with the smallest sum of costs, or None where none cover all.

    `edges` are (u, v, cost) with u < v, each pair once, and costs are equally long tuples of integers >= 0.
    Sums are compared level by level from the left; equal ones are decided by draw.
    """
    if not size:
        return []
    weights = [weight + chance.below(DRAW) for weight in folded(size, [cost for _, _, cost in edges])]
    ceiling = max(weights, default=0) + 1
    weighted = [(u, v, ceiling - weight) for (u, v, _), weight in zip(edges, weights, strict=True)]
    if ceiling < SAFE_WEIGHT:
        graph = rustworkx.PyGraph(multigraph=False)
        graph.add_nodes_from(range(size))
        graph.add_edges_from(weighted)
        matching = list(rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int))
    else:
        matching = blossom.perfect_matching(size, weighted) or []
    if 2 * len(matching) < size:
        return None
    return sorted((min(pair), max(pair)) for pair in matching)


def folded(size: int, costs: Sequence[tuple[int, ...]]) -> list[int]:
    """One integer per cost, so that sums over size // 2 edges compare as the tuples' sums do.

    Each level's unit outweighs whatever all edges together can cost on the levels below it; the last
    place is left free for a draw below `DRAW`.
    """
    if not costs:
        return []
    at_most = size // 2
    weights = [0] * len(costs)
    unit = at_most * DRAW
    for level in reversed(list(zip(*costs, strict=True))):
        if highest := max(level):
            weights = [weight + unit * cost for weight, cost in zip(weights, level, strict=True)]
        unit *= at_most * highest + 1
    return weights
