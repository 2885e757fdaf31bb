import random

import networkx
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pairings.engine import matching
from pairings.engine.matching import cheapest_perfect_matching, fold_levels, heaviest_matching, weight_limit
from pairings.engine.rng import Rng
from pairings.engine.types import NoPairing
from tests.pairings.engine.oracles import all_rounds


def sums_of(costs, pairs):
    return tuple(map(sum, zip(*map(costs.get, pairs), strict=True)))


def by_networkx(size, edges):
    """The cheapest sums of a perfect matching; None where there is none."""
    costs = {(u, v): cost for u, v, cost in edges}
    base = 1 + size * max((max(cost) for cost in costs.values()), default=0)
    graph = networkx.Graph()
    graph.add_nodes_from(range(size))
    for (u, v), cost in costs.items():
        graph.add_edge(u, v, weight=-sum(part * base**place for place, part in enumerate(reversed(cost))))
    pairs = networkx.max_weight_matching(graph, maxcardinality=True)
    return sums_of(costs, map(tuple, map(sorted, pairs))) if 2 * len(pairs) == size else None


def any_graph(seed, largest):
    """(size, edges with costs of two levels) of a graph of up to that many vertices."""
    dice = random.Random(seed)
    size = 2 * dice.randint(1, largest // 2)
    highest = dice.choice([2, 5, 20, 1 << 60])
    density = dice.random()
    return size, [
        (u, v, (dice.randint(0, 2), dice.randint(0, highest)))
        for u in range(size)
        for v in range(u + 1, size)
        if dice.random() < density
    ]


@st.composite
def graphs(draw):
    """A graph whose costs have up to 12 levels, most of them small, some with a factor or a least cost in common."""
    size = 2 * draw(st.integers(1, 9))
    dice = random.Random(draw(st.integers(0, 1 << 32)))
    levels = [
        (draw(st.sampled_from([0, 1, 3, 40])), draw(st.sampled_from([1, 7])))
        for _ in range(dice.randint(1, 12))
    ]
    density, least = draw(st.sampled_from([0.4, 0.8, 1.0])), draw(st.integers(0, 2))
    return size, [
        (u, v, tuple(factor * (least + dice.randint(0, highest)) for highest, factor in levels))
        for u in range(size)
        for v in range(u + 1, size)
        if dice.random() < density
    ]


@pytest.mark.parametrize("block", range(3))
def test_the_cheapest_of_all_matchings_is_found(block):
    for seed in range(100 * block, 100 * block + 100):
        size, edges = any_graph(seed, 8)
        costs = {(u, v): cost for u, v, cost in edges}
        matchings = (pairs for pairs, _dummies in all_rounds(range(size)) if costs.keys() >= set(pairs))
        cheapest = min((sums_of(costs, pairs) for pairs in matchings), default=None)
        pairs = cheapest_perfect_matching(size, edges, Rng(seed))
        if pairs is None:
            assert cheapest is None, seed
            continue
        assert sorted(v for pair in pairs for v in pair) == list(range(size))
        assert sums_of(costs, pairs) == cheapest, seed


def test_an_odd_number_has_no_perfect_matching_and_none_need_none():
    triangle = [(0, 1, (1,)), (1, 2, (1,)), (0, 2, (1,))]
    assert cheapest_perfect_matching(3, triangle, Rng(0)) is None
    assert cheapest_perfect_matching(2, [], Rng(0)) is None
    assert cheapest_perfect_matching(0, [], Rng(0)) == []


@given(graphs(), st.integers(42, 60))
def test_stages_decide_what_networkx_decides_at_once(graph, bits):
    size, edges = graph
    best = by_networkx(size, edges)
    at_once = cheapest_perfect_matching(size, edges, Rng(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "weight_limit", lambda size: 1 << bits)
        try:
            in_stages = cheapest_perfect_matching(size, edges, Rng(1))
        except NoPairing:
            assume(False)
    assert at_once == in_stages
    costs = {(u, v): cost for u, v, cost in edges}
    assert (None if in_stages is None else sums_of(costs, in_stages)) == best


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("spread", [30, 1000])
def test_levels_past_128_bits_are_decided_too(seed, spread):
    """Costs as under `protect_top`, where each edge costs on one level only; of wide scores nearly all differ."""
    dice = random.Random(seed)
    points = sorted((dice.randint(0, spread) for _ in range(40)), reverse=True)
    groups = sorted(set(points), reverse=True)
    edges = [
        (u, v, tuple((points[u] - points[v]) ** 2 * (group == points[u]) for group in groups))
        for u in range(40)
        for v in range(u + 1, 40)
        if dice.random() < 0.4
    ]
    costs = {(u, v): cost for u, v, cost in edges}
    best = by_networkx(40, edges)
    assert best is not None
    assert sums_of(costs, cheapest_perfect_matching(40, edges, Rng(seed))) == best


@pytest.mark.parametrize("size", [4, 40, 400])
def test_nothing_overflows_at_the_limit(size):
    """A path of heavy and light edges in turn drives the dual variables farthest apart."""
    limit = weight_limit(size)
    edges = [(u, u + 1, limit * (u % 2)) for u in range(size - 1)]
    assert heaviest_matching(size, edges) == [(u, u + 1) for u in range(0, size, 2)]
    dice = random.Random(size)
    edges += [(u, u + 7, dice.choice([0, limit // 2, limit])) for u in range(size - 7)]
    graph = networkx.Graph()
    graph.add_weighted_edges_from(edges)
    best = networkx.max_weight_matching(graph, maxcardinality=True)
    found = heaviest_matching(size, edges)
    assert graph.edge_subgraph(found).size("weight") == graph.edge_subgraph(best).size("weight")


def test_costs_too_large_for_exact_integers_are_refused():
    edges = [(u, v, ((1 << 200) + u * v,)) for u in range(6) for v in range(u + 1, 6)]
    with pytest.raises(NoPairing, match="too_many_groups"):
        cheapest_perfect_matching(6, edges, Rng(1))


def test_a_factor_that_a_level_shares_takes_no_room():
    factor = 1 << 130
    weights, decided = fold_levels([[0, factor, 2 * factor], [3, 0, 1]], [2 * factor, 4], 1 << 10)
    assert (weights, decided) == ([3, 5, 11], 2)
    assert fold_levels([[0, factor, 2 * factor], [3, 0, 1]], [2 * factor, 4], 14)[1] == 1
