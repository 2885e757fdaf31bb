"""No legal round is better than the engine's: against trying all, and against a full-graph matching."""

import random
from dataclasses import replace

import pytest

from pairings.engine import Entrant, NoPairing, Policy, Proof, pair, verify
from tests.pairings.engine.oracles import (
    any_field,
    bye_cost,
    cheapest_by_networkx,
    cheapest_by_trying_all,
    cheapest_sum,
    cost_key,
    pair_cost,
    played_field,
)


def errors(entrants, pairing, policy, forbidden=()):
    problems = verify(entrants, pairing, policy, forbidden=forbidden)
    return [problem for problem in problems if problem.severity == "error"]


def paired_cost(entrants, policy, seed, forbidden=()):
    """The cost of the engine's round, or None where it finds none; the round itself is checked."""
    try:
        pairing = pair(entrants, policy, seed=seed, forbidden=forbidden)
    except NoPairing:
        return None
    assert errors(entrants, pairing, policy, forbidden) == []
    return cost_key(entrants, pairing, policy)


@pytest.mark.parametrize("block", range(8))
def test_no_round_of_a_small_field_is_better(block):
    for seed in range(100 * block, 100 * block + 100):
        entrants, forbidden, policy = any_field(seed)
        best = cheapest_by_trying_all(entrants, policy, forbidden)
        assert paired_cost(entrants, policy, seed, forbidden) == best, seed


@pytest.mark.parametrize("seed", range(60))
def test_no_round_of_a_larger_field_is_better(seed):
    entrants, forbidden, policy = any_field(seed, smallest=10, largest=24)
    best = cheapest_by_networkx(entrants, policy, forbidden)
    assert paired_cost(entrants, policy, seed, forbidden) == best


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("objective", ["balance", "protect_top"])
def test_no_round_of_a_played_event_is_better(seed, objective):
    entrants = played_field(seed, 18 + seed, 4 + seed % 6)
    policy = Policy(objective=objective)
    assert paired_cost(entrants, policy, seed) == cheapest_by_networkx(entrants, policy)


@pytest.mark.parametrize("seed", range(40))
def test_the_only_member_of_a_middle_group_may_take_the_bye(seed):
    """Regression: relaxed groups must be able to meet across a group whose only player has the bye."""
    without_bye = 7
    entrants = [
        Entrant(i, points, frozenset(), byes=int(i != without_bye))
        for i, points in enumerate([12, 12, 12, 12, 12, 9, 9, 7, 6, 6, 3, 3, 3, 0, 0])
    ]
    met = [(i, j) for i in range(15) for j in range(i) if (i * 31 + j * 17 + seed * 7) % 5 < 2]
    entrants = [
        Entrant(e.id, e.points, frozenset({j for p in met if e.id in p for j in p} - {e.id}), e.byes)
        for e in entrants
    ]
    policy = Policy()
    pairing = pair(entrants, policy, seed=seed)
    assert cost_key(entrants, pairing, policy) == cheapest_by_networkx(entrants, policy)
    if pairing.certificate[0].value == 0:
        assert pairing.bye == without_bye


def paired_down_again(entrants, pairs):
    """How often those paired across scores were so before, in the same direction."""
    by_id = {entrant.id: entrant for entrant in entrants}
    count = 0
    for one, other in pairs:
        high, low = sorted((by_id[one], by_id[other]), key=lambda e: -e.points)
        count += (high.down + low.up) * (high.points != low.points)
    return count


@pytest.mark.parametrize("seed", range(40))
def test_nobody_is_paired_down_again_while_avoidable(seed):
    """Against one matching over the full graph, in which pair-downs weigh less than all else."""
    dice = random.Random(seed)
    entrants = [
        replace(e, down=dice.choice([0, 0, 1, 2]), up=dice.choice([0, 0, 1]))
        for e in played_field(seed, 20 + seed, 5)
    ]
    policy = Policy(objective=dice.choice(["balance", "protect_top"]))
    pairing = pair(entrants, policy, seed=seed)
    lowest = [line.value for line in pairing.certificate if line.criterion == "pair_downs" and line.optimal]
    assert lowest == [paired_down_again(entrants, pairing.pairs)] == [fewest_pair_downs(entrants, policy)]


def fewest_pair_downs(entrants, policy):
    levels = sorted({entrant.points for entrant in entrants}, reverse=True)
    size, costs = len(entrants), {}
    for i, a in enumerate(entrants):
        for j in range(i):
            met = pair_cost(a, entrants[j], policy, levels)
            costs[i, j] = (*met, paired_down_again(entrants, [(a.id, entrants[j].id)]))
        if size % 2:
            costs[i, -1] = (*bye_cost(a, policy, levels), 0)
    return cheapest_sum(costs, size)[-1]


def test_the_certificate_counts_what_an_independent_count_counts():
    for seed in range(80):
        entrants, forbidden, policy = any_field(seed, 2, 16)
        try:
            pairing = pair(entrants, policy, seed=seed, forbidden=forbidden)
        except NoPairing:
            continue
        lines = {line.criterion: line for line in pairing.certificate}
        named = [lines[name] for name in ("repeats", "second_bye", "bye_group", "score_difference")]
        assert all(line.optimal and line.value == line.bound for line in named)
        flat = []
        for line in named:
            flat += line.value if isinstance(line.value, tuple) else [line.value]
        assert tuple(flat) == cost_key(entrants, pairing, policy)


def test_the_proof_says_whether_the_bound_was_enough_also_for_thousands():
    fresh = [Entrant(i, 0) for i in range(8)]
    assert pair(fresh, Policy(), seed=1).certificate[0].proof == Proof("bound")
    leaders = [Entrant(0, 6, frozenset({1})), Entrant(1, 6, frozenset({0}))]
    rest = [Entrant(i, 3) for i in range(2, 20)]
    assert pair(leaders + rest, Policy(), seed=1).certificate[0].proof.code in ("kernel", "whole_graph")
    entrants = [
        Entrant(i, 3 * (i * i % 11), frozenset({(i + 7) % 6001, (i - 7) % 6001}), byes=int(i % 40 == 0))
        for i in range(6001)
    ]
    pairing = pair(entrants, Policy(), seed=5)
    assert errors(entrants, pairing, Policy()) == []
    assert all(line.optimal for line in pairing.certificate)


def renamed(entrants, name):
    return [Entrant(name(e.id), e.points, frozenset(map(name, e.opponents)), e.byes) for e in entrants]


def test_other_names_in_the_same_order_meet_just_the_same():
    for seed in range(40):
        entrants = played_field(seed, 12 + seed, 4)
        before = pair(entrants, Policy(), seed=seed)
        after = pair(renamed(entrants, lambda i: f"P{i:04}"), Policy(), seed=seed)
        assert after.pairs == tuple((f"P{a:04}", f"P{b:04}") for a, b in before.pairs)
        assert (after.bye is None) == (before.bye is None) and after.certificate == before.certificate
