"""Nine bugs planted in the engine, one after the other: the second reading of the rules notices each.

Each is planted where the engine really decides the matter, for one entry and for all at once alike; taken out
again, both readings agree on the same events.
"""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from standings.engine.metrics import head_to_head, percentages
from standings.engine.ranking import chain, rank
from standings.engine.records import RoundRecord
from standings.event import records as event_records
from standings.event.swiss import standings_of
from tests.standings.engine import naive, naive_metrics
from tests.standings.engine.builders import event, match
from tests.standings.engine.metrics.test_against_naive import field_of, leagues
from tests.standings.engine.search import holds_for_any
from tests.standings.engine.test_against_naive import small_events


def readings_differ(played) -> bool:
    """Whether values or order differ from the second reading, in one of the six rulesets it knows."""
    ours = standings_of(played)
    expected = {entry: naive.values(played, entry) for entry in played.entries}
    order = sorted(expected, key=lambda e: (*(-v for v in expected[e][:-1]), expected[e][-1]))
    return {row.entry: row.values for row in ours} != expected or ours.order != order


def heads_differ(played, mode) -> bool:
    """Whether head-to-head orders all the entries in another way than the second reading."""
    names = sorted(played.entries)
    ours = head_to_head.head_to_head(field_of(played), names, mode=mode)
    return ours != naive_metrics.head_to_head(played, names, mode)


def a_third_for_0_33(monkeypatch):
    right = percentages.correct_share

    def wrong(part, whole, left, floor=None, **more):
        return right(part, whole, left, F(1, 3) if floor == F(33, 100) else floor, **more)

    monkeypatch.setattr(percentages, "correct_share", wrong)


def byes_as_opponents(monkeypatch):
    monkeypatch.setattr(percentages, "_bye_terms", lambda line, bye: [percentages.Term(line, 0)])


def params_changed(monkeypatch, change):
    right = chain._defaults
    monkeypatch.setattr(chain, "_defaults", lambda key, profile: change(key, dict(right(key, profile))))


def own_percentage_unfloored(monkeypatch):
    params_changed(
        monkeypatch,
        lambda key, params: {n: v for n, v in params.items() if key != "game_win_pct" or n != "floor"},
    )


def opponents_byes_counted(monkeypatch):
    params_changed(
        monkeypatch,
        lambda key, params: {**params, "include_byes": True} if key.startswith("opp_") else params,
    )


def missed_rounds_counted(monkeypatch):
    params_changed(monkeypatch, lambda key, params: params | {"count_missed_rounds": True} if "floor" in params
                   and "match_win" in key else params)  # fmt: skip


def ascending_as_descending(monkeypatch):
    right = chain._step
    monkeypatch.setattr(chain, "_step", lambda *told: replace(right(*told), ascending=False))


def denominators_go_on(monkeypatch):
    """Who was not there in a round after the last own one is counted as having lost it."""
    right = event_records.tally

    def wrong(rounds, entries=(), games_to_win=None):
        rounds = list(rounds)
        records = right(rounds, entries, games_to_win)
        for record in records.values():
            last = record.rounds[-1].number if record.rounds else 0
            later = [number for number, _ in rounds if number > last]
            record.rounds += [RoundRecord(n, "missed", None, "L", (0, 0, 0)) for n in later]
        return records

    monkeypatch.setattr(event_records, "tally", wrong)


@pytest.mark.parametrize(
    "plant",
    [
        a_third_for_0_33,
        byes_as_opponents,
        own_percentage_unfloored,
        opponents_byes_counted,
        missed_rounds_counted,
        ascending_as_descending,
        denominators_go_on,
    ],
)
def test_a_planted_bug_is_noticed(monkeypatch, plant):
    plant(monkeypatch)
    assert holds_for_any(small_events(), readings_differ)


def test_without_a_planted_bug_nothing_is_noticed():
    assert not holds_for_any(small_events(), readings_differ, most=50)


@pytest.mark.parametrize("mode", ["minileague", "beat_all", "fide"])
def test_a_head_to_head_that_does_not_start_again_is_noticed(monkeypatch, mode):
    assert not holds_for_any(leagues(), lambda played: heads_differ(played, mode), most=20)
    monkeypatch.setattr(
        head_to_head,
        "_order",
        lambda field, group, mode, on, splits: head_to_head.MODES[mode](
            head_to_head._table(field, group, on)
        ),
    )
    assert holds_for_any(leagues(), lambda played: heads_differ(played, mode))


def close_call():
    """B has 1/3 from opponents, A 0.33: less than half a percent apart; by games A would stand above B."""
    return event(
        [match("A", "b", games=(2, 0, 0)), match("B", "a", games=(2, 1, 0))],
        [match("a", "p", games="W"), match("b", "q", games="L")],
        [match("a", "r", games="L"), match("b", "s", games="L")],
        preset="dci1999",
    )


def test_rounding_before_comparing_is_noticed(monkeypatch):
    assert not readings_differ(close_call())
    ranked = standings_of(close_call())
    assert ranked.row("B").values[1] - ranked.row("A").values[1] == F(1, 300)
    assert [entry for entry in ranked.order if entry in "AB"] == ["B", "A"]
    right = rank.Board.comparison

    def wrong(board, i):
        exact, whole = right(board, i), scale_of(board, i)
        return lambda entry: percentages.round_half_up(F(exact(entry), whole), 2)

    monkeypatch.setattr(rank.Board, "comparison", wrong)
    assert readings_differ(close_call())


def scale_of(board, i):
    """The denominator of the numbers a step compares."""
    entry = next(iter(board.views))
    step = board.steps[i]
    return board.views[entry].then.column(step.key, step.params).comparison[1]
