"""From values to places: ticks, lines and bars, by hand."""

import datetime as dt

from tournament.web.charts import Bar, count_ticks, percent, points, stacked, steps, time_ticks


def test_a_line_of_entered_tables_goes_from_nothing_to_the_top():
    assert points([(0, 0), (0.5, 1)]) == "0.0,1000.0 500.0,0.0"
    assert steps([10, 20], 2, 40) == "0.0,1000.0 250.0,500.0 500.0,0.0"
    assert steps([], 0, 40) == steps([5], 1, 0) == ""


def test_ticks_are_round_times_of_day_and_whole_counts():
    start = dt.datetime(2026, 11, 27, 13, 46, tzinfo=dt.UTC)
    ticks = time_ticks(start, 62)
    assert [(minutes, f"{at:%H:%M}") for minutes, at in ticks] == [
        (14, "14:00"), (29, "14:15"), (44, "14:30"), (59, "14:45"),
    ]  # fmt: skip
    assert all(1 <= len(time_ticks(start, minutes)) <= 7 for minutes in (10, 45, 90, 300, 3000))
    assert count_ticks(32) == [0, 8, 16, 24, 32] and count_ticks(1) == [0, 1] and count_ticks(0) == [0]
    assert all(
        count_ticks(n)[-1] == n and len(set(count_ticks(n))) == len(count_ticks(n)) for n in range(1, 80)
    )


def test_a_bar_leaves_out_what_took_no_time():
    assert stacked([("playing", 50), ("after", 0), ("pairing", 25)], 100) == [
        Bar("playing", "0.00%", "50.00%", "25.00%", "50"),
        Bar("pairing", "50.00%", "25.00%", "62.50%", "25"),
    ]
    assert percent(1, 0) == "0.00%"
