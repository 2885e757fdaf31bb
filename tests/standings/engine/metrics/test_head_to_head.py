from fractions import Fraction as F

import pytest

from standings.engine import UnknownMetric, explain, rank, steps_of
from standings.engine.metrics.head_to_head import head_to_head
from tests.standings.engine.builders import field_of, played
from tournament.rulesets import resolve

WON, LOST, DRAWN = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def meetings(*lines, preset="ffg"):
    """A field of one match a round."""
    return field_of(*([played(a, b, score)] for a, b, score in lines), preset=preset)


def won(*pairs):
    return [(pair[0], pair[1], WON) for pair in pairs]


FOUR = [*won("AB", "BC", "CA", "AD", "BD", "CD"), ("A", "D", LOST), ("B", "D", DRAWN)]


@pytest.mark.parametrize(
    ("mode", "lines", "expected"),
    [
        ("two_only", won("AB", "BC", "AC"), ["A", "B"]),  # of A and B
        ("two_only", won("AB", "BC", "AC"), ["ABC"]),
        ("two_only", won("AC", "BD"), ["AB"]),  # they never met
        ("two_only", won("AB", "BA"), ["AB"]),  # all their meetings count
        ("two_only", [("A", "B", WON), ("B", "A", DRAWN)], ["A", "B"]),
        # A beat everybody; of B, C and D nobody did, B and D never met.
        ("beat_all", won("AB", "AC", "AD", "BC", "DC"), ["A", "BCD"]),
        ("beat_all", won("AB", "AC", "BA"), ["ABC"]),  # A lost to B, too
        # A 2, B 2½, C 2, D 1½. A and C start again: C beat A.
        ("minileague", FOUR, ["B", "C", "A", "D"]),
        ("minileague", won("AB", "BC"), ["ABC"]),  # A and C have not met
        ("plus_minus", [("A", "B", WON), ("A", "C", LOST), ("C", "D", LOST), ("B", "D", WON)], ["ABCD"]),
        # A +1, E +1, B 0, C −1, D −1; E beat A, but the rule does not start again.
        ("plus_minus", won("AB", "AC", "BD", "EA"), ["AE", "B", "CD"]),
        # B, C: at most ½ + 1 against D; D at most 2; A has 3. Then B, C and D: D at most 2.
        ("fide", [*won("AB", "AC", "AD"), ("B", "C", DRAWN)], ["A", "BCD"]),
        ("fide", [("A", "B", WON), ("A", "C", DRAWN)], ["ABC"]),  # C can still have as much as A
    ],
)
def test_a_tied_group_is_split_as_the_rule_says(mode, lines, expected):
    group = sorted("".join(expected), reverse=True)
    parts = head_to_head(meetings(*lines, preset="fide"), group, mode=mode)
    assert ["".join(sorted(part)) for part in parts] == expected


def test_a_forfeit_is_no_meeting_and_meetings_may_count_in_victory_points():
    field = field_of([("A", "B", "forfeit", WON, "a")], preset="fide")
    for mode in ("two_only", "beat_all", "minileague", "plus_minus", "fide"):
        assert head_to_head(field, ["A", "B"], mode=mode) == [["A", "B"]], mode

    def line(a, b, mine, theirs):
        return (a, b, "played", WON if mine > theirs else LOST, None, None, (F(mine), F(theirs)))

    field = field_of([line("A", "B", 11, 9)], [line("B", "C", 18, 2)], [line("C", "A", 12, 8)],
                     preset="bridge_swiss_teams")  # fmt: skip
    params = {"mode": "minileague", "on": "victory_points"}
    assert head_to_head(field, list("ABC"), **params) == [["B"], ["A"], ["C"]]
    assert head_to_head(field, list("ABC"), mode="minileague") == [["A", "B", "C"]]


CHAIN = [
    {"metric": "match_points"},
    {"metric": "head_to_head", "params": {"mode": "two_only"}},
    {"metric": "rating"},
]


def test_in_a_chain_it_orders_the_group_that_is_tied_so_far():
    """A, B, C, D have one win each. By rating A and B stay together, C and D too: then it decides."""
    lines = (("A", "B", WON), ("C", "D", WON), ("B", "E", WON), ("D", "F", WON))
    field = meetings(*lines)
    for entry, rating in zip("ABCD", (9, 9, 5, 5), strict=True):
        field.records[entry].rating = rating
    chain = [CHAIN[0], CHAIN[1], CHAIN[2], CHAIN[1]]
    ranking = rank(field.records, resolve("ffg"), chain=steps_of(chain))
    assert ranking.order[:4] == ["A", "B", "C", "D"]
    assert [ranking.row(e).rank for e in "ABCD"] == [1, 2, 3, 4]
    assert [ranking.row(e).decided_by for e in "ABCD"] == [None, "head_to_head", "rating", "head_to_head"]
    # Four were tied at the first one, which is silent; two at the second.
    assert [ranking.row(e).values[1] for e in "ABCD"] == [1, 1, 1, 1]
    assert [ranking.row(e).values[3] for e in "ABCD"] == [1, 2, 1, 2]
    explanation = explain(ranking, "B", 3)
    assert explanation.result == 2 and [line.opponent for line in explanation.lines] == ["A"]


def test_its_values_agree_with_the_order_and_nobody_has_one_alone():
    field = meetings(("A", "B", WON), ("B", "C", WON), ("C", "A", WON), ("A", "D", WON), ("B", "D", WON))
    ranking = rank(field.records, resolve("ffg"), chain=steps_of([*CHAIN, {"metric": "random"}]))
    keys = [(-row.values[0], row.values[1], -row.values[2], row.values[3]) for row in ranking]
    assert keys == sorted(keys)
    with pytest.raises(UnknownMetric, match="tied groups"):
        meetings(("A", "B", WON)).value("head_to_head", "A")


@pytest.mark.parametrize("params", [{"mode": "by_age"}, {"on": "hair"}, {"until": 3}])
def test_what_is_unknown_is_named(params):
    field = meetings(("A", "B", WON))
    chain = steps_of([{"metric": "head_to_head", "params": params}])
    with pytest.raises(UnknownMetric, match=str(next(iter(params)))):
        rank(field.records, resolve("ffg"), chain=chain)
