import random
from functools import cache

import pytest

from pairings.engine.disjoint_rounds import (
    Budget,
    Demand,
    TooLong,
    disjoint_rounds,
    has_odd_cut,
    remove_edges,
)


def matchings(graph, left):
    if not left:
        yield []
        return
    v = (left & -left).bit_length() - 1
    for w in range(len(graph)):
        if graph[v] & left & 1 << w:
            for rest in matchings(graph, left & ~(1 << v | 1 << w)):
                yield [(v, w), *rest]


def exists(graph, demand):
    everyone = (1 << len(graph)) - 1

    def after(graph, matching):
        return remove_edges(graph, [both for both in matching if demand.reusable not in both])

    @cache
    def holds(graph, rounds):
        return not rounds or any(holds(after(graph, m), rounds - 1) for m in matchings(graph, everyone))

    left = everyone
    for a, b in demand.fixed:
        left &= ~(1 << a | 1 << b)
    graph = after(graph, demand.fixed)
    first = matchings(remove_edges(graph, demand.excluded), left)
    return any(holds(after(graph, matching), demand.rounds - 1) for matching in first)


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
    fixed = [(a, b)] if dice.random() < 0.4 else []
    excluded = [tuple(dice.sample(rest, 2)) for _ in range(dice.choice([0, 0, 2]))]
    reusable = dice.choice([None, size - 1])
    return tuple(graph), Demand(dice.randint(1, 4), reusable, fixed, excluded)


def check(graph, demand, rounds):
    everyone = set(range(len(graph)))
    assert len(rounds) <= demand.rounds and set(rounds[0]) >= {
        tuple(sorted(both)) for both in demand.fixed
    } - {()}
    used = [tuple(sorted(both)) for matching in rounds for both in matching]
    once = [both for both in used if demand.reusable not in both]
    assert len(set(once)) == len(once)
    for number, matching in enumerate(rounds):
        assert {v for both in matching for v in both} == everyone
        for both in matching:
            settled = number == 0 and (both in demand.fixed or both[::-1] in demand.fixed)
            assert settled or graph[both[0]] >> both[1] & 1
            assert settled or number or both not in demand.excluded


@pytest.mark.parametrize("tries", [120, 1])
def test_rounds_are_found_exactly_where_there_are_some(tries, monkeypatch):
    monkeypatch.setattr("pairings.engine.disjoint_rounds.SHORT", tries)  # 1: by the full search alone
    answers = [0, 0]
    for seed in range(400):
        graph, demand = some_graph(seed)
        rounds = disjoint_rounds(graph, demand, Budget(10_000))
        assert (rounds is not None) == exists(graph, demand), seed
        answers[rounds is not None] += 1
        if rounds:
            demand = Demand(
                demand.rounds, demand.reusable, [tuple(sorted(b)) for b in demand.fixed], demand.excluded
            )
            check(graph, demand, [[tuple(sorted(both)) for both in one] for one in rounds])
    assert min(answers) > 100


def test_a_bridge_between_odd_halves_allows_one_round_only():
    triangles = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
    graph = [0] * 6
    for a, b in triangles:
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    assert not has_odd_cut(tuple(graph), Demand(1)) and has_odd_cut(tuple(graph), Demand(2))
    assert disjoint_rounds(tuple(graph), Demand(1), Budget(100)) is not None
    assert disjoint_rounds(tuple(graph), Demand(2), Budget(100)) is None


def test_a_search_out_of_steps_says_so():
    petersen = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
    petersen += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    graph = [0] * 10
    for a, b in petersen:
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    assert disjoint_rounds(tuple(graph), Demand(3), Budget(1_000)) is None  # the famous one
    assert disjoint_rounds(tuple(graph), Demand(1), Budget(1_000)) is not None
    with pytest.raises(TooLong):
        disjoint_rounds(tuple(graph), Demand(3), Budget(2))
