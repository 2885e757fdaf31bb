"""Questions that once had a wrong answer, or one that took too long."""

from itertools import combinations

import pytest

from pairings.engine import Entrant, Pairing, Policy, Reason, pair, swap_delta, verify, why_not
from pairings.engine.compare import CostModel
from pairings.engine.types import PairingRequest

MAIN = ("repeats", "bye", "score_difference")


def line(pairing, name):
    return next(line for line in pairing.certificate if line.criterion == name)


def test_the_ideal_fold_is_no_shortcut_where_the_score_difference_comes_before_the_bye():
    entrants = [Entrant(1, 2, seed_rank=1), Entrant(2, 1, seed_rank=2), Entrant(3, 1, seed_rank=3)]
    policy = Policy(within="fold", criteria=("repeats", "score_difference", "bye"))
    pairing = pair(entrants, policy, seed=1)
    assert (pairing.bye, line(pairing, "score_difference").value) == (1, 0)
    assert pairing.reasons[1] == (Reason("bye_for_priority"),)


@pytest.mark.slow
def test_nothing_is_called_proved_because_the_fold_came_out():
    """In groups of one every pairing is an ideal fold; here there are two cheapest ones, with labels apart in one."""
    clubs, size = 125, 502
    labels = {4 * club + place: frozenset({f"club {club}"}) for club in range(clubs) for place in (0, 2)}
    met = {i: frozenset({i ^ 1}) if 1 < i < size - 2 else frozenset() for i in range(size)}
    entrants = [Entrant(i, size - i, met[i], seed_rank=i, labels=labels.get(i, ())) for i in range(size)]
    policy = Policy(criteria=(*MAIN, "fold", "labels_apart"), labels_apart_until_round=9)
    lines = [line(pair(entrants, policy, seed=seed), "labels_apart") for seed in range(2)]
    best = min(each.value for each in lines)
    assert all(each.value == best or not each.optimal for each in lines)


def test_a_second_bye_of_the_round_itself_is_not_overlooked_in_looking_ahead():
    entrants = [
        Entrant(0, 1, frozenset({1}), house=True),
        Entrant(1, 0, frozenset({0})),
        Entrant(2, 0, frozenset({3})),
        Entrant(3, 1, frozenset({2})),
        Entrant(4, 1, byes=1),
    ]
    policy = Policy(round=2, planned_rounds=4)
    for seed in range(4):
        pairing = pair(entrants, policy, seed=seed, locked=[(1, 2)])
        assert pairing.bye == 3
        weighed = dict(
            CostModel(PairingRequest(entrants, policy, seed, [(1, 2)], waived=[(1, 2)])).cost(pairing)
        )
        assert line(pairing, "later_byes").value == weighed["later_byes"] == 0


def test_why_not_in_a_small_folded_field_does_not_spoil_the_later_rounds():
    """Those two are kept from the others in this round only."""
    entrants = [Entrant(i, i % 2, frozenset({i ^ 1}), seed_rank=i) for i in range(6)]
    policy = Policy(round=2, planned_rounds=4, within="fold", criteria=(*MAIN, "fold"))
    pairing = pair(entrants, policy, seed=1)
    met = {frozenset(both) for both in pairing.pairs} | {frozenset((i, i ^ 1)) for i in range(6)}
    for a, b in combinations(range(6), 2):
        if frozenset((a, b)) in met:
            continue
        answer = why_not(PairingRequest(entrants, policy, 1), pairing, a, b)
        lost = dict(CostModel(PairingRequest(entrants, policy, seed=1)).cost(answer.pairing))["later_rounds"]
        assert lost == 0 and not any(change.criterion.startswith("later") for change in answer.changes)


def test_after_a_swap_the_better_side_moves_first():
    entrants = [Entrant(i, 0, sides=side) for i, side in {1: "a", 2: "-", 3: "b", 4: "-"}.items()]
    policy = Policy(round=2, sides=True, criteria=(*MAIN, "alternate_sides"))
    before = Pairing(pairs=((1, 2), (3, 4)), first=("b", "a"))
    after = swap_delta(PairingRequest(entrants, policy), before, (1, 3)).pairing
    assert (after.pairs, after.first) == (((3, 2), (1, 4)), ("a", "b"))


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        (Policy(), "bye_random"),
        (Policy(bye_rule="lowest_rank"), "bye_ranked"),
        (Policy(within="fold"), "bye_ranked"),
    ],
)
def test_the_bye_is_said_to_be_drawn_only_where_it_was(policy, code):
    entrants = [Entrant(i, i % 2, seed_rank=i) for i in range(9)]
    pairing = pair(entrants, policy, seed=3)
    assert pairing.reasons[pairing.bye] == (Reason(code),)


def test_a_prohibition_that_moved_the_bye_is_named_and_locked_pairs_have_no_order():
    entrants = [Entrant(0, 3), Entrant(1, 0), Entrant(2, 0)]
    pairing = pair(entrants, Policy(), seed=1, forbidden=[(0, 1), (0, 2)])
    assert pairing.bye == 0
    assert pairing.reasons[0] == (Reason("bye_above", {"prohibited": 1, "later": 0}),)
    entrants = [Entrant(i, 0) for i in range(8)]
    one, other = (
        pair(entrants, Policy(sides=True), seed=2, locked=fixed)
        for fixed in ([(1, 2), (3, 4)], [(3, 4), (1, 2)])
    )
    assert one == other


def test_large_numbers_of_rounds_and_labels_of_several_kinds_are_no_hindrance():
    pairing = pair([Entrant(i, 0) for i in range(7)], Policy(planned_rounds=1_000_000), seed=1)
    assert line(pairing, "later_rounds").value == 1_000_000 - 1 - 6
    pairing = pair([Entrant(1, 0, labels=frozenset({1, "a", None})), Entrant(2, 0)], Policy(), seed=1)
    assert pairing.pairs


@pytest.mark.parametrize("players", [400, 401])
def test_three_who_have_met_everybody_rematch_once_each_at_most(players):
    """Whoever has nobody left is known before anything is matched: the reduced graph stays small."""
    finished_tables = {0, 1, 2}
    entrants = [
        Entrant(i, i % 16, frozenset(set(range(players)) - {i} if i in finished_tables else finished_tables))
        for i in range(players)
    ]
    pairing = pair(entrants, Policy(), seed=1)
    assert line(pairing, "repeats").value == 2 - players % 2 and line(pairing, "repeats").optimal
    assert 0 < line(pairing, "repeats").proof.size < players / 2
    assert not [problem for problem in verify(entrants, pairing, Policy()) if problem.code != "repeat"]


def test_many_small_troubles_stay_apart():
    """A hundred troubles far from each other are a hundred intervals, and none makes another's graph larger."""
    entrants = []
    for trouble in range(100):
        points = [level for level in range(7) for _ in range(2 if level == 3 else 4)]
        first = len(entrants)
        pair_of_old_friends = {first + 12, first + 13}  # alone on their score, and they have met
        for i, level in enumerate(points, start=first):
            met = pair_of_old_friends - {i} if i in pair_of_old_friends else ()
            entrants.append(Entrant(i, 40 * trouble + level, frozenset(met)))
    few, many = (pair(entrants[: 26 * troubles], Policy(), seed=1) for troubles in (10, 100))
    assert line(few, "score_difference").value == 20 and line(many, "score_difference").value == 200
    sizes = [line(pairing, "repeats").proof.size for pairing in (few, many)]
    assert sizes[1] == 10 * sizes[0]
