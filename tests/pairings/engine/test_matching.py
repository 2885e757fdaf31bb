"""The exact matching: over 128 bits, over unlimited integers, and against every matching there is."""

import random

import pytest

from pairings.engine import matching
from pairings.engine.matching import cheapest_perfect_matching
from pairings.engine.rng import Rng
from tests.pairings.engine.oracles import all_rounds


def any_graph(seed, largest):
    """(size, edges with costs of two levels) of a graph of up to that many vertices."""
    dice = random.Random(seed)
    size = 2 * dice.randint(1, largest // 2)
    highest = dice.choice([2, 5, 20, 1 << 200])
    density = dice.random()
    return size, [
        (u, v, (dice.randint(0, 2), dice.randint(0, highest)))
        for u in range(size)
        for v in range(u + 1, size)
        if dice.random() < density
    ]


@pytest.mark.parametrize("block", range(3))
def test_the_cheapest_of_all_matchings_is_found(block):
    for seed in range(100 * block, 100 * block + 100):
        size, edges = any_graph(seed, 8)
        costs = {(u, v): cost for u, v, cost in edges}
        matchings = (pairs for pairs, _slots in all_rounds(range(size)) if costs.keys() >= set(pairs))
        sums = (tuple(map(sum, zip(*map(costs.get, pairs), strict=True))) for pairs in matchings)
        cheapest = min(sums, default=None)
        pairs = cheapest_perfect_matching(size, edges, Rng(seed))
        if pairs is None:
            assert cheapest is None, seed
            continue
        assert sorted(v for pair in pairs for v in pair) == list(range(size))
        assert tuple(map(sum, zip(*map(costs.get, pairs), strict=True))) == cheapest, seed


def test_an_odd_number_has_no_perfect_matching():
    triangle = [(0, 1, (1,)), (1, 2, (1,)), (0, 2, (1,))]
    assert cheapest_perfect_matching(3, triangle, Rng(0)) is None


@pytest.mark.parametrize("largest", [16, 40])
def test_both_matchings_find_the_same_pairs(monkeypatch, largest):
    for seed in range(60):
        size, edges = any_graph(seed, largest)
        edges = [(u, v, (one, two % 7)) for u, v, (one, two) in edges]
        monkeypatch.setattr(matching, "SAFE_WEIGHT", 1 << 118)
        compiled = cheapest_perfect_matching(size, edges, Rng(seed))
        monkeypatch.setattr(matching, "SAFE_WEIGHT", 0)
        assert compiled == cheapest_perfect_matching(size, edges, Rng(seed))


@pytest.mark.parametrize(("more", "used"), [(1, "match_unlimited"), (0, "match_compiled")])
def test_weights_past_128_bits_go_to_the_unlimited_matching_but_a_factor_they_share_is_left_out(
    monkeypatch, more, used
):
    calls = []
    for name in ("match_compiled", "match_unlimited"):
        match = getattr(matching, name)
        monkeypatch.setattr(matching, name, lambda *a, n=name, match=match: calls.append(n) or match(*a))
    edges = [(0, 1, ((1 << 130) + more, 0)), (0, 2, (more, 5)), (1, 3, (0, 5))]
    edges += [(2, 3, (0, 0)), (0, 3, (0, 1)), (1, 2, (0, 8))]
    assert (cheapest_perfect_matching(4, edges, Rng(1)), calls) == ([(0, 3), (1, 2)], [used])
