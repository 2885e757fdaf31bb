"""A line of the one box: a table, by number or by a player's name, and what to do there.

12 21    12.21    12/21    12*21     the result of table 12
ruiz 21                              the same for the table of the only player so named, that player's games first
12       ruiz                        show the table
12 -     12 +5     12 xx             clear it, 5 more minutes, both players drop
"""

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.results.desk_sheet import DeskRow, DeskSheet
from tournament.results.shorthand import parse_slip
from tournament.results.slip import MatchRules, Slip, turn_slip
from tournament.text.display_names import find_names, fold_name

LONGEST_LINE = 80
_NUMBER = re.compile(r"(?P<table>\d{1,4})(?:(?:\s?[./*,]\s?|\s+)(?P<text>\S.*))?")
_EARLY = re.compile(r"\+(?P<minutes>\d{1,2})\s+(?P<table>.+)")
_LATE = re.compile(r"\+ ?(?P<minutes>\d{1,2})")
_DROPS = {"x1": "a", "x2": "b", "xx": "ab"}
_MOST_LISTED = 4  # names that a refusal lists


@dataclass(frozen=True, slots=True)
class BoxLine:
    """What was typed. `what`: "slip", "clear", "show", "extend", "drop", or "" for nothing.

    slip   of "slip": as the first-listed player has it
    sides  of "drop": "a", "b" or "ab"
    """

    what: str
    table: int = 0
    slip: Slip | None = None
    minutes: int = 0
    sides: str = ""


def parse_line(text: str, sheet: DeskSheet) -> BoxLine:
    """What a line says of a table of this round.

    Raises NotFound, and Refused: where it is ambiguous, with what it may mean.
    """
    text = " ".join(text.split())
    if not text:
        return BoxLine("")
    if early := _EARLY.fullmatch(text):
        row, side = _row_at(early["table"], sheet)
        return _parse_rest(f"+{early['minutes']}", row, side)
    if numbered := _NUMBER.fullmatch(text):
        row, side = _row_at(numbered["table"], sheet)
        return _parse_rest(numbered["text"] or "?", row, side)
    words = text.split(" ")
    for end in range(1, len(words)):
        rest = " ".join(words[end:])
        if sheet.rules and _is_rest(rest, sheet.rules):
            row, side = _row_at(" ".join(words[:end]), sheet)
            return _parse_rest(rest, row, side)
    row, side = _row_at(text, sheet)
    return _parse_rest("?", row, side)


def _is_rest(text: str, rules: MatchRules) -> bool:
    """Whether a text says what to do at a table, so that a name stands before it."""
    if text in ("-", "?") or text.lower() in ("x", *_DROPS) or _LATE.fullmatch(text):
        return True
    try:
        parse_slip(text, rules)
    except Refused:
        return False
    return True


def _parse_rest(text: str, row: DeskRow, side: str) -> BoxLine:
    """What to do at a table; `side`: whose name was typed, "" for a table's number."""
    table = row.table or 0
    if text == "?":
        return BoxLine("show", table)
    if text == "-":
        return BoxLine("clear", table)
    if late := _LATE.fullmatch(text):
        return BoxLine("extend", table, minutes=int(late["minutes"]))
    if text.lower() == "x":
        if side:
            return BoxLine("drop", table, sides=side)
        message = _("Who drops? Type %(table)s x1 for %(a)s, %(table)s x2 for %(b)s, %(table)s xx for both.")
        raise Refused(message, table=table, a=row.a.name, b=row.b.name if row.b else "")
    if text.lower() in _DROPS:
        return BoxLine("drop", table, sides=_DROPS[text.lower()])
    slip = parse_slip(text, row.rules)
    return BoxLine("slip", table, turn_slip(slip) if side == "b" else slip)


def _row_at(text: str, sheet: DeskSheet) -> tuple[DeskRow, str]:
    """The row of a table's number, or of the only player so named with that player's side."""
    if text.isdecimal():
        return sheet.row(int(text)), ""
    rows = sheet.rows
    seats = {row.a.code: (row, "a") for row in rows} | {row.b.code: (row, "b") for row in rows if row.b}
    names = {row.a.code: row.a.name for row in rows} | {row.b.code: row.b.name for row in rows if row.b}
    codes = find_names(names, text)
    exact = [code for code in codes if fold_name(names[code]) == fold_name(text)]
    if len(codes) > 1 and len(exact) != 1:
        listed = [f"{names[code]} ({seats[code][0].table})" for code in codes[:_MOST_LISTED]]
        listed += ["…"] if len(codes) > _MOST_LISTED else []
        message = _("“%(name)s” is several players: %(players)s. Type more of the name, or the table.")
        raise Refused(message, name=text, players=", ".join(listed))
    if not codes:
        message = _(
            "“%(text)s” was not understood. Type a table or a name and the result, such as 12 21. To clear, "
            "type 12 -. For a time extension, type 12 +5."
        )
        raise Refused(message, text=text[:40])
    return seats[exact[0] if exact else codes[0]]
