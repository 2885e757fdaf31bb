"""The matching over unlimited integers against networkx."""

import random

import networkx
import pytest

from pairings.engine.matching import blossom, exact
from pairings.engine.matching.blossom import perfect_matching
from pairings.engine.rng import Chance


def any_graph(seed, largest):
    dice = random.Random(seed)
    size = 2 * dice.randint(1, largest // 2)
    highest = dice.choice([2, 5, 20, 1 << 200])
    lowest = -highest if seed % 2 else 0
    density = dice.random()
    return size, [
        (u, v, dice.randint(lowest, highest))
        for u in range(size)
        for v in range(u + 1, size)
        if dice.random() < density
    ]


def heaviest(size, edges):
    graph = networkx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_weighted_edges_from(edges)
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < size:
        return None
    return sum(graph.edges[pair]["weight"] for pair in matching)


@pytest.mark.parametrize("largest", [8, 14, 30])
def test_perfect_matchings_are_heaviest(largest):
    for seed in range(150):
        size, edges = any_graph(seed, largest)
        weight = {(u, v): w for u, v, w in edges}
        found = perfect_matching(size, edges)
        if found is None:
            assert heaviest(size, edges) is None, seed
            continue
        assert sorted(v for pair in found for v in pair) == list(range(size))
        assert sum(weight[pair] for pair in found) == heaviest(size, edges), seed


def test_an_odd_number_has_no_perfect_matching():
    assert perfect_matching(3, [(0, 1, 1), (1, 2, 1), (0, 2, 1)]) is None


def test_both_matchings_find_the_same_cost(monkeypatch):
    for seed in range(60):
        size, edges = any_graph(seed, 16)
        costs = [(u, v, (abs(w) % 3, abs(w) % 7)) for u, v, w in edges]
        monkeypatch.setattr(exact, "SAFE_WEIGHT", 1 << 118)
        compiled = exact.cheapest_perfect_matching(size, costs, Chance(seed))
        monkeypatch.setattr(exact, "SAFE_WEIGHT", 0)
        unlimited = exact.cheapest_perfect_matching(size, costs, Chance(seed))
        assert compiled == unlimited


def test_weights_past_128_bits_go_to_the_unlimited_matching(monkeypatch):
    asked = []
    plain = blossom.perfect_matching
    monkeypatch.setattr(blossom, "perfect_matching", lambda *a: asked.append(1) or plain(*a))
    costs = [
        (0, 1, (1 << 130, 0)),
        (0, 2, (0, 5)),
        (1, 3, (0, 5)),
        (2, 3, (0, 0)),
        (0, 3, (0, 1)),
        (1, 2, (0, 8)),
    ]
    assert exact.cheapest_perfect_matching(4, costs, Chance(1)) == [(0, 3), (1, 2)]
    assert asked


def test_levels_are_compared_from_the_left():
    costs = [
        (0, 1, (0, 900)),
        (2, 3, (0, 900)),
        (0, 2, (1, 0)),
        (1, 3, (0, 0)),
        (0, 3, (0, 901)),
        (1, 2, (0, 900)),
    ]
    assert exact.cheapest_perfect_matching(4, costs, Chance(1)) == [(0, 1), (2, 3)]
