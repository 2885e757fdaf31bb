"""Head-to-head in its five semantics, inside a chain, and restarted after each split."""

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


def test_two_only_is_silent_for_three_and_for_those_who_never_met():
    field = meetings(("A", "B", WON), ("B", "C", WON), ("A", "C", WON))
    assert head_to_head(field, ["B", "A"], mode="two_only") == [["A"], ["B"]]
    assert head_to_head(field, list("CBA"), mode="two_only") == [["A", "B", "C"]]
    assert head_to_head(meetings(("A", "C", WON), ("B", "D", WON)), ["A", "B"], mode="two_only") == [
        ["A", "B"]
    ]


def test_two_only_counts_all_their_meetings():
    field = meetings(("A", "B", WON), ("B", "A", WON))
    assert head_to_head(field, ["A", "B"], mode="two_only") == [["A", "B"]]
    field = meetings(("A", "B", WON), ("B", "A", DRAWN), preset="fide")
    assert head_to_head(field, ["A", "B"], mode="two_only") == [["A"], ["B"]]


def test_beat_all_takes_one_after_the_other():
    field = meetings(("A", "B", WON), ("A", "C", WON), ("A", "D", WON), ("B", "C", WON), ("D", "C", WON))
    # A beat everybody; of B, C and D nobody did, B and D never met.
    assert head_to_head(field, list("DCBA"), mode="beat_all") == [["A"], ["B", "C", "D"]]
    lost_too = meetings(("A", "B", WON), ("A", "C", WON), ("B", "A", WON))
    assert head_to_head(lost_too, list("ABC"), mode="beat_all") == [["A", "B", "C"]]


def test_minileague_starts_again_inside_each_smaller_part():
    """A, B, C have 2 each inside the four; D none. Among A, B, C only, the one draw tells."""
    field = meetings(
        ("A", "B", WON), ("B", "C", WON), ("C", "A", WON), ("A", "D", WON), ("B", "D", WON), ("C", "D", WON),
        ("A", "D", LOST), ("B", "D", DRAWN), preset="fide",
    )  # fmt: skip
    # Of the four: A 2, B 2½, C 2, D 1½. A and C start again: C beat A.
    assert head_to_head(field, list("ABCD"), mode="minileague") == [["B"], ["C"], ["A"], ["D"]]
    missing = meetings(("A", "B", WON), ("B", "C", WON))
    assert head_to_head(missing, list("ABC"), mode="minileague") == [["A", "B", "C"]]


def test_plus_minus_ranks_once_and_allows_gaps():
    field = meetings(("A", "B", WON), ("A", "C", LOST), ("C", "D", LOST), ("B", "D", WON), preset="uscf")
    # A 0, B 0, C 0, D 0 …
    assert head_to_head(field, list("ABCD"), mode="plus_minus") == [["A", "B", "C", "D"]]
    field = meetings(("A", "B", WON), ("A", "C", WON), ("B", "D", WON), ("E", "A", WON), preset="uscf")
    # A +1, E +1, B 0, C −1, D −1; E beat A, but the rule does not start again.
    assert head_to_head(field, list("ABCDE"), mode="plus_minus") == [["A", "E"], ["B"], ["C", "D"]]


def test_fide_lifts_out_only_who_is_first_whatever_the_missing_games_bring():
    field = meetings(("A", "B", WON), ("A", "C", WON), ("A", "D", WON), ("B", "C", DRAWN), preset="fide")
    # B, C: at most ½ + 1 against D; D at most 2; A has 3. Then B, C and D: D at most 2.
    assert head_to_head(field, list("ABCD"), mode="fide") == [["A"], ["B", "C", "D"]]


def test_a_forfeit_is_no_meeting():
    field = field_of([("A", "B", "forfeit", WON, "a")], preset="fide")
    for mode in ("two_only", "beat_all", "minileague", "plus_minus", "fide"):
        assert head_to_head(field, ["A", "B"], mode=mode) == [["A", "B"]], mode


def test_meetings_may_be_counted_in_victory_points():
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


def test_its_values_agree_with_the_order():
    field = meetings(("A", "B", WON), ("B", "C", WON), ("C", "A", WON), ("A", "D", WON), ("B", "D", WON))
    ranking = rank(field.records, resolve("ffg"), chain=steps_of([*CHAIN, {"metric": "random"}]))
    keys = [(-row.values[0], row.values[1], -row.values[2], row.values[3]) for row in ranking]
    assert keys == sorted(keys)


@pytest.mark.parametrize("params", [{"mode": "by_age"}, {"on": "hair"}, {"until": 3}])
def test_what_is_unknown_is_named(params):
    field = meetings(("A", "B", WON))
    chain = steps_of([{"metric": "head_to_head", "params": params}])
    with pytest.raises(UnknownMetric, match=str(next(iter(params)))):
        rank(field.records, resolve("ffg"), chain=chain)


def test_nobody_has_a_value_of_it_alone():
    with pytest.raises(UnknownMetric, match="tied groups"):
        meetings(("A", "B", WON)).value("head_to_head", "A")
