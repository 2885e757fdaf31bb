"""How long rounds took, and when by that pace the open one is over: plain values, by hand."""

import datetime as dt

from tournament.progress.pace import (
    MINUTE,
    Estimate,
    RoundLength,
    RoundTimes,
    estimate,
    lengths_of,
    usual_gap,
    whole_minutes,
)

NOON = dt.datetime(2026, 11, 27, 12, 0, tzinfo=dt.UTC)


def at(minutes):
    return NOON + minutes * MINUTE


def round_(number, published, starts, ends, *entered, tables=None):
    moments = [None if minutes is None else at(minutes) for minutes in (published, starts, ends)]
    return RoundTimes(number, tables or len(entered), *moments, tuple(map(at, entered)))


FIRST = round_(1, -5, 0, 50, 20, 44, 59)
SECOND = round_(2, 67, 72, 122, 100, 110)
THIRD = round_(3, 113, 118, 168, 140, tables=2)
LENGTHS = [RoundLength(1, 50, 9, 8, 5), RoundLength(2, 38, 0, 3, 5)]


def test_the_parts_of_a_round_go_from_its_start_to_the_next():
    assert lengths_of([FIRST, SECOND, THIRD]) == LENGTHS
    assert [length.total for length in LENGTHS] == [72, 46]
    assert lengths_of([FIRST])[0] == RoundLength(1, 50, 9, None, None)


def test_a_round_without_clock_was_played_until_its_last_result():
    assert lengths_of([round_(1, 0, 0, None, 30, 40)])[0] == RoundLength(1, 40, None, None, None)


def test_a_round_whose_log_misses_results_has_no_length():
    assert lengths_of([round_(1, 0, 0, 50, 30, tables=2), round_(2, 60, 60, 110, tables=2)]) == []


def test_the_last_deadline_and_the_least_and_most_that_earlier_rounds_took_make_the_span():
    expected = estimate(THIRD, at(178), LENGTHS, at(150))
    assert expected == Estimate((at(178), at(187)), (at(178 + 8), at(187 + 13)))
    late = estimate(THIRD, at(178), LENGTHS, at(180))  # results cannot come in before now
    assert late == Estimate((at(180), at(187)), (at(188), at(200)))


def test_once_all_results_are_in_only_the_way_to_the_next_start_is_left():
    assert estimate(SECOND, None, LENGTHS[:1], at(112)).starts == (at(123), at(123))
    assert estimate(SECOND, None, LENGTHS[:1], at(130)) == Estimate((at(110), at(110)))


def test_what_is_not_known_is_not_claimed():
    assert estimate(THIRD, None, [], at(150)) == Estimate()
    assert estimate(THIRD, at(168), [], at(150)) == Estimate((at(168), at(168)))
    assert estimate(THIRD, at(168), LENGTHS, at(178)) == Estimate()  # longer past time than ever before
    no_clock = THIRD._replace(ends=None)
    assert estimate(no_clock, None, LENGTHS, at(150)).results == (at(118 + 38), at(118 + 50))


def test_the_usual_gap_is_the_mean_from_time_to_the_next_start():
    assert usual_gap(LENGTHS) == 15  # of 22 and 8
    assert usual_gap([RoundLength(1, 50, 9, None, None)]) is None
    assert [whole_minutes(at(minutes), NOON) for minutes in (-1, 0, 0.2, 7.5)] == [0, 0, 1, 8]
