from dataclasses import replace

import pytest

from pairings.engine import Entrant, NoPairing, Policy, Problem, pair, verify
from pairings.words.reasons import no_pairing_words, problem_words, too_many_rounds_words

NAMES = {1: "Ann", 2: "Bo"}


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("doubled", (1,), {"count": 2}), "Ann is seated 2 times"),
        (Problem("repeat", (1, 3), {"waived": 1}, "notice"), "Ann and 3 have already played (waived)"),
        (Problem("first", (), {"untracked": 1}), "this ruleset does not track who moves first"),
        (
            Problem("avoidable score_difference", (), {"value": (9, 0), "best": (4, 0)}),
            "sum of squared score differences: [9, 0], where [4, 0] was possible",
        ),
    ],
)
def test_problems_are_said_by_name(problem, text):
    assert problem_words(problem, NAMES) == text


def test_every_problem_of_the_engine_has_words():
    entrants = [Entrant(0, 3, byes=1), Entrant(1, 0, frozenset({2})), Entrant(2, 0, frozenset({1}))]
    houses = [Entrant(1, 0, house=True), Entrant(2, 0, house=True), Entrant(0, 0)]
    good = pair(entrants, Policy(), seed=1)
    for field in (entrants, houses, [*entrants, entrants[0]], entrants[1:]):
        for pairs in (((1, 2),), ((1, 1),), ((0, 1, 2),), ((9, 1),), ()):
            for bye in (None, 0, 1):
                for first in ((), ("a",)):
                    round_ = replace(good, pairs=pairs, bye=bye, first=first)
                    for policy in (Policy(), Policy(sides=True)):
                        for problem in verify(field, round_, policy, forbidden=[(1, 2)]):
                            assert problem_words(problem, {}).strip()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (
            NoPairing("no_opponent", (1, 2), rematches=False),
            "Without rematches or do-not-pair conflicts, no opponent is left for: Ann, Bo.",
        ),
        (
            NoPairing("left_over", range(2, 12)),
            "With the do-not-pair list, at least 1 player is left without an opponent, "
            "for example: Bo, 3, 4, 5, 6, 7, 8, 9 and 2 more.",
        ),
        (
            NoPairing("too_many_groups"),
            "There are too many score groups to find the smallest score differences from the top down. "
            "In the ruleset, choose the smallest sum of them instead.",
        ),
        (NoPairing("left_over"), "With the do-not-pair list, at least 1 player is left without an opponent."),
    ],
)
def test_why_there_is_no_round_is_said_by_name(error, text):
    assert no_pairing_words(error, NAMES) == text


def test_rounds_that_cannot_be_played_are_said():
    assert too_many_rounds_words(6, 6) == "6 players cannot play 6 rounds without rematches. The most is 5."
    assert too_many_rounds_words(6, 5) == ""
    assert too_many_rounds_words(1, 1) == too_many_rounds_words(0, 3) == "A round needs at least 2 players."
    assert too_many_rounds_words(2, 2) == "2 players cannot play 2 rounds without rematches. The most is 1."
