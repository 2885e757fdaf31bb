from fractions import Fraction

from pairings.engine import Change
from pairings.words.reasons import forfeits_words, meetings_words, new_pair_downs_words, solved_words


def test_costs_pair_downs_and_meetings_are_told_apart():
    changes = (Change("repeats", 0, 1), Change("score_difference", 9, 4))
    assert solved_words("worse", "Ada", "Bo", changes, 1) == (
        "Ada vs. Bo would cost: 1 rematch. It would save: 5 points of squared score difference."
    )
    assert solved_words("better", "Ada", "", (Change("second_bye", 1, 0),), 1) == (
        "A bye for Ada would be better. It would save: 1 second bye."
    )
    assert solved_words("equal", "Ada", "Bo", (), 1) == (
        "Ada vs. Bo would be equally good. The choice was random."
    )
    pairs = [(Fraction(5, 2), Fraction(2))] * 5
    assert new_pair_downs_words(pairs[:1]) == "New pair-downs: 2.5 vs. 2."
    assert new_pair_downs_words(pairs).endswith("2.5 vs. 2 and 1 more.") and new_pair_downs_words([]) == ""
    assert meetings_words([1, 3], bye=False) == "They played each other in round 1 and 3."
    assert meetings_words([], bye=True) == "No earlier bye."


def test_of_forfeits_it_says_whether_they_are_meetings():
    no_meeting = {"pairing": {"forfeits_are_meetings": False}}
    assert forfeits_words([3], no_meeting) == (
        "They were paired in round 3, but it was a forfeit, which is no meeting under this ruleset."
    )
    assert forfeits_words([1, 3], {}) == (
        "They were paired in rounds 1 and 3, but all were forfeits, which are meetings under this ruleset."
    )
    assert forfeits_words([], no_meeting) == ""
