"""Faults in a publisher's file: fields by their names, beside the paths that the file has."""

from standings.words.ruleset_fields import faults_in_words
from tournament.services.rulebooks import FaultyRules


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
