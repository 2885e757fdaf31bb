"""The pictures of a running event: tables entered over time, and the length of each round; each with its numbers."""

import datetime as dt
from bisect import bisect_right
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.event.table_plan import table_name
from tournament.progress.pace import MINUTE, RoundLength, RoundTimes
from tournament.progress.turnaround import Turnaround
from tournament.web import charts
from tournament.web.charts import Bar, Line, Tick

SHORTEST = 10.0  # minutes: the least that the axis spans
EARLIER = 6  # rounds shown beside the open one


class Mark(NamedTuple):
    """A moment on the time axis with its words; `left`: they stand to the left of it."""

    kind: str
    at: str
    label: str
    left: bool


class TablesPicture(NamedTuple):
    """Tables entered during a round, beside earlier rounds of its stage, each from its own start.

    Earlier rounds are drawn as shares: their line ends at the top, whatever their number of tables.
    `head`: the rounds of the columns of `numbers`, whose rows are (time, entered by then in each round).
    """

    summary: str
    lines: list[Line]
    across: list[Tick]
    up: list[Tick]
    marks: list[Mark]
    now: tuple[str, str] | None
    head: list[str]
    numbers: list[tuple[str, list[str]]]


def tables_picture_of(turnaround: Turnaround) -> TablesPicture | None:
    """The picture of the open round; None before its first result, or where its start is not known."""
    one = turnaround.rounds[-1]
    if one.starts is None or not one.entered or not one.tables:
        return None
    start, zone = one.starts.astimezone(turnaround.zone), turnaround.zone
    earlier = [each for each in turnaround.rounds[:-1] if each.starts and each.last][-EARLIER:]
    now = one.last or turnaround.now
    ends = [now, *(moment for moment in (one.ends, *(turnaround.expected.results or ())) if moment)]
    since = {each.number: _since(each) for each in (*earlier, one)}
    most = max(
        SHORTEST, *((moment - start) / MINUTE for moment in ends), *(each[-1] for each in since.values())
    )
    most *= 1.04
    lines = [Line("before", charts.steps(since[each.number], each.tables, most)) for each in earlier]
    shares = [(min(at / most, 1), number / one.tables) for number, at in enumerate([0.0, *since[one.number]])]
    here = max((now - start) / MINUTE, 0) / most
    lines.append(Line("now", charts.points([*shares, (here, len(one.entered) / one.tables)])))
    if span := turnaround.expected.results if turnaround.outstanding else None:
        end = (span[1] - start) / MINUTE / most
        lines.append(Line("expected", charts.points([(here, shares[-1][1]), (end, 1)])))
    ticks = charts.time_ticks(start, most)
    rows = [
        (f"{at:%H:%M}", [str(bisect_right(since[each.number], minutes)) for each in (*earlier, one)])
        for minutes, at in ticks
        if minutes <= (now - start) / MINUTE
    ]
    return TablesPicture(
        _("Round %(round)s: %(entered)s of %(tables)s tables entered at %(time)s.")
        % {
            "round": one.number,
            "entered": len(one.entered),
            "tables": one.tables,
            "time": f"{now.astimezone(zone):%H:%M}",
        },
        lines,
        [Tick(charts.percent(minutes, most), f"{at:%H:%M}") for minutes, at in ticks],
        [
            Tick(charts.percent(one.tables - count, one.tables), str(count))
            for count in charts.count_ticks(one.tables)
        ],
        _marks_of(turnaround, start, most),
        (f"{100 * here:.2f}%", charts.percent(one.tables - len(one.entered), one.tables)),
        [_("Round %(number)s") % {"number": each.number} for each in (*earlier, one)],
        rows,
    )


def _since(one: RoundTimes) -> list[float]:
    """Minutes from the round's start at which its tables came in, in order."""
    assert one.starts is not None
    return [max((at - one.starts) / MINUTE, 0) for at in one.entered]


def _marks_of(turnaround: Turnaround, start: dt.datetime, most: float) -> list[Mark]:
    """The round's deadline, and the last one of a table with a time extension."""
    ends, last = turnaround.rounds[-1].ends, turnaround.last_deadline
    moments = []
    if ends:
        text = _("time, %(time)s") % {"time": f"{ends.astimezone(turnaround.zone):%H:%M}"}
        moments.append(("time", ends, text))
    if last and last.extended and last.deadline:
        name = table_name(turnaround.tournament, last.table)
        values = {"table": name, "time": f"{last.deadline.astimezone(turnaround.zone):%H:%M}"}
        moments.append(("extension", last.deadline, _("table %(table)s ends %(time)s") % values))
    places = [(kind, (moment - start) / MINUTE / most, text) for kind, moment, text in moments]
    return [Mark(kind, f"{100 * at:.2f}%", text, at > 0.5) for kind, at, text in places if 0 <= at <= 1]


class LengthRow(NamedTuple):
    """A round as a bar: its parts, where the bar ends, its minutes in words; `numbers`: the minutes of each part."""

    label: str
    bars: list[Bar]
    end: str
    total: str
    numbers: list[str]


class LengthsPicture(NamedTuple):
    """How long each round took from its start to the start of the next; `kinds`: (CSS class, words) of the parts."""

    summary: str
    kinds: list[tuple[str, str]]
    rows: list[LengthRow]


def lengths_picture_of(turnaround: Turnaround) -> LengthsPicture | None:
    """The picture of the rounds that are over and of the one in play as it is expected; None where there is none
    of at least a minute that is over."""
    lengths = turnaround.lengths
    if not any(length.total >= 1 for length in lengths):
        return None
    kinds = [
        ("playing", _("playing time")),
        ("after", _("after time")),
        ("pairing", _("last result to pairings up")),
        ("seating", _("pairings up to start")),
    ]
    played, expected = _in_play(turnaround)
    most = max(played + expected, *(length.total for length in lengths)) * 1.3  # room for the total beside it
    rows = [_row(length, [kind for kind, _words in kinds], most) for length in lengths]
    if expected:
        kinds.append(("expected", _("expected until the last result")))
        rows = [row._replace(numbers=[*row.numbers, "–"]) for row in rows]
        rows.append(_row_in_play(turnaround.number, played, expected, most))
    summary = _("Minutes from the start of a round to the start of the next: %(rounds)s.")
    return LengthsPicture(
        summary % {"rounds": ", ".join(f"{row.label}: {row.total}" for row in rows)}, kinds, rows
    )


def _in_play(turnaround: Turnaround) -> tuple[float, float]:
    """Minutes since the start of the round in play, and until its last result is expected; 0 where not known."""
    start, span = turnaround.rounds[-1].starts, turnaround.expected.results
    if not turnaround.outstanding or not span or not start or start > turnaround.now:
        return 0, 0
    return (turnaround.now - start) / MINUTE, max((span[1] - turnaround.now) / MINUTE, 0)


def _row_in_play(number: int, played: float, expected: float, most: float) -> LengthRow:
    minutes = round(played + expected)
    return LengthRow(
        _("Round %(number)s") % {"number": number},
        charts.stacked([("playing", played), ("expected", expected)], most),
        charts.percent(played + expected, most),
        ngettext("about %(count)s min", "about %(count)s min", minutes) % {"count": minutes},
        [str(round(played)), "–", "–", "–", str(round(expected))],
    )


def _row(length: RoundLength, kinds: list[str], most: float) -> LengthRow:
    parts = [(kind, part or 0) for kind, part in zip(kinds, length.parts, strict=True)]
    minutes = round(length.total)
    text = ngettext("%(count)s min", "%(count)s min", minutes)
    if length.pairing is None:
        text = ngettext("%(count)s min so far", "%(count)s min so far", minutes)
    return LengthRow(
        _("Round %(number)s") % {"number": length.number},
        charts.stacked(parts, most),
        charts.percent(length.total, most),
        text % {"count": minutes},
        ["–" if part is None else str(round(part)) for part in length.parts],
    )
