import datetime as dt
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.facts import FLAG
from tournament.event.clock import RoundClock, clock_of
from tournament.models import Flag, Round, Tournament
from tournament.results.desk_rows import DeskRow, DeskSheet

CALL_DONE = "call done"  # the kind of action with which a judge settles a call


class DeadlineGroup(NamedTuple):
    """Tables with one deadline, or all those that are past theirs."""

    extra: int  # the fewest extra minutes of its tables; rows are in the order of theirs
    rows: list[DeskRow]
    ends: dt.datetime | None  # the last of past deadlines; None without a running clock
    past: bool = False


def deadline_groups_of(clock: RoundClock, rows: Sequence[DeskRow], now: dt.datetime) -> list[DeadlineGroup]:
    """Group tables by deadline, the earliest first."""
    groups: list[DeadlineGroup] = []
    for extra, some in groupby(sorted(rows, key=lambda row: (row.extra, row.table)), lambda row: row.extra):
        ends = clock.extended(extra).ends
        past = ends is not None and ends <= now
        if past and groups:
            first = groups.pop()
            groups.append(first._replace(rows=[*first.rows, *some], ends=ends))
        else:
            groups.append(DeadlineGroup(extra, list(some), ends, past))
    return groups


def calls_about(round_: Round, tables: Collection[int]) -> dict[int, str]:
    """Return {disputed table: "called", "coming" or "done"}, without calls done before the latest report."""
    flags: Any = round_.flags.filter(
        kind=Flag.Kind.CALL, entry__seats__round=round_, entry__seats__match__table__in=tables
    )
    rows = flags.annotate(table=F("entry__seats__match__table")).order_by("-done", "number")
    latest = {row.table: row for row in rows} if tables else {}  # an open call comes last
    states = {}
    for table, flag in latest.items():
        if not flag.done:
            states[table] = "coming" if flag.judge else "called"
        elif _is_about_reports(round_, table, flag):
            states[table] = "done"
    return states


def _is_about_reports(round_: Round, table: int, flag: Flag) -> bool:
    reports = (f"rounds/{round_.number}/tables/{table}/reports/{side}" for side in "ab")
    actions = round_.tournament.actions.touching(FLAG.key_of(flag), *reports)
    latest = actions.order_by("-number").values_list("kind", flat=True).first()
    return latest == CALL_DONE


def disputes_of(sheet: DeskSheet) -> list[tuple[DeskRow, str]]:
    disputed = sheet.reports.get("disputed", [])
    calls = calls_about(sheet.round, [row.table for row in disputed if row.table])
    words = {
        "called": _("the reports differ. A judge was called: enter the result afterwards."),
        "coming": _("the reports differ. A judge is on the way: enter the result afterwards."),
        "done": _("the reports differ, and a judge has been there. Enter the result."),
    }
    other = _("the reports differ. Send a judge, then enter the result.")
    return [(row, words.get(calls.get(row.table or 0, ""), other)) for row in disputed]


class HallTable(NamedTuple):
    """A table, its state and that in words: "done", "call", "check" (of decks), "past", "more" (minutes) or "out"."""

    row: DeskRow
    state: str
    words: str


def hall_tables_of(tournament: Tournament, sheet: DeskSheet, now: dt.datetime) -> list[HallTable]:
    called = _tables_of(sheet.round, sheet.round.flags.filter(kind=Flag.Kind.CALL, done=False))
    checked = _tables_of(sheet.round, sheet.round.deck_checks.filter(ends_at=None))
    disputed = [row.table for row in sheet.reports.get("disputed", ()) if row.table]
    visited = {table for table, call in calls_about(sheet.round, disputed).items() if call == "done"}
    return [_hall_table(sheet.round, row, called, visited, checked, now) for row in sheet.rows]


def _tables_of(round_: Round, rows: QuerySet[Any]) -> set[int]:
    rows = rows.filter(entry__seats__round=round_, entry__seats__match__table__isnull=False)
    return set(rows.values_list("entry__seats__match__table", flat=True))


def _hall_table(
    round_: Round, row: DeskRow, called: set[int], visited: set[int], checked: set[int], now: dt.datetime
) -> HallTable:
    if row.table in called:
        return HallTable(row, "call", _("judge call"))
    if row.report_state == "disputed":
        return HallTable(row, "out" if row.table in visited else "call", _("reports differ"))
    if row.table in checked:
        return HallTable(row, "check", _("deck check"))
    if not row.out:
        return HallTable(row, "done", _("entered"))
    seconds = clock_of(round_).extended(row.extra).seconds(now)
    if seconds is not None and seconds <= 0:
        return HallTable(row, "past", _("past %(minutes)s min") % {"minutes": -seconds // 60})
    if not row.extra:
        return HallTable(row, "out", _("outstanding"))
    values = {"more": row.extra, "left": (seconds or 0) // 60}
    words = _("+%(more)s min") if seconds is None else _("+%(more)s · %(left)s left")
    return HallTable(row, "more", words % values)
