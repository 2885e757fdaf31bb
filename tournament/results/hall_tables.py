"""The tables of a round as they stand in the hall, each with its state in a word: what a judge looks at."""

import datetime as dt
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from tournament.event.clock import clock_of
from tournament.models import Flag, Round, Tournament
from tournament.results.desk_rows import DeskRow, DeskSheet


class HallTable(NamedTuple):
    """A table, its state and that in words: "done", "call", "check" (of decks), "past", "more" (minutes) or "out"."""

    row: DeskRow
    state: str
    words: str


def hall_tables_of(tournament: Tournament, sheet: DeskSheet, now: dt.datetime) -> list[HallTable]:
    """The tables of a round by number, as they are at that moment; two queries more than the sheet's."""
    called, checked = called_tables(sheet.round), checked_tables(sheet.round)
    return [_hall_table(sheet.round, row, called, checked, now) for row in sheet.rows]


def called_tables(round_: Round) -> set[int]:
    """The numbers of the tables from which a judge was called and has not been there yet."""
    flags: Any = round_.flags.filter(
        kind=Flag.Kind.CALL, done=False, entry__seats__round=round_, entry__seats__match__table__isnull=False
    )
    return set(flags.values_list("entry__seats__match__table", flat=True))


def checked_tables(round_: Round) -> set[int]:
    """The numbers of the tables whose decks are being checked now."""
    checks: Any = round_.deck_checks.filter(
        ends_at=None, entry__seats__round=round_, entry__seats__match__table__isnull=False
    )
    return set(checks.values_list("entry__seats__match__table", flat=True))


def _hall_table(
    round_: Round, row: DeskRow, called: set[int], checked: set[int], now: dt.datetime
) -> HallTable:
    if row.table in called:
        return HallTable(row, "call", _("judge call"))
    if row.report_state == "disputed":
        return HallTable(row, "call", _("reports differ"))
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
