import random
from dataclasses import replace
from itertools import combinations

import pytest

from pairings.engine.compare import repair_options, swap_delta, why_not
from pairings.engine.pair import pair
from pairings.engine.types import Entrant, NoPairing, Pairing, PairingRequest, Policy
from pairings.engine.verify import verify
from tests.pairings.engine.oracles import all_rounds, any_field, cost_key, new_tables, played_field

POLICY = Policy(criteria=("repeats", "bye", "score_difference"))


def field_with_round(seed, largest=8):
    """(entrants, forbidden pairs, a best round) of a small field that can be paired."""
    while True:
        entrants, forbidden, _ = any_field(seed, smallest=4, largest=largest)
        try:
            return entrants, forbidden, pair(entrants, POLICY, seed=seed, forbidden=forbidden)
        except NoPairing:
            seed += 10_000


@pytest.mark.parametrize("seed", range(25))
def test_why_not_compares_with_the_best_of_all_rounds_that_hold_the_pair(seed):
    entrants, forbidden, pairing = field_with_round(seed, largest=7)
    never = {frozenset(both) for both in forbidden}
    ways = all_rounds([entrant.id for entrant in entrants], [None] * (len(entrants) % 2))
    rounds = [
        Pairing(tuple(pairs), *(name for name, _dummy in alone))
        for pairs, alone in ways
        if never.isdisjoint(map(frozenset, pairs))
    ]
    for a, b in combinations([entrant.id for entrant in entrants], 2):
        answer = why_not(PairingRequest(entrants, POLICY, seed, prohibited_pairs=forbidden), pairing, a, b)
        holding = [r for r in rounds if (a, b) in r.pairs or (b, a) in r.pairs]
        if any({a, b} == set(both) for both in pairing.pairs):
            assert answer.code == "paired"
        elif not holding:
            assert answer.code in ("prohibited", "impossible")
        else:
            best = min(cost_key(entrants, r, POLICY) for r in holding)
            assert cost_key(entrants, answer.pairing, POLICY) == best
            equally = best == cost_key(entrants, pairing, POLICY)
            assert answer.code == ("equal" if equally else "worse")
            assert equally == (answer.changes == ())


def increases(answer):
    """[(criterion, how much more it costs)], the most important first."""
    return [(change.criterion, change.after - change.before) for change in answer.changes]


def test_why_not_answers_what_gets_worse_also_for_the_bye_and_folded_halves():
    entrants = [Entrant(0, 6), Entrant(1, 6), Entrant(2, 3), Entrant(3, 3, frozenset({2})), Entrant(4, 0)]
    entrants[2] = replace(entrants[2], opponents=frozenset({3}))
    entrants.append(Entrant(5, 0))
    pairing = pair(entrants, POLICY, seed=1, locked=[(0, 1)])  # as good as 4 against 5
    dearer = why_not(PairingRequest(entrants, POLICY, 1), pairing, 2, 3)
    assert (dearer.code, increases(dearer)) == ("worse", [("repeats", 1), ("score_difference", -18)])
    dearer = why_not(PairingRequest(entrants, POLICY, 1), pairing, 0, 4)
    assert (dearer.code, increases(dearer)) == ("worse", [("score_difference", 36)])
    assert (
        why_not(PairingRequest(entrants, POLICY, 1, prohibited_pairs=[(5, 4)]), pairing, 4, 5).code
        == "prohibited"
    )
    assert why_not(PairingRequest(entrants, POLICY, 1), pairing, 4, None).code == "even"
    locked = why_not(PairingRequest(entrants, POLICY, 1).with_locks([(0, 1)]), pairing, 0, 4)
    assert (locked.code, locked.entrant) == ("locked_table", 0)
    with pytest.raises(ValueError, match="9 is not in the field"):
        why_not(PairingRequest(entrants, POLICY, 1), pairing, 0, 9)
    entrants = [Entrant(0, 3), Entrant(1, 0, byes=1), Entrant(2, 0)]
    pairing = pair(entrants, POLICY, seed=1)
    assert why_not(PairingRequest(entrants, POLICY, 1), pairing, 2, None).code == "has_bye"
    assert increases(why_not(PairingRequest(entrants, POLICY, 1), pairing, 1, None)) == [("second_bye", 1)]
    dearer = why_not(PairingRequest(entrants, POLICY, 1), pairing, 0, None)
    assert increases(dearer) == [("bye_group", 3), ("score_difference", -9)]
    entrants = [Entrant(i, 0, seed_rank=i) for i in range(1, 9)]
    policy = Policy(within="fold")
    pairing = pair(entrants, policy, seed=1)
    answer = why_not(PairingRequest(entrants, policy, 1), pairing, 1, 6)
    assert (answer.code, increases(answer)) == ("worse", [("fold", 2)])


@pytest.mark.parametrize("seed", range(25))
def test_the_delta_of_a_swap_is_the_difference_of_the_costs(seed):
    entrants = played_field(seed, 17, 4)
    pairing = pair(entrants, POLICY, seed=seed)
    dice = random.Random(seed)
    one, other = dice.sample([entrant.id for entrant in entrants], 2)
    if any({one, other} == set(both) for both in pairing.pairs):
        with pytest.raises(ValueError, match="play each other"):
            swap_delta(PairingRequest(entrants, POLICY), pairing, (one, other))
        return
    delta = swap_delta(PairingRequest(entrants, POLICY), pairing, (one, other))
    assert [p for p in verify(entrants, delta.pairing, POLICY) if p.severity == "error"] == []
    before, after = cost_key(entrants, pairing, POLICY), cost_key(entrants, delta.pairing, POLICY)
    assert after >= before
    named = ("repeats", "second_bye", "bye_group", "score_difference")
    differ = {name: (old, new) for name, old, new in zip(named, before, after, strict=True) if old != new}
    assert {change.criterion: (change.before, change.after) for change in delta.changes} == differ
    assert (
        swap_delta(PairingRequest(entrants, POLICY), delta.pairing, (one, other)).pairing.pairs
        == pairing.pairs
    )


def test_a_swap_is_weighed_and_checked():
    entrants = [Entrant(0, 3, frozenset({2})), Entrant(1, 3), Entrant(2, 0, frozenset({0})), Entrant(3, 0)]
    pairing = pair(entrants, POLICY, seed=1)
    delta = swap_delta(PairingRequest(entrants, POLICY, prohibited_pairs=[(1, 3)]), pairing, (1, 2))
    assert increases(delta) == [("repeats", 1), ("score_difference", 18)]
    assert {problem.code for problem in delta.problems} == {"repeat", "forbidden"}
    assert [problem.entrants for problem in delta.problems if problem.severity == "error"] == [(1, 3)]
    equal = pair([Entrant(i, 0) for i in range(4)], POLICY, seed=1)
    (a, _), (b, _) = equal.pairs
    assert swap_delta(PairingRequest([Entrant(i, 0) for i in range(4)], POLICY), equal, (a, b)).changes == ()
    with pytest.raises(ValueError, match="9 is not in this round"):
        swap_delta(PairingRequest(entrants, POLICY), pairing, (1, 9))


def published(pairing):
    return [*pairing.pairs, *([] if pairing.bye is None else [(pairing.bye, None)])]


def test_finished_tables_stay_and_a_missing_player_is_named():
    entrants = [Entrant(i, 0) for i in range(8)]
    pairing = pair(entrants, POLICY, seed=1)
    finished = pairing.pairs[0]
    leaver = pairing.pairs[1][0]
    now = [e for e in entrants if e.id != leaver]
    leave, keep, anew = repair_options(
        PairingRequest(now, POLICY, 2).with_locks([finished]), published(pairing)
    )
    assert leave.pairing is None
    assert finished in keep.pairing.pairs and {frozenset(finished)} <= set(map(frozenset, anew.pairing.pairs))
    assert new_tables(keep.pairing, published(pairing)) == 1
    assert keep.pairing.bye == pairing.pairs[1][1]


def test_finished_and_locked_tables_may_be_rematches():
    entrants = [Entrant(i, 0, frozenset({i ^ 1} if i < 2 else ())) for i in range(6)]
    request, tables = PairingRequest(entrants, POLICY, 2).with_locks([(0, 1)]), [(0, 1), (2, 3), (4, 5)]
    _, keep, _anew = repair_options(request, tables)
    assert new_tables(keep.pairing, tables) == 0
    assert why_not(request, keep.pairing, 2, 4).code == "equal"


@pytest.mark.long
@pytest.mark.parametrize("groups", [8, 3])
def test_in_large_fields_most_tables_stay(groups):
    entrants = [Entrant(i, 3 * (i % groups)) for i in range(1200)]
    pairing = pair(entrants, POLICY, seed=1)
    moved = next(a for a, _ in pairing.pairs if entrants[a].points == 0)
    now = [replace(e, points=6) if e.id == moved else e for e in entrants]
    leave, keep, anew = repair_options(PairingRequest(now, POLICY, 2), published(pairing))
    assert keep.cost == anew.cost < leave.cost
    changed = [new_tables(option.pairing, published(pairing)) for option in (keep, anew)]
    assert changed[0] == 2 and changed[1] > 500


def test_a_field_too_large_to_compare_is_undecided_not_impossible(monkeypatch):
    request = PairingRequest([Entrant(i, 0) for i in range(4)], POLICY, 1)
    pairing = pair(request.entrants, POLICY, seed=1)
    (a, _), (b, _) = pairing.pairs

    def refuse(_request):
        raise NoPairing("too_many_groups")

    monkeypatch.setattr("pairings.engine.compare.solve", refuse)
    assert why_not(request, pairing, a, b).code == "undecided"
    assert [option.undecided for option in repair_options(request, published(pairing))] == [False, True, True]
