"""Lists on paper: what can be printed for a round beside its slips, each as a title, columns and rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from standings.paper.round_paper import RoundPaper
from standings.table.sheet import sheet_of, sort_sheet
from tournament.models import Extension
from tournament.progress.posted_rounds import PostedTable, lines_by_name

READ, WRITE = 40, 22  # rows of a sheet of Letter, which is lower than A4: to read, and to write on


class PaperColumn(NamedTuple):
    """A column. `kind`: "name" is wide, "number" narrow, "write" is empty and for the pen."""

    title: str
    kind: str = "number"


@dataclass(frozen=True)
class PaperList:
    """A list: its rows hold a text a column. `per_sheet`: how many rows a sheet has."""

    title: str
    columns: Sequence[PaperColumn]
    rows: Sequence[Sequence[str]]
    per_sheet: int = READ
    note: str = ""

    @property
    def sheets(self) -> list[list[list[tuple[str, PaperColumn]]]]:
        """The rows of each sheet, each text with its column; one sheet at least."""
        rows = [list(zip(row, self.columns, strict=True)) for row in self.rows]
        return [rows[start : start + self.per_sheet] for start in range(0, len(rows) or 1, self.per_sheet)]


class PaperKind(NamedTuple):
    """A list that can be printed, what it is for, and how it is made."""

    title: Any
    use: Any
    make: Callable[[RoundPaper], PaperList]


def _table() -> PaperColumn:
    return PaperColumn(_("Table"))


def _title(paper: RoundPaper, title: str) -> str:
    return _("%(title)s, round %(number)s") % {"title": title, "number": paper.round.number}


def _points(paper: RoundPaper) -> list[PaperColumn]:
    return [] if paper.tournament.hold_standings else [PaperColumn(_("Points"))]


def _number(table: int | None) -> str:
    return str(table) if table else "–"


def _first(player: Any) -> str:
    """The name, with the mark of who moves first."""
    return f"● {player.name}" if player.first else player.name


def _note(tables: Sequence[PostedTable]) -> str:
    return _("● moves first.") if any(table.fact.first for table in tables) else ""


def pairings_by_name(paper: RoundPaper) -> PaperList:
    """Each match twice: a line for each player, by name."""
    shown = _points(paper)
    columns = [
        PaperColumn(_("Player"), "name"),
        *shown,
        _table(),
        PaperColumn(_("Opponent"), "name"),
    ]
    rows = []
    for line in lines_by_name(paper.tables):
        other = _first(line.other) if line.other else line.words
        points = [paper.public_points.get(line.me.code, "")] * len(shown)
        rows.append([_first(line.me), *points, _number(line.table), other])
    return PaperList(_title(paper, _("Pairings by name")), columns, rows, note=_note(paper.tables))


def pairings_by_table(paper: RoundPaper) -> PaperList:
    """Each table once, those without a table last."""
    points = _points(paper)
    columns = [
        _table(),
        PaperColumn(_("Player"), "name"),
        *points,
        PaperColumn(_("Opponent"), "name"),
        *points,
    ]
    rows = []
    for table in paper.tables:
        row = [_number(table.table)]
        for player in (table.a, table.b):
            row.append(_first(player) if player else table.words)
            row += [paper.public_points.get(player.code, "") if player else ""] * len(points)
        rows.append(row)
    return PaperList(_title(paper, _("Pairings by table")), columns, rows, note=_note(paper.tables))


def master_result_sheet(paper: RoundPaper) -> PaperList:
    """Every table with room for its result and drops."""
    columns = [
        _table(),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Result"), "write"),
        PaperColumn(_("Opponent"), "name"),
        PaperColumn(_("Drop"), "write"),
    ]
    rows = [
        [str(table.table), paper.names[table.a.code], "", paper.names[table.b.code], ""]
        for table in paper.matches
        if table.b
    ]
    return PaperList(_title(paper, _("Master result sheet")), columns, rows, READ * 3 // 4)


def sweep_sheet(paper: RoundPaper) -> PaperList:
    """The tables still outstanding, for judges who walk the room at the end of the round."""
    columns = [
        _table(),
        PaperColumn(_("Players"), "name"),
        PaperColumn(_("Time extension"), "write"),
        PaperColumn(_("State"), "write"),
        PaperColumn(_("Judge"), "write"),
    ]
    extra = dict(Extension.objects.filter(match__round=paper.round).values_list("match__table", "minutes"))
    rows = [
        [
            str(table.table),
            _("%(a)s vs. %(b)s") % {"a": paper.names[table.a.code], "b": paper.names[table.b.code]},
            _("%(minutes)s min") % {"minutes": extra[table.table]} if table.table in extra else "",
            "",
            "",
        ]
        for table in paper.matches
        if table.b and table.fact.result is None
    ]
    return PaperList(
        _title(paper, _("Judges' sweep sheet: outstanding tables")), columns, rows, READ * 3 // 4
    )


def blank_result_sheet(paper: RoundPaper) -> PaperList:
    """One sheet to write pairings and results on by hand."""
    columns = [
        PaperColumn(_("Table"), "number"),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Result"), "write"),
        PaperColumn(_("Opponent"), "name"),
        PaperColumn(_("Drop"), "write"),
    ]
    return PaperList(_title(paper, _("Result sheet")), columns, [[""] * len(columns)] * WRITE, WRITE)


def standings_by_rank(paper: RoundPaper) -> PaperList:
    """The standings after the complete rounds."""
    return _standings(paper, "rank")


def standings_by_name(paper: RoundPaper) -> PaperList:
    """The standings in the order in which players look for themselves."""
    return _standings(paper, "name")


def _standings(paper: RoundPaper, by: str) -> PaperList:
    sheet = sort_sheet(sheet_of(paper.event, paper.public_names), by)
    after = {"number": sheet.after}
    if by == "name":
        title = _("Standings by name after round %(number)s") % after
    else:
        title = _("Standings after round %(number)s") % after
    columns = [
        PaperColumn(_("Rank")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Record")),
        *(PaperColumn(column.title) for column in sheet.columns),
    ]
    rows = [
        [str(line.rank), line.name, line.record, *(text for _slug, text in line.cells)]
        for line in sheet.lines
    ]
    return PaperList(title, columns, rows)


LISTS = {
    "pairings-by-name": PaperKind(
        gettext_lazy("Pairings by name"), gettext_lazy("for the wall: each match twice"), pairings_by_name
    ),
    "pairings-by-table": PaperKind(
        gettext_lazy("Pairings by table"), gettext_lazy("for the wall and the judges"), pairings_by_table
    ),
    "master-result-sheet": PaperKind(
        gettext_lazy("Master result sheet"),
        gettext_lazy("every table, with room for its result"),
        master_result_sheet,
    ),
    "sweep-sheet": PaperKind(
        gettext_lazy("Judges' sweep sheet"),
        gettext_lazy("the outstanding tables, for the end of the round"),
        sweep_sheet,
    ),
    "blank-result-sheet": PaperKind(
        gettext_lazy("Blank result sheet"), gettext_lazy("to go on by hand"), blank_result_sheet
    ),
}
HIDDEN_WITH_STANDINGS = {
    "standings-by-rank": PaperKind(
        gettext_lazy("Standings by rank"), gettext_lazy("after the last complete round"), standings_by_rank
    ),
    "standings-by-name": PaperKind(
        gettext_lazy("Standings by name"),
        gettext_lazy("where players look for themselves"),
        standings_by_name,
    ),
}


def lists_of(paper: RoundPaper) -> dict[str, PaperKind]:
    """What can be printed for the round, by address; no standings while the event hides them."""
    return LISTS if paper.tournament.hold_standings else LISTS | HIDDEN_WITH_STANDINGS
