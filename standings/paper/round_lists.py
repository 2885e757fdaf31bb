"""Lists of one round: pairings for the wall, result sheets for the staff."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from standings.paper.paper_list import READ, WRITE, PaperColumn, PaperList
from standings.paper.round_paper import RoundPaper
from tournament.event.table_plan import table_name
from tournament.models import Extension
from tournament.progress.posted_rounds import PostedTable, lines_by_name
from tournament.results.wording import result_words


def _table() -> PaperColumn:
    return PaperColumn(_("Table"))


def _title(paper: RoundPaper, title: str) -> str:
    return _("%(title)s, round %(number)s") % {"title": title, "number": paper.round.number}


def _points(paper: RoundPaper) -> list[PaperColumn]:
    return [] if paper.tournament.hold_standings else [PaperColumn(_("Points"))]


def _name(paper: RoundPaper, table: int | None) -> str:
    return table_name(paper.tournament, table) or "–"


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
        rows.append([_first(line.me), *points, _name(paper, line.table), other])
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
        row = [_name(paper, table.table)]
        for player in (table.a, table.b):
            row.append(_first(player) if player else table.words)
            row += [paper.public_points.get(player.code, "") if player else ""] * len(points)
        rows.append(row)
    return PaperList(_title(paper, _("Pairings by table")), columns, rows, note=_note(paper.tables))


def master_result_sheet(paper: RoundPaper) -> PaperList:
    """Every table with its result, or room for it, and for drops."""
    columns = [
        _table(),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Result"), "write"),
        PaperColumn(_("Opponent"), "name"),
        PaperColumn(_("Drop"), "write"),
    ]
    rows = [
        [
            _name(paper, table.table),
            paper.names[table.a.code],
            result_words(table.fact),
            paper.names[table.b.code],
            "",
        ]
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
            _name(paper, table.table),
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
    return result_sheet(_title(paper, _("Result sheet")))


def result_sheet(title: str) -> PaperList:
    """One empty sheet for pairings and results."""
    columns = [
        PaperColumn(_("Table"), "number"),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Result"), "write"),
        PaperColumn(_("Opponent"), "name"),
        PaperColumn(_("Drop"), "write"),
    ]
    return PaperList(title, columns, [[""] * len(columns)] * WRITE, WRITE)
