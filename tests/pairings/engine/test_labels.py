import random

import pytest

from pairings.engine.pair import pair
from pairings.engine.types import Entrant, Policy, Proof, Reason
from pairings.engine.verify import verify
from tests.pairings.engine.oracles import all_rounds, meetings

APART = Policy(labels_apart_until_round=3)
PLAIN = Policy(labels_apart_until_round=3, criteria=("repeats", "bye", "score_difference"))


def line(pairing, criterion):
    return next(line for line in pairing.certificate if line.criterion == criterion)


def club_field(seed, size, clubs):
    dice = random.Random(seed)
    met = meetings(size, lambda a, b: dice.random() < 0.2)
    return [
        Entrant(i, dice.randint(0, 2), frozenset(met[i]), labels=frozenset({f"club {dice.randrange(clubs)}"}))
        for i in range(size)
    ]


def key(pairs):
    return (
        sum(b.id in a.opponents for a, b in pairs),
        sum((a.points - b.points) ** 2 for a, b in pairs),
        sum(bool(a.labels & b.labels) for a, b in pairs),
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_round_keeps_more_apart_at_the_same_cost(seed):
    entrants = club_field(seed, random.Random(seed).choice([4, 6, 8]), 3)
    pairing = pair(entrants, PLAIN, seed=seed)
    mine = key([(entrants[a], entrants[b]) for a, b in pairing.pairs])
    assert mine == min(key(pairs) for pairs, _alone in all_rounds(entrants))
    assert (line(pairing, "labels_apart").value, line(pairing, "labels_apart").optimal) == (mine[2], True)


def test_large_fields_are_kept_apart_and_proved_where_none_is_left_together():
    entrants = [Entrant(i, 3 * (i % 5), labels=frozenset({f"club {i % 7}"})) for i in range(2000)]
    pairing = pair(entrants, APART, seed=1)
    assert (line(pairing, "labels_apart").value, line(pairing, "labels_apart").proof) == (0, Proof("bound"))
    assert line(pairing, "score_difference").value == 0


@pytest.mark.long
def test_what_is_not_proved_is_not_called_best():
    one_club = [Entrant(i, 0, labels=frozenset({"club"})) for i in range(500)]
    criterion = line(pair(one_club, APART, seed=1), "labels_apart")
    assert (criterion.value, criterion.bound, criterion.optimal, criterion.proof) == (
        250,
        0,
        False,
        Proof("none"),
    )


def test_who_could_not_be_kept_apart_is_told_why():
    entrants = [Entrant(i, 0, labels=frozenset({"Oslo"})) for i in (0, 1, 2)] + [Entrant(3, 0)]
    pairing = pair(entrants, APART, seed=1)
    same = Reason("same_label", {"labels": ("Oslo",), "proven": 1})
    assert (
        sum(same in reasons for reasons in pairing.reasons.values()) == 2
        and line(pairing, "labels_apart").value == 1
    )


def test_the_wish_ends_with_its_last_round():
    entrants = club_field(1, 8, 2)
    late = pair(entrants, Policy(labels_apart_until_round=3, round=4), seed=1)
    assert late.pairs == pair(entrants, Policy(round=4), seed=1).pairs
    assert not any(line.criterion == "labels_apart" for line in late.certificate)


def test_labels_before_the_score_differences_are_obeyed_in_large_fields_too_and_not_called_proved():
    order = ("repeats", "bye", "labels_apart", "score_difference")
    policy = Policy(labels_apart_until_round=3, criteria=order)
    entrants = [Entrant(i, i % 5, labels=frozenset({f"club {i % 40}"})) for i in range(1201)]
    pairing = pair(entrants, policy, seed=1)
    assert verify(entrants, pairing, policy) == []
    assert line(pairing, "labels_apart").value == 0 and line(pairing, "labels_apart").optimal
    assert (
        line(pairing, "score_difference").proof == Proof("none")
        or not line(pairing, "score_difference").value
    )
