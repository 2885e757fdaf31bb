"""The keys of the keypad, and short texts that say a slip: what is shown is what is sent."""

import pytest

from tournament.errors import Refused
from tournament.results.keypad import keypad_of
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import MatchRules, Slip
from tournament.rulesets import ScoreRules


def keys(rules: MatchRules) -> dict[str, str]:
    return {key.digit: key.slip for row in keypad_of(rules) for key in row if key.slip}


def test_the_keys_of_a_best_of_3_lie_as_the_players_sit():
    assert keys(MatchRules()) == {
        "1": "20", "2": "11", "3": "02",
        "4": "21", "5": "111", "6": "12",
        "7": "10", "8": "id", "9": "01",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (MatchRules(best_of=1), {"1": "10", "2": "001", "3": "01", "8": "id"}),
        (MatchRules(best_of=1, draws=False, intentional=False), {"1": "10", "3": "01"}),
        (
            MatchRules(best_of=3, draws=False, intentional=False),
            {"1": "20", "3": "02", "4": "21", "6": "12", "7": "10", "9": "01"},
        ),
        (MatchRules(best_of=5), {"1": "30", "4": "31", "7": "32", "3": "03", "6": "13", "9": "23", "2": "22",
                                 "5": "221", "8": "id"}),
        (MatchRules(best_of=2, order=True, intentional=False), {"1": "20", "2": "ab", "3": "02", "5": "ba",
                                                                  "7": "10", "9": "01"}),
    ],
)  # fmt: skip
def test_only_results_that_the_rules_allow_have_keys(rules, expected):
    assert keys(rules) == expected


def test_where_points_are_typed_there_are_no_keys():
    assert keypad_of(MatchRules(best_of=1, scores=ScoreRules(decides=True))) == []


@pytest.mark.parametrize(
    "text", ["21", "111", "10t", "id", "ll", "ns", "ns1", "ns2", "x21", "21x", "x11x", "xid", "ab", "001"]
)
def test_the_short_text_of_a_slip_reads_as_the_same_slip(text):
    rules = MatchRules(order=text == "ab")
    slip = parse_slip(text, rules)
    assert parse_slip(slip_shorthand(slip, rules), rules) == slip


@pytest.mark.parametrize("text", ["412 388", "350 350x", "id 5 5"])
def test_points_are_part_of_the_short_text(text):
    rules = MatchRules(best_of=1, scores=ScoreRules(decides=True))
    slip = parse_slip(text, rules)
    assert slip_shorthand(slip, rules) == text and parse_slip(text, rules) == slip


def test_a_slip_that_is_none_has_no_key():
    with pytest.raises(Refused):
        parse_slip("9z", MatchRules())
    assert Slip("played", 2, 2) not in [parse_slip(text) for text in keys(MatchRules()).values()]
