"""The exact matching: over 128 bits, over unlimited integers, and against every matching there is."""

import random

import pytest

from pairings.engine import matching
from pairings.engine.matching import cheapest_perfect_matching, match_compiled, match_unlimited
from pairings.engine.rng import Rng


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


def all_matchings(vertices, costs):
    """Every perfect matching of these vertices, as sums of costs."""
    if not vertices:
        yield 0, 0
        return
    first, *rest = vertices
    for other in rest:
        if (first, other) in costs:
            for one, two in all_matchings([v for v in rest if v != other], costs):
                yield one + costs[first, other][0], two + costs[first, other][1]


@pytest.mark.parametrize("block", range(3))
def test_the_cheapest_of_all_matchings_is_found(block):
    for seed in range(100 * block, 100 * block + 100):
        size, edges = any_graph(seed, 8)
        costs = {(u, v): cost for u, v, cost in edges}
        cheapest = min(all_matchings(list(range(size)), costs), default=None)
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


def used_for(monkeypatch, edges):
    """The pairs of four vertices, and which matchings were used for them."""
    used = []
    for match in (match_compiled, match_unlimited):
        monkeypatch.setattr(
            matching, match.__name__, lambda *a, match=match: used.append(match.__name__) or match(*a)
        )
    return cheapest_perfect_matching(4, edges, Rng(1)), used


HEAVY = [
    (0, 1, (1 << 130, 0)),
    (0, 2, (0, 5)),
    (1, 3, (0, 5)),
    (2, 3, (0, 0)),
    (0, 3, (0, 1)),
    (1, 2, (0, 8)),
]


def test_weights_past_128_bits_go_to_the_unlimited_matching(monkeypatch):
    edges = [(0, 1, ((1 << 130) + 1, 0)), (0, 2, (1, 5)), *HEAVY[2:]]
    assert used_for(monkeypatch, edges) == ([(0, 3), (1, 2)], ["match_unlimited"])


def test_a_factor_that_all_costs_share_is_no_reason_for_it(monkeypatch):
    assert used_for(monkeypatch, HEAVY) == ([(0, 3), (1, 2)], ["match_compiled"])


def test_levels_are_compared_from_the_left():
    edges = [
        (0, 1, (0, 900)),
        (2, 3, (0, 900)),
        (0, 2, (1, 0)),
        (1, 3, (0, 0)),
        (0, 3, (0, 901)),
        (1, 2, (0, 900)),
    ]
    assert cheapest_perfect_matching(4, edges, Rng(1)) == [(0, 1), (2, 3)]
