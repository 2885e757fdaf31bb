"""The line typed in the desk's box: a table or a player, and what happened there."""

import re
from contextlib import suppress
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournament.errors import Refused
from tournament.event.display_names import find_names
from tournament.event.table_plan import find_table
from tournament.results.desk_rows import DeskPlayer, DeskRow, DeskSheet
from tournament.results.shorthand import is_slip_code, parse_slip, read_slip
from tournament.results.slip import Slip, turn_slip
from tournament.results.wording import slip_fact, words_between, words_of_slip
from tournament.text import fold_name, join_some

LONGEST_LINE = 300  # characters: a scanner types the whole address of a slip
_NUMBER = re.compile(r"(?P<table>\d{1,4})(?:(?:\s?[./*,]\s?|\s+)(?P<text>\S.*))?")
_EARLY = re.compile(r"\+(?P<minutes>\d{1,2})\s+(?P<table>.+)")
_LATE = re.compile(r"\+ ?(?P<minutes>\d{1,2})(?: (?P<why>\D.*))?")
_WITH_REASON = re.compile(r"(?P<table>\S*\d\S*) (?P<why>\D.*)")
_DROPS = {"x1": "a", "x2": "b", "xx": "ab"}
_MOST_LISTED = 4  # names that a refusal lists


@dataclass(frozen=True, slots=True)
class BoxLine:
    """A typed line and the row it is about. `what`: "slip", "clear", "show", "scan", "extend" or "drop"."""

    what: str
    row: DeskRow
    slip: Slip | None = None  # of "slip": as the first-listed player has it
    minutes: int = 0
    sides: str = ""  # of "drop": "a", "b" or "ab"
    why: str = ""  # of "extend": what the minutes are for

    @property
    def words(self) -> str:
        return words_of_slip(self.slip) if self.slip else ""

    @property
    def between(self) -> str:
        """The text between the two names: what the slip says, else the present result."""
        return words_between(slip_fact(self.slip) if self.slip else self.row.fact)

    @property
    def dropped(self) -> list[DeskPlayer]:
        sides = self.slip.drops if self.slip else self.sides
        return [player for side, player in zip("ab", self.row.players, strict=False) if side in sides]


class Unclear(Refused):
    """A line that names a table, followed by `text` that is not possible there."""

    def __init__(self, error: Refused, row: DeskRow, text: str) -> None:
        super().__init__(str(error), status=error.status)
        self.row, self.text = row, text


def parse_line(text: str, sheet: DeskSheet, named: int | None = None) -> BoxLine | None:
    """Parse a line about a table of this round; None for an empty one.

    `named`: the table that the page names, which the line may leave out. Raises NotFound for a table that is not there,
    Unclear if only what follows the table is wrong, and Refused with suggestions.
    """
    text = " ".join(text.split())
    if not text:
        return None
    if named:
        row = sheet.row(named)
        try:
            return parse_line(f"{row.table_name} {text}", sheet)
        except Refused:
            if not _is_about_another(text, row, sheet):
                raise
    if is_slip_code(text):
        return BoxLine("scan", sheet.row_of_code(text))
    if place := _split(text, sheet):
        return _parse_rest(*place)
    message = _(
        "“%(text)s” was not understood. Type a table or a name and the result, such as 12 21. To clear, "
        "type 12 -. For a time extension, type 12 +5."
    )
    raise Refused(message, text=text[:40])


def _is_about_another(text: str, named: DeskRow, sheet: DeskSheet) -> bool:
    """Whether a line that was refused behind the named table is a whole line by itself, and no impossible result."""
    if is_slip_code(text):
        return True
    with suppress(Refused):
        parse_slip(text, named.rules)
        return False
    try:
        place = _split(text, sheet)
    except Refused:  # no such table, or several such players
        return " " in text
    return place is not None and place[2] != ""


def _split(text: str, sheet: DeskSheet) -> tuple[DeskRow, str, str] | None:
    """Return the row a line is about, the side of the player it names ("" for a table), and the rest of the line."""
    if early := _EARLY.fullmatch(text):
        because = _WITH_REASON.fullmatch(early["table"])
        table, why = (because["table"], f" {because['why']}") if because else (early["table"], "")
        text = f"{table} +{early['minutes']}{why}"
    if called := find_table(sheet.plan, text):
        text = f"{called[0]} {called[1]}".strip()
    if numbered := _NUMBER.fullmatch(text):
        return sheet.row(int(numbered["table"])), "", numbered["text"] or ""
    # Prefer the longest name: "ana d" is Ana Diaz if there is one, never a draw.
    words = text.split(" ")
    for end in range(len(words), 0, -1):
        if seat := _find_named_seat(" ".join(words[:end]), sheet):
            return *seat, " ".join(words[end:])
    return None


def _parse_rest(row: DeskRow, side: str, text: str) -> BoxLine:
    if text in ("", "?"):
        return BoxLine("show", row)
    if text == "-":
        return BoxLine("clear", row)
    if late := _LATE.fullmatch(text):
        return BoxLine("extend", row, minutes=int(late["minutes"]), why=late["why"] or "")
    if text.lower() == "x":
        if side:
            return BoxLine("drop", row, sides=side)
        message = _("Who drops? Type %(table)s x1 for %(a)s, %(table)s x2 for %(b)s, %(table)s xx for both.")
        raise Refused(message, table=row.table_name, a=row.a.name, b=row.b.name if row.b else "")
    if text.lower() in _DROPS:
        return BoxLine("drop", row, sides=_DROPS[text.lower()])
    try:
        slip = read_slip(text, row.rules)
    except Refused as error:
        raise Unclear(error, row, text) from error
    return BoxLine("slip", row, turn_slip(slip) if side == "b" else slip)


def _find_named_seat(name: str, sheet: DeskSheet) -> tuple[DeskRow, str] | None:
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
        listed = join_some([f"{names[c]} ({seats[c][0].table_name})" for c in codes], _MOST_LISTED)
        message = _("“%(name)s” matches several players: %(players)s. Type more of the name, or the table.")
        raise Refused(message, name=name, players=listed)
    return seats[codes[0]][:2] if codes else None
