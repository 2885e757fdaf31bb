import random
from dataclasses import replace
from functools import cache

import pytest

from pairings.engine.lookahead import feasible_rounds
from pairings.engine.pair import pair
from pairings.engine.types import Entrant, NoPairing, Policy, Proof
from tests.conftest import THOROUGH
from tests.pairings.engine.oracles import all_rounds, bye_cost, pair_cost

POLICY = Policy(planned_rounds=9)


BYE = 99


def rounds_of(players):
    """Every complete round as a frozenset of pairs; (a, BYE) is the bye."""
    dummies = [BYE] * (len(players) % 2)
    return [frozenset([*pairs, *taken]) for pairs, taken in all_rounds(players, dummies)]


def most_rounds(players, allowed, bye, strict):
    """How many rounds without a repeat (strictly: or a second bye) can follow each other; by trying all."""

    rounds = rounds_of(players)

    @cache
    def most(allowed, bye):
        best = 0
        for one in (one for one in rounds if one <= allowed | bye):
            spent = {both for both in one if both[1] == BYE} if strict else set()
            best = max(best, 1 + most(allowed - one, bye - spent))
            if best == len(allowed) // (len(players) // 2):
                break
        return best

    return most(frozenset(allowed), frozenset(bye))


def best_by_trying_all(entrants, policy, forbidden):
    """The smallest (repeats, later rounds lost, a second bye needed, bye, difference), by trying every round."""
    players = [entrant.id for entrant in entrants]
    levels = sorted({entrant.points for entrant in entrants}, reverse=True)
    never = {frozenset(both) for both in forbidden}
    everything = {(a, b) for a in players for b in players if a < b and frozenset((a, b)) not in never}
    fresh = frozenset((a, b) for a, b in everything if b not in entrants[a].opponents)
    anybody = frozenset((a, BYE) for a in players)
    unbyed = frozenset((a, BYE) for a in players if not entrants[a].byes)
    later = policy.planned_rounds - policy.round
    keys = []
    for one in (one for one in rounds_of(players) if one <= fresh | anybody):
        lost = later - min(later, most_rounds(players, fresh - one, anybody, strict=False))
        byes = {both for both in one if both[1] == BYE}
        spared = byes <= unbyed and most_rounds(players, fresh - one, unbyed - byes, strict=True) >= later
        costs = [
            bye_cost(entrants[a], policy, levels)
            if b == BYE
            else pair_cost(entrants[a], entrants[b], policy, levels)
            for a, b in one
        ]
        total = tuple(map(sum, zip(*costs, strict=True)))
        keys.append((total[0], lost, int(not spared), *total[1:]))
    return min(keys, default=None)


def small_field(seed, largest):
    """Players some rounds into an event of so many planned rounds that looking ahead matters."""
    dice = random.Random(seed)
    size = dice.randint(3, largest)
    planned = dice.randint(size // 2 + 1, size + 1)
    played = dice.randint(0, min(planned - 1, size - 2))
    met = {i: set() for i in range(size)}
    byes = dict.fromkeys(range(size), 0)
    for _ in range(played):
        left = dice.sample(range(size), size)
        while left:
            a = left.pop()
            b = next((other for other in left if other not in met[a]), None)
            if b is None:
                byes[a] += 1
                continue
            left.remove(b)
            met[a].add(b)
            met[b].add(a)
    entrants = [Entrant(i, dice.randint(0, 4), frozenset(met[i]), byes[i]) for i in range(size)]
    forbidden = [(0, 1)] if dice.random() < 0.2 else []
    return entrants, Policy(round=played + 1, planned_rounds=planned), forbidden


def key_of(pairing):
    lines = {line.criterion: line.value for line in pairing.certificate}
    return tuple(
        lines.get(name, 0)
        for name in ("repeats", "later_rounds", "later_byes", "second_bye", "bye_group", "score_difference")
    )


@pytest.mark.parametrize("block", range(6 if THOROUGH else 2))
def test_no_round_is_better_counting_the_later_rounds_too(block):
    looked = 0
    for seed in range(60 * block, 60 * block + 60):
        entrants, policy, forbidden = small_field(seed, largest=6 if seed % 10 else 7)
        best = best_by_trying_all(entrants, policy, forbidden)
        try:
            pairing = pair(entrants, policy, seed=seed, forbidden=forbidden)
        except NoPairing:
            assert best is None
            continue
        assert all(line.optimal for line in pairing.certificate)
        if best is None:
            assert key_of(pairing)[0] > 0
        elif any(line.criterion == "later_rounds" for line in pairing.certificate):
            looked += 1
            expected = best if len(entrants) % 2 else (*best[:2], 0, *best[3:])
            assert key_of(pairing) == expected, seed
    assert looked > 15


def play(size, planned, seed):
    """A whole event with drawn winners: (repeats, byes beyond the first) over all its rounds."""
    dice = random.Random(seed)
    met = {i: frozenset() for i in range(size)}
    points, byes = dict.fromkeys(met, 0), dict.fromkeys(met, 0)
    repeats = 0
    for number in range(1, planned + 1):
        entrants = [Entrant(i, points[i], met[i], byes[i]) for i in met]
        policy = Policy(round=number, planned_rounds=planned)
        pairing = pair(entrants, policy, seed=seed + number)
        assert all(line.optimal for line in pairing.certificate)
        for a, b in pairing.pairs:
            repeats += b in met[a]
            met[a], met[b] = met[a] | {b}, met[b] | {a}
            points[a if dice.random() < 0.6 else b] += 3
        if pairing.bye is not None:
            byes[pairing.bye] += 1
            points[pairing.bye] += 3
    return repeats, sum(max(0, had - 1) for had in byes.values())


@pytest.mark.parametrize("size", range(2, 17))
def test_as_many_rounds_as_can_be_played_are_played_without_a_rematch_or_a_second_bye(size):
    most = feasible_rounds(size)
    for planned in {most, most - 1, size // 2 + 1} - {0}:
        if planned <= most:
            for seed in range(6 if size < 12 and THOROUGH else 2):
                assert play(size, planned, seed) == (0, 0)


def test_how_many_rounds_are_possible_is_known_said_and_not_looked_into_in_large_fields():
    assert [feasible_rounds(players) for players in (0, 1, 2, 3, 5, 6)] == [0, 0, 1, 3, 5, 5]
    lines = {c.criterion: c for c in pair([Entrant(i, 0) for i in range(4)], POLICY, seed=1).certificate}
    assert (lines["later_rounds"].value, lines["later_rounds"].optimal) == (6, True)
    assert lines["later_rounds"].proof == Proof("exhaustive")
    for size, planned in ((17, 16), (16, 8), (10, None)):
        pairing = pair([Entrant(i, 0) for i in range(size)], replace(POLICY, planned_rounds=planned), seed=1)
        assert not any(line.criterion.startswith("later") for line in pairing.certificate)
