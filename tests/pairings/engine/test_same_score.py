"""ClineCON: "the same score as much as possible", read in two ways; every round of a small field is looked at.

Least squares is what the engine does. The other reading, most pairs of equal scores and then the smallest
differences, is computed here only: docs/rules.md shows where the two part.
"""

import pytest

from pairings.engine import Entrant, Policy, pair
from tests.pairings.engine.oracles import all_rounds

TWIXT = ("repeats", "score_difference", "not_same_side_all_rounds", "fold", "alternate_sides")


def all_differences(points: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The score differences of each way to pair everyone, largest first."""
    return {
        tuple(sorted((abs(points[a] - points[b]) for a, b in pairs), reverse=True))
        for pairs, _dummies in all_rounds(range(len(points)))
    }


def least_squares(differences: tuple[int, ...]) -> int:
    return sum(difference**2 for difference in differences)


def most_equal(differences: tuple[int, ...]) -> tuple[int, int]:
    return sum(difference > 0 for difference in differences), sum(differences)


def paired_differences(points: tuple[int, ...], seed: int) -> tuple[int, ...]:
    entrants = [Entrant(rank, score, seed_rank=rank) for rank, score in enumerate(points)]
    policy = Policy(within="fold", criteria=TWIXT, sides=True, round=3, planned_rounds=3)
    pairs = pair(entrants, policy, seed=seed).pairs
    return tuple(sorted((abs(points[a] - points[b]) for a, b in pairs), reverse=True))


def test_score_groups_of_3_6_and_3_players_are_paired_otherwise_by_either_reading():
    points = (2,) * 3 + (1,) * 6 + (0,) * 3
    rounds = all_differences(points)
    two_by_one, one_by_two = (1, 1, 0, 0, 0, 0), (2, 0, 0, 0, 0, 0)
    assert min(rounds, key=least_squares) == two_by_one  # 4 pairs of equal scores, no one 2 points apart
    assert min(rounds, key=most_equal) == one_by_two  # 5 pairs of equal scores, and first against last
    assert [least_squares(two_by_one), least_squares(one_by_two)] == [2, 4]
    assert {paired_differences(points, seed) for seed in range(20)} == {two_by_one}


@pytest.mark.parametrize(("top", "middle", "last"), [(2, 6, 2), (3, 5, 4), (4, 3, 3), (1, 4, 1), (2, 5, 3)])
def test_the_engine_has_the_least_squares_and_the_readings_agree_where_the_middle_is_odd(top, middle, last):
    points = (2,) * top + (1,) * middle + (0,) * last
    rounds = all_differences(points)
    best = min(map(least_squares, rounds))
    assert least_squares(paired_differences(points, seed=1)) == best
    agree = least_squares(min(rounds, key=most_equal)) == best
    assert agree == (top % 2 == 0 or middle % 2 == 1)
