"""Which tables each scorekeeper enters, and how many of them are outstanding."""

import re
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.event.table_plan import LAST_TABLE, Venue, find_table, table_name
from tournament.models import Staff, Tournament
from tournament.results.desk_rows import DeskRow, DeskSheet


class TableRange(NamedTuple):
    """The tables one member of the staff enters, both ends included. Two ranges may overlap."""

    name: str
    first: int
    last: int
    words: str  # 1–50, A1–A16
    outstanding: tuple[DeskRow, ...] = ()


def ranges_of(tournament: Tournament, sheet: DeskSheet) -> list[TableRange]:
    """The ranges of this event by their first tables, with what is outstanding in each; one query."""
    members = tournament.staff.filter(first_table__isnull=False).order_by("first_table", "user__username")
    ranges = []
    for name, first, last in members.values_list("user__username", "first_table", "last_table"):
        assert first is not None and last is not None
        out = tuple(row for row in sheet.outstanding if first <= (row.table or 0) <= last)
        ranges.append(TableRange(name, first, last, range_words(tournament, first, last), out))
    return ranges


def range_words(venue: Venue, first: int | None, last: int | None) -> str:
    """1–50, or 7 for one table; "" for no range."""
    if first is None:
        return ""
    low, high = table_name(venue, first), table_name(venue, last)
    return low if low == high else f"{low}–{high}"


def parse_range(text: str, venue: Venue) -> tuple[int, int] | None:
    """The two ends in a text such as "1-50", "7" or "A1-A16"; None for an empty one. Raises Refused."""
    if not text.strip():
        return None
    low, dash, high = text.strip().partition("-") if "-" in text else text.strip().partition("–")
    first, last = (_table(end, venue) for end in (low, high if dash else low))
    if first is None or last is None or not 0 < first <= last <= LAST_TABLE:
        message = _("“%(text)s” is no range of tables. Enter the first and the last, such as 1-50.")
        raise Refused(message, text=text[:40])
    return first, last


def sheet_of_range(sheet: DeskSheet, text: str) -> DeskSheet:
    """The sheet with the tables of such a text only. Raises Refused."""
    if (ends := parse_range(text, sheet.venue)) is None:
        return sheet
    return replace(sheet, rows=[row for row in sheet.rows if ends[0] <= (row.table or 0) <= ends[1]])


def _table(text: str, venue: Venue) -> int | None:
    called = find_table(venue, text.strip())
    if called and not called[1]:
        return called[0]
    return int(text) if re.fullmatch(r"\s*\d{1,4}\s*", text, re.ASCII) else None


def desk_members_of(tournament: Tournament) -> list[Staff]:
    """Those who enter results, by name."""
    members = tournament.staff.exclude(role=Staff.Role.JUDGE).select_related("user")
    return list(members.order_by("user__username"))
