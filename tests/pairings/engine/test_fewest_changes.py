"""Changing the fewest tables of a published round, against all rounds there are; shares no code with the engine.

The oracle lists every complete round of up to eleven players, counts what each costs by the policy's own words, and of
the cheapest takes those that keep most published tables.
"""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest

from pairings.engine.compare import repair_options
from pairings.engine.lookahead import (
    Budget,
    Demand,
    TooLong,
    disjoint_rounds,
    has_odd_cut,
    remove_edges,
)
from pairings.engine.pair import pair
from pairings.engine.types import Entrant, NoPairing, PairingRequest, Policy
from tests.conftest import THOROUGH
from tests.pairings.engine.oracles import all_rounds, meetings

FIELDS = 100 if THOROUGH else 12  # of each block


def cost(whole, entrants, policy):
    points = {i: entrant.points for i, entrant in entrants.items()}
    tables = [sorted(table, key=lambda i: -points[i]) for table in whole if len(table) == 2]
    alone = [i for table in whole if len(table) == 1 for i in table]
    across = [(high, low) for high, low in tables if points[high] != points[low]]
    squares = dict.fromkeys(sorted(set(points.values()), reverse=True), 0)
    for high, low in across:
        squares[points[high]] += (points[high] - points[low]) ** 2
    costs = {
        "repeats": [sum(low in entrants[high].opponents for high, low in tables)],
        "bye": [sum(entrants[i].byes for i in alone), sum(points[i] - min(points.values()) for i in alone)],
        "score_difference": list(squares.values())
        if policy.objective == "protect_top"
        else [sum(squares.values())],
        "pair_downs": [sum(entrants[high].down + entrants[low].up for high, low in across)],
    }
    if policy.bye_rule == "lowest_rank":
        costs["bye"].append(-sum(entrants[i].seed_rank for i in alone))
    return [number for name in policy.criteria for number in costs[name]]


def changed_event(seed):
    """A published round, and what has changed since: (entrants now, published, finished, prohibited, policy)."""
    dice = random.Random(seed)
    size = dice.randint(4, 9)
    met = meetings(size + 2, lambda i, j: dice.random() < dice.choice([0.1, 0.4]))
    everybody = [
        Entrant(
            i,
            3 * dice.randint(0, dice.choice([1, 2, 4])),
            frozenset(met[i]),
            byes=dice.choice([0, 0, 1]),
            down=dice.choice([0, 0, 1]),
            up=dice.choice([0, 0, 1]),
            seed_rank=i + 1,
        )
        for i in range(size + 2)
    ]
    names = ["repeats", "bye", "score_difference", "pair_downs"]
    policy = Policy(
        objective=dice.choice(["balance", "protect_top"]),
        repeats=dice.choice(["last_resort", "last_resort", "never"]),
        criteria=tuple(names if dice.random() < 0.7 else dice.sample(names, 4)),
        bye_rule=dice.choice(["lowest_group", "lowest_rank"]),
    )
    prohibited = dice.choices([(i, j) for i in range(size + 2) for j in range(i)], k=dice.choice([0, 2, 4]))
    try:
        before = pair(everybody[:size], policy, seed=seed, forbidden=prohibited)
    except NoPairing:
        return changed_event(seed + 1_000_000)
    finished = [both for both in before.pairs if dice.random() < 0.2]
    played = {i for both in finished for i in both}
    here = {i for i in range(size) if i in played or dice.random() > 0.1}
    here |= {i for i in range(size, size + 2) if dice.random() < 0.3}
    now = {
        entrant.id: replace(entrant, points=max(0, entrant.points + dice.choice([0, 0, 0, -3, 3])))
        for entrant in everybody
        if entrant.id in here
    }
    published = [*before.pairs, *([] if before.bye is None else [(before.bye, None)])]
    return now, published, finished, prohibited, policy


@pytest.mark.parametrize("block", range(10))
def test_no_best_round_keeps_more_tables(block):
    for seed in range(FIELDS * block, FIELDS * (block + 1)):
        entrants, published, finished, prohibited, policy = changed_event(seed)
        tables = {frozenset(table) - {None} for table in published}
        stand, never = set(map(frozenset, finished)), set(map(frozenset, prohibited))
        if policy.repeats == "never":
            never |= {frozenset({i, j}) for i in entrants for j in entrants[i].opponents}
        free = [i for i in entrants if not any(i in table for table in stand)]
        byes = [None] * (len(free) % 2)
        ways = (
            frozenset(map(frozenset, [*pairs, *({i} for i, _bye in alone)]))
            for pairs, alone in all_rounds(free, byes)
        )
        rounds = [way | stand for way in ways if not way & never]
        leave, keep, anew = repair_options(
            PairingRequest(list(entrants.values()), policy, seed, prohibited_pairs=prohibited).with_locks(
                finished
            ),
            published,
        )
        if not rounds:
            assert keep.pairing is anew.pairing is None, seed
            continue
        best = min(cost(whole, entrants, policy) for whole in rounds)
        kept = max(len(whole & tables) for whole in rounds if cost(whole, entrants, policy) == best)
        for option in (keep, anew):
            whole = as_sets(option.pairing)
            assert stand <= whole and whole in rounds, seed
            assert cost(whole, entrants, policy) == best, seed
        assert len(as_sets(keep.pairing) & tables) == kept, seed
        assert (leave.pairing is not None) == (tables in rounds), seed
        assert leave.pairing is None or as_sets(leave.pairing) == tables, seed


def as_sets(pairing):
    bye = [] if pairing.bye is None else [(pairing.bye,)]
    return frozenset(map(frozenset, [*pairing.pairs, *bye]))


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


def graph_of(size, edges):
    graph = [0] * size
    for a, b in edges:
        graph[a] |= 1 << b
        graph[b] |= 1 << a
    return tuple(graph)


def some_graph(seed):
    dice = random.Random(seed)
    size, density = dice.choice([4, 6, 8]), dice.uniform(0.3, 1)
    graph = graph_of(size, [both for both in combinations(range(size), 2) if dice.random() < density])
    a, b, *rest = dice.sample(range(size), size)
    fixed = [(a, b)] if dice.random() < 0.4 else []
    excluded = [tuple(dice.sample(rest, 2)) for _ in range(dice.choice([0, 0, 2]))]
    reusable = dice.choice([None, size - 1])
    return graph, Demand(dice.randint(1, 4), reusable, fixed, excluded)


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
    monkeypatch.setattr("pairings.engine.lookahead.SHORT", tries)  # 1: by the full search alone
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
    triangles = graph_of(6, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])
    assert not has_odd_cut(triangles, Demand(1)) and has_odd_cut(triangles, Demand(2))
    assert disjoint_rounds(triangles, Demand(1), Budget(100)) is not None
    assert disjoint_rounds(triangles, Demand(2), Budget(100)) is None


def test_a_search_out_of_steps_says_so():
    edges = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
    petersen = graph_of(10, [*edges, *((5 + i, 5 + (i + 2) % 5) for i in range(5))])
    assert disjoint_rounds(petersen, Demand(3), Budget(1_000)) is None  # the famous one
    assert disjoint_rounds(petersen, Demand(1), Budget(1_000)) is not None
    with pytest.raises(TooLong):
        disjoint_rounds(petersen, Demand(3), Budget(2))
