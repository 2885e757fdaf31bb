"""A line of the quick-entry box: a table, by number, name or player, and a command.

12 21    12.21    12/21    12*21     the result of table 12
a12 21                               the same for the table that the event's plan calls A12
f1 21                                the same for Feature 1, if no other table has these initials
ruiz 21                              the same for the table of the only player so named, that player's games first
12       ruiz                        show the table
12 -     12 +5     12 xx             clear it, 5 more minutes, both players drop
12 +5 deck check   +5 12 deck check  5 more minutes, and what for
4-12-K7QM                            the code of its match slip, or the slip's address: as a scanner types them
"""

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.event.table_plan import find_table
from tournament.results.desk_rows import DeskRow, DeskSheet
from tournament.results.shorthand import parse_slip
from tournament.results.slip import Slip, turn_slip
from tournament.results.slip_code import is_slip_code
from tournament.text.clean import fold_name
from tournament.text.display_names import find_names

LONGEST_LINE = 300  # characters: a scanner types the whole address of a slip
_NUMBER = re.compile(r"(?P<table>\d{1,4})(?:(?:\s?[./*,]\s?|\s+)(?P<text>\S.*))?")
_EARLY = re.compile(r"\+(?P<minutes>\d{1,2})\s+(?P<table>.+)")
_LATE = re.compile(r"\+ ?(?P<minutes>\d{1,2})(?: (?P<why>\D.*))?")
_WITH_REASON = re.compile(r"(?P<table>\S*\d\S*) (?P<why>\D.*)")
_DROPS = {"x1": "a", "x2": "b", "xx": "ab"}
_MOST_LISTED = 4  # names that a refusal lists


@dataclass(frozen=True, slots=True)
class BoxLine:
    """A typed line. `what`: "slip", "clear", "show", "scan", "extend", "drop", or "" for nothing."""

    what: str
    table: int = 0
    slip: Slip | None = None  # of "slip": as the first-listed player has it
    minutes: int = 0
    sides: str = ""  # of "drop": "a", "b" or "ab"
    why: str = ""  # of "extend": what the minutes are for


def parse_line(text: str, sheet: DeskSheet) -> BoxLine:
    """Parse a line about a table of this round. Raises NotFound, and Refused with suggestions."""
    text = " ".join(text.split())
    if not text:
        return BoxLine("")
    if is_slip_code(text):
        return BoxLine("scan", sheet.row_of_code(text).table or 0)
    if early := _EARLY.fullmatch(text):
        because = _WITH_REASON.fullmatch(early["table"])
        table, why = (because["table"], f" {because['why']}") if because else (early["table"], "")
        text = f"{table} +{early['minutes']}{why}"
    if called := find_table(sheet.plan, text):
        text = f"{called[0]} {called[1]}".strip()
    if numbered := _NUMBER.fullmatch(text):
        row = sheet.row(int(numbered["table"]))
        return _parse_rest(numbered["text"] or "?", row, "")
    # Prefer the longest name: "ana d" is Ana Diaz if there is one, never a draw.
    words = text.split(" ")
    for end in range(len(words), 0, -1):
        if seat := _seat_of(" ".join(words[:end]), sheet):
            return _parse_rest(" ".join(words[end:]) or "?", *seat)
    message = _(
        "“%(text)s” was not understood. Type a table or a name and the result, such as 12 21. To clear, "
        "type 12 -. For a time extension, type 12 +5."
    )
    raise Refused(message, text=text[:40])


def _parse_rest(text: str, row: DeskRow, side: str) -> BoxLine:
    table = row.table or 0
    if text == "?":
        return BoxLine("show", table)
    if text == "-":
        return BoxLine("clear", table)
    if late := _LATE.fullmatch(text):
        return BoxLine("extend", table, minutes=int(late["minutes"]), why=late["why"] or "")
    if text.lower() == "x":
        if side:
            return BoxLine("drop", table, sides=side)
        message = _("Who drops? Type %(table)s x1 for %(a)s, %(table)s x2 for %(b)s, %(table)s xx for both.")
        raise Refused(message, table=row.table_name, a=row.a.name, b=row.b.name if row.b else "")
    if text.lower() in _DROPS:
        return BoxLine("drop", table, sides=_DROPS[text.lower()])
    slip = parse_slip(text, row.rules)
    return BoxLine("slip", table, turn_slip(slip) if side == "b" else slip)


def _seat_of(name: str, sheet: DeskSheet) -> tuple[DeskRow, str] | None:
    seats = {
        player.code: (row, side, player.name)
        for row in sheet.rows
        for side, player in (("a", row.a), ("b", row.b))
        if player
    }
    names = {code: full for code, (_row, _side, full) in seats.items()}
    codes = find_names(names, name)
    exact = [code for code in codes if fold_name(names[code]) == fold_name(name)]
    codes = exact if len(exact) == 1 else codes
    if len(codes) > 1:
        listed = [f"{names[c]} ({seats[c][0].table_name})" for c in codes[:_MOST_LISTED]]
        listed += ["…"] if len(codes) > _MOST_LISTED else []
        message = _("“%(name)s” is several players: %(players)s. Type more of the name, or the table.")
        raise Refused(message, name=name, players=", ".join(listed))
    return seats[codes[0]][:2] if codes else None
