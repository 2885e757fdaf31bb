"""FIDE's rules by year: the virtual opponent of 2009, where a tail of byes ends, and bugs planted in both."""

from fractions import Fraction as F

import pytest

from standings.engine.metrics import sonneborn, unplayed
from standings.engine.metrics.terms import Term
from tests.standings.engine import naive_metrics
from tests.standings.engine.builders import alone, field_of, played
from tests.standings.engine.metrics.test_against_naive import field_of as field_of_event
from tests.standings.engine.metrics.test_against_naive import other_events
from tests.standings.engine.search import holds_for_any

WON, LOST, DRAWN = (1, 0, 0), (0, 1, 0), (0, 0, 1)
OLD = {"version": 2009}


def chess(*rounds):
    return field_of(*rounds, preset="fide")


@pytest.mark.parametrize(
    ("before", "own", "after", "at_the_end"),
    [
        ([WON, DRAWN], (LOST, "b"), F(5, 2), F(11, 2)),  # no-show in round 3 of 9, 1½ points before it
        (
            [WON, WON, WON, DRAWN, LOST],
            (WON, "a"),
            F(7, 2),
            5,
        ),  # the opponent's in round 6, 3½ points before it
    ],
)
def test_fides_own_examples_of_a_virtual_opponents_score(before, own, after, at_the_end):
    rounds = [[played("P", "Q", games)] for games in before] + [[("P", "Q", "forfeit", *own)]]
    for later, expected in ((0, after), (8 - len(before), at_the_end)):
        field = chess(*rounds, *[[played("P", "Q", WON)]] * later)
        line = field.records["P"].rounds[len(before)]
        assert unplayed.virtual_score(field, "P", line) == expected


def test_rounds_after_a_withdrawal_are_unplayed_rounds_too():
    """B left after round 1 and C came for round 2, without a record of the others."""
    field = chess([played("A", "B", LOST)], [played("A", "C", DRAWN)], [alone("A", "bye", "fide")])
    assert field.value("adjusted_score", "B", OLD) == 1 + F(1, 2) * 2
    assert field.value("adjusted_score", "C", OLD) == F(1, 2) * 3
    assert field.value("buchholz", "A", OLD) == 2 + F(3, 2) + F(1, 2)  # before its bye A had ½
    # B's own rounds 2 and 3: 1 + 1 + ½, then 1 + 1; A has 0 + ½ and a draw for the bye.
    assert field.value("buchholz", "B", OLD) == F(5, 2) + 2 + 1
    assert field.value("sonneborn_berger", "B", OLD) == (F(5, 2) + 2) / 2 + 1


def test_the_old_rules_cut_the_lowest_score_even_if_another_round_was_left_unplayed():
    field = chess(
        [played("A", "B", WON), played("C", "D", WON)],
        [alone("A", "half_bye", "fide"), played("C", "B", WON)],
    )
    assert field.value("buchholz", "A", OLD) == 0 + F(3, 2)
    assert field.value("buchholz", "A", {**OLD, "cut_low": 1}) == F(3, 2)
    assert field.value("buchholz", "A", {"cut_low": 1}) == 0  # since 2023 the bye goes first


def test_in_round_robins_forfeits_are_games_in_the_old_rules_too():
    field = chess([("A", "B", "forfeit", WON, "a")], [played("A", "C", DRAWN)])
    assert field.value("buchholz", "A", {**OLD, "forfeits_as_played": True}) == F(1, 2) + 1
    assert field.value("adjusted_score", "B", {**OLD, "forfeits_as_played": True}) == 0 + F(1, 2)


def test_a_tail_of_requested_byes_may_end_at_a_forfeit_loss():
    """B: a game, a half bye, a forfeit loss, a zero bye."""
    field = chess(
        [played("A", "B", WON)],
        [alone("B", "half_bye", "fide")],
        [("A", "B", "forfeit", WON, "a")],
        [alone("B", "zero_bye", "fide")],
    )
    field.scoring._kinds["half"] = 0  # a half-point bye that is worth nothing shows where the tail ends
    assert field.value("adjusted_score", "B") == F(1, 2) + 0 + F(1, 2)
    assert field.value("adjusted_score", "B", {"forfeit_ends_byes": True}) == 0 + 0 + F(1, 2)


def a_virtual_opponent_that_stands_still(monkeypatch):
    right = unplayed.virtual_score
    monkeypatch.setattr(
        unplayed,
        "virtual_score",
        lambda field, entry, line: right(field, entry, line) - (field.rounds > line.number),
    )


def scores_as_they_are(monkeypatch):
    monkeypatch.setattr(unplayed.UnplayedRules, "played", unplayed.PLAYED | {"bye"})


def own_result_against_the_virtual_opponent(monkeypatch):
    monkeypatch.setattr(sonneborn, "VIRTUAL", "nobody")


def rounds_without_a_record_left_out(monkeypatch):
    monkeypatch.setattr(
        unplayed.UnplayedRules, "rounds", lambda rules, field, entry: field.records[entry].rounds
    )


def byes_cut_first(monkeypatch):
    right = unplayed.opponent_score

    def wrong(field, entry, line, scores, rules):
        term: Term = right(field, entry, line, scores, rules)
        return term._replace(voluntary=line.kind in unplayed.VOLUNTARY)

    monkeypatch.setattr(unplayed, "opponent_score", wrong)


def readings_differ(example) -> bool:
    """Whether Buchholz cut 1 or Sonneborn-Berger of 2009 differ from the second reading for anybody."""
    field = field_of_event(example)
    return any(
        field.value("buchholz", me, {**OLD, "cut_low": 1}) != naive_metrics.buchholz(example, me, 1, 2009)
        or field.value("sonneborn_berger", me, OLD) != naive_metrics.sonneborn(example, me, 0, 2009)
        for me in field.records
    )


def test_without_a_planted_bug_nothing_is_noticed():
    assert not holds_for_any(other_events(), readings_differ, most=50)


@pytest.mark.parametrize(
    "plant",
    [
        a_virtual_opponent_that_stands_still,
        scores_as_they_are,
        own_result_against_the_virtual_opponent,
        rounds_without_a_record_left_out,
        byes_cut_first,
    ],
)
def test_a_planted_bug_is_noticed(monkeypatch, plant):
    plant(monkeypatch)
    assert holds_for_any(other_events(), readings_differ)


def a_tail_that_goes_on(monkeypatch):
    monkeypatch.setattr(unplayed, "FORFEIT_KINDS", frozenset())


def test_a_tail_of_byes_that_goes_past_a_forfeit_loss_is_noticed(monkeypatch):
    def tails_differ(example):
        field, vega = field_of_event(example), {"forfeit_ends_byes": True}
        return any(
            field.value("adjusted_score", me, vega) != naive_metrics.adjusted(example, me, vega=True)
            for me in field.records
        )

    assert not holds_for_any(other_events(), tails_differ, most=50)
    a_tail_that_goes_on(monkeypatch)
    assert holds_for_any(other_events(), tails_differ)
