"""The data of printed sheets, and the printed list: a title, columns and rows that fit A4 and Letter."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, TypeVar
from unicodedata import east_asian_width

from django.utils.translation import gettext as _

from tournament.errors import WrongState
from tournament.event.display_names import names_in
from tournament.event.formats import format_number
from tournament.event.read import load_event_values
from tournament.event.rounds import find_round
from tournament.event.types import Event
from tournament.models import Round, Tournament
from tournament.progress.posted_rounds import PostedTable, list_posted_tables
from tournament.services.standings_hooks import standings

READ, WRITE = 40, 22  # rows of a sheet of Letter, which is lower than A4: to read, and to write on
BESIDE = 130  # millimeters that a name of usual length leaves for the other columns
# By CSS class: width in millimeters of a digit, of a letter in a heading, and of a column's edges.
PRINTS = (("", 2.15, 1.6, 3), ("tight", 1.65, 1.35, 1.4), ("tightest", 1.3, 1.15, 1))


class PaperColumn(NamedTuple):
    title: str
    # "name" is wide, "text" and "pair" (two names) wider, "number" narrow, "write" leaves space to write.
    kind: str = "number"


@dataclass(frozen=True)
class PaperList:
    title: str
    columns: Sequence[PaperColumn]
    rows: Sequence[Sequence[str]]
    per_sheet: int = READ  # how many rows a sheet has
    note: str = ""

    @property
    def count(self) -> int:
        return -(-len(self.rows) // self.per_sheet) or 1

    @property
    def print(self) -> str:
        """The CSS class of the largest print in which all columns fit."""
        widths = [
            (
                max((len(row[place]) for row in self.rows), default=0),
                max(map(len, column.title.split()), default=0),
            )
            for place, column in enumerate(self.columns)
            if column.kind == "number"
        ]
        for name, digit, letter, edges in PRINTS:
            if sum(max(text * digit, word * letter) + edges for text, word in widths) <= BESIDE:
                return name
        return PRINTS[-1][0]

    @property
    def sheets(self) -> list[list[list[tuple[str, PaperColumn]]]]:
        """The rows of each sheet, each text with its column; at least one sheet."""
        rows = [list(zip(row, self.columns, strict=True)) for row in self.rows]
        return [rows[start : start + self.per_sheet] for start in range(0, len(rows) or 1, self.per_sheet)]


WIDE = frozenset("MWmw@%—ШЩЖЮФМшщжюфм")


def text_width(text: str) -> float:
    """Estimate the width of a text in bold sans serif, in half ems; a CJK character counts as two."""
    return sum(map(_halves, text))


def _halves(char: str) -> float:
    if east_asian_width(char) in "WF" or char in WIDE:
        return 2
    return 1.35 if char.isupper() else 1.15 if char > "\u036f" else 1


Item = TypeVar("Item")


@dataclass
class EventPaper:
    tournament: Tournament

    @cached_property
    def event(self) -> Event:
        return load_event_values(self.tournament, paired=False)

    @cached_property
    def names(self) -> dict[str, str]:
        """Full names, because this paper stays with players and staff."""
        return names_in(self.event)

    @cached_property
    def public_names(self) -> dict[str, str]:
        return names_in(self.event, public=True)


@dataclass
class RoundPaper(EventPaper):
    round: Round

    @cached_property
    def tables(self) -> list[PostedTable]:
        """The round by table, with public names and without results; players without an opponent come last."""
        return list_posted_tables(self.round, self.public_names, results=False)

    @cached_property
    def matches(self) -> list[PostedTable]:
        return [table for table in self.tables if table.b and table.table]

    @cached_property
    def points(self) -> dict[str, str]:
        """Each player's match points before this round, as printed; 0 if a session begins with it."""
        points = standings().points_before(self.event, self.round.number)
        return {code: format_number(points.get(code, Fraction(0))) for code in self.event.entries}

    @cached_property
    def public_points(self) -> dict[str, str]:
        return {} if self.tournament.hold_standings else self.points


Make = Callable[[Any], PaperList]  # from a RoundPaper, or from an EventPaper where no round is needed


class PaperKind(NamedTuple):
    title: Any
    use: Any
    make: Make


# The printable lists by URL part, in the order of the page.
ROUND_LISTS: dict[str, PaperKind] = {}
STANDINGS_LISTS: dict[str, PaperKind] = {}  # of a round, once it is complete
EVENT_LISTS: dict[str, PaperKind] = {}


def printable(lists: dict[str, PaperKind], key: str, title: Any, use: Any) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        lists[key] = PaperKind(title, use, make)
        return make

    return register


def printables_by_url(paper: RoundPaper) -> dict[str, PaperKind]:
    """Return the round's printable lists by URL part; standings only once it is complete, unless hidden."""
    event = paper.event
    ranked = any(r.status == "complete" and event.stage(r.stage).kind == "swiss" for r in event.rounds)
    return ROUND_LISTS | STANDINGS_LISTS if ranked and not paper.tournament.hold_standings else ROUND_LISTS


def load_round_paper(tournament: Tournament, number: int) -> RoundPaper:
    """Load the data of a round's sheets. Raises NotFound, and WrongState while its pairings are a draft."""
    round_ = find_round(tournament, number)
    if round_.state == Round.State.DRAFT:
        raise WrongState(
            _("The pairings for round %(number)s are a draft. Publish them before you print."), number=number
        )
    return RoundPaper(tournament, round_)


def cut_stack(items: Sequence[Item], per_sheet: int) -> list[list[Item]]:
    """Arrange items on sheets of `per_sheet` so that the piles, cut and stacked, are in the given order."""
    sheets = math.ceil(len(items) / per_sheet)
    return [list(items[sheet::sheets][:per_sheet]) for sheet in range(sheets)]
