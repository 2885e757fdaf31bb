"""Changing the fewest tables of a published round, against all rounds there are; shares no code with the engine.

The oracle lists every complete round of up to eleven players, counts what each costs by the policy's own words, and of
the cheapest takes those that keep most published tables.
"""

import random
from dataclasses import replace

import pytest

from pairings.engine import Entrant, NoPairing, PairingRequest, Policy, pair, repair_options
from tests.conftest import THOROUGH
from tests.pairings.engine.oracles import all_rounds

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
    met = {i: set() for i in range(size + 2)}
    for i in met:
        for j in range(i):
            if dice.random() < dice.choice([0.1, 0.4]):
                met[i].add(j)
                met[j].add(i)
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
        for i in met
    ]
    names = ["repeats", "bye", "score_difference", "pair_downs"]
    policy = Policy(
        objective=dice.choice(["balance", "protect_top"]),
        repeats=dice.choice(["last_resort", "last_resort", "never"]),
        criteria=tuple(names if dice.random() < 0.7 else dice.sample(names, 4)),
        bye_rule=dice.choice(["lowest_group", "lowest_rank"]),
    )
    prohibited = dice.choices([(i, j) for i in met for j in range(i)], k=dice.choice([0, 2, 4]))
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
            whole = round_of(option.pairing)
            assert stand <= whole and whole in rounds, seed
            assert cost(whole, entrants, policy) == best, seed
        assert len(round_of(keep.pairing) & tables) == kept, seed
        assert (leave.pairing is not None) == (tables in rounds), seed
        assert leave.pairing is None or round_of(leave.pairing) == tables, seed


def round_of(pairing):
    bye = [] if pairing.bye is None else [(pairing.bye,)]
    return frozenset(map(frozenset, [*pairing.pairs, *bye]))
