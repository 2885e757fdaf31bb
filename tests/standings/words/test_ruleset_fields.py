import pytest

from standings.words.rules import change_in_words, faults_in_words
from tournament.services.rulesets import FaultyRules


def test_a_fault_names_its_field_and_where_it_stands_in_the_file():
    faults = [
        ("match_points.win", "a number"),
        ("tiebreaks[3].params.floor", "from 0 to 1"),
        ("by_age", "unknown field"),
        ("", "no ruleset"),
    ]
    assert faults_in_words(FaultyRules(faults)) == [
        "Match points for a win (match_points.win): a number",
        "Standings order (tiebreaks[3].params.floor): from 0 to 1",
        "by_age: unknown field",
        "no ruleset",
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [("33/100", "33%"), ("0.25", "25%"), ("1/3", "1/3"), ("0.3333", "33.33%"), ("0", "0%"), ("1", "100%"),
     ("a third", "a third"), (None, "none")],
)  # fmt: skip
def test_a_share_reads_as_the_percentage_that_it_is(value, words):
    assert change_in_words("percentages.match_floor", "0.3", value)[1:3] == (words, "30%")
