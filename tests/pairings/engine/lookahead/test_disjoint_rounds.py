"""Disjoint perfect matchings of small graphs, against trying everything."""

import random
from functools import cache

import pytest

from pairings.engine.lookahead import disjoint_rounds as factors
from pairings.engine.lookahead.disjoint_rounds import (
    Asked,
    Budget,
    TooLong,
    cut_off,
    disjoint_rounds,
    without,
)


def matchings(graph, left):
    """Every perfect matching of the vertices in the mask."""
    if not left:
        yield []
        return
    v = (left & -left).bit_length() - 1
    for w in range(len(graph)):
        if graph[v] & left & 1 << w:
            for rest in matchings(graph, left & ~(1 << v | 1 << w)):
                yield [(v, w), *rest]


def exists(graph, asked):
    """Whether such rounds exist, by trying all."""
    everybody = (1 << len(graph)) - 1

    def after(graph, matching):
        return without(graph, [both for both in matching if asked.again not in both])

    @cache
    def holds(graph, rounds):
        return not rounds or any(holds(after(graph, m), rounds - 1) for m in matchings(graph, everybody))

    left = everybody
    for a, b in asked.taken:
        left &= ~(1 << a | 1 << b)
    graph = after(graph, asked.taken)
    first = matchings(without(graph, asked.excluded), left)
    return any(holds(after(graph, matching), asked.rounds - 1) for matching in first)


def some_graph(seed):
    dice = random.Random(seed)
    size, density = dice.choice([4, 6, 8]), dice.uniform(0.3, 1)
    graph = [0] * size
    for a in range(size):
        for b in range(a):
            if dice.random() < density:
                graph[a] |= 1 << b
                graph[b] |= 1 << a
    a, b, *rest = dice.sample(range(size), size)
    taken = [(a, b)] if dice.random() < 0.4 else []
    excluded = [tuple(dice.sample(rest, 2)) for _ in range(dice.choice([0, 0, 2]))]
    again = dice.choice([None, size - 1])
    return tuple(graph), Asked(dice.randint(1, 4), again, taken, excluded)


def check(graph, asked, rounds):
    """The rounds found are what was asked for."""
    everybody = set(range(len(graph)))
    assert len(rounds) <= asked.rounds and set(rounds[0]) >= {tuple(sorted(both)) for both in asked.taken} - {
        ()
    }
    used = [tuple(sorted(both)) for matching in rounds for both in matching]
    once = [both for both in used if asked.again not in both]
    assert len(set(once)) == len(once)
    for number, matching in enumerate(rounds):
        assert {v for both in matching for v in both} == everybody
        for both in matching:
            settled = number == 0 and (both in asked.taken or both[::-1] in asked.taken)
            assert settled or graph[both[0]] >> both[1] & 1
            assert settled or number or both not in asked.excluded


@pytest.mark.parametrize("tries", [120, 1])
def test_rounds_are_found_exactly_where_there_are_some(tries, monkeypatch):
    monkeypatch.setattr(factors, "TRY", tries)  # 1: by the full search alone
    answers = [0, 0]
    for seed in range(400):
        graph, asked = some_graph(seed)
        found = disjoint_rounds(graph, asked, Budget(10_000))
        assert (found is not None) == exists(graph, asked), seed
        answers[found is not None] += 1
        if found:
            asked = Asked(asked.rounds, asked.again, [tuple(sorted(b)) for b in asked.taken], asked.excluded)
            check(graph, asked, [[tuple(sorted(both)) for both in one] for one in found])
    assert min(answers) > 100


def test_a_bridge_between_odd_halves_allows_one_round_only():
    triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
    graph = [0] * 6
    for a, b in triangles:
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    assert not cut_off(tuple(graph), Asked(1)) and cut_off(tuple(graph), Asked(2))
    assert disjoint_rounds(tuple(graph), Asked(1), Budget(100)) is not None
    assert disjoint_rounds(tuple(graph), Asked(2), Budget(100)) is None


def test_a_search_out_of_steps_says_so():
    petersen = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
    petersen += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    graph = [0] * 10
    for a, b in petersen:
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    assert disjoint_rounds(tuple(graph), Asked(3), Budget(1_000)) is None  # the famous one
    assert disjoint_rounds(tuple(graph), Asked(1), Budget(1_000)) is not None
    with pytest.raises(TooLong):
        disjoint_rounds(tuple(graph), Asked(3), Budget(2))
