"""Lists of one round: pairings and standings to post, result sheets for the staff."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from standings.engine.records import RoundRecord
from standings.paper.paper_list import READ, WRITE, PaperColumn, PaperList, text_width
from standings.paper.round_paper import EventPaper, RoundPaper
from standings.table.sheet import sort_sheet
from standings.words.formats import format_number, format_record
from tournament.event.table_plan import table_name
from tournament.models import Extension
from tournament.progress.posted_rounds import PostedTable, lines_by_name
from tournament.results.wording import result_words
from tournament.text.round_names import name_of_round


def _table() -> PaperColumn:
    return PaperColumn(_("Table"))


def _title(paper: RoundPaper, title: str) -> str:
    return _("%(title)s, %(round)s") % {"title": title, "round": name_of_round(paper.round).label}


def _points(paper: RoundPaper) -> list[PaperColumn]:
    return [] if paper.tournament.hold_standings else [PaperColumn(_("Points"))]


def _name(paper: RoundPaper, table: int | None) -> str:
    return table_name(paper.tournament, table, paper.round) or "–"


def _first(player: Any) -> str:
    return f"● {player.name}" if player.first else player.name


def _note(tables: Sequence[PostedTable]) -> str:
    return _("● moves first.") if any(table.fact.first for table in tables) else ""


def pairings_by_name(paper: RoundPaper) -> PaperList:
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
    """Every table with its result, or space for it and for drops."""
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


# Names on the sweep sheet are read while walking: the longer the longest pair, in halves of an em, the higher the rows.
PAIRS, FEWEST = ((120, READ * 3 // 4), (180, WRITE)), 14


def sweep_sheet(paper: RoundPaper) -> PaperList:
    """The outstanding tables, for judges who walk the room at the end of the round."""
    columns = [
        _table(),
        PaperColumn(_("Players"), "pair"),
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
    widest = max((text_width(players) for _table, players, *_rest in rows), default=0)
    per_sheet = next((count for most, count in PAIRS if widest <= most), FEWEST)
    return PaperList(_title(paper, _("Judges' sweep sheet: outstanding tables")), columns, rows, per_sheet)


def blank_result_sheet(paper: RoundPaper) -> PaperList:
    return result_sheet(_title(paper, _("Result sheet")))


def result_sheet(title: str) -> PaperList:
    columns = [
        PaperColumn(_("Table"), "number"),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Result"), "write"),
        PaperColumn(_("Opponent"), "name"),
        PaperColumn(_("Drop"), "write"),
    ]
    return PaperList(title, columns, [[""] * len(columns)] * WRITE, WRITE)


def standings_by_rank(paper: EventPaper) -> PaperList:
    """The standings after the complete rounds; the final ones once the bracket is played."""
    return _standings(paper, "place")


def standings_by_name(paper: EventPaper) -> PaperList:
    return _standings(paper, "name")


def _standings(paper: EventPaper, by: str) -> PaperList:
    final = any(line.place for line in paper.sheet.lines)
    sheet = sort_sheet(paper.sheet, by if by == "name" or final else "rank")
    after = {"number": sheet.after}
    if final:
        title = _("Final standings by name") if by == "name" else _("Final standings")
    elif by == "name":
        title = _("Standings by name after round %(number)s") % after
    else:
        title = _("Standings after round %(number)s") % after
    some_not_played = any(line.record.not_played for line in sheet.lines)
    columns = [
        PaperColumn(_("Final place") if final else _("Rank")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Record")),
        *([PaperColumn(_("Not played"))] if some_not_played else []),
        *(PaperColumn(column.title) for column in sheet.columns),
    ]
    rows = [
        [
            str(line.place if final else line.rank),
            line.name,
            format_record(line.record._replace(not_played=0)),
            *([str(line.record.not_played or "")] if some_not_played else []),
            *(text for _slug, text in line.cells),
        ]
        for line in sheet.lines
    ]
    return PaperList(title, columns, rows)


def crosstable(paper: EventPaper) -> PaperList:
    """Everyone by rank, with the outcome and the opponent's rank in each complete Swiss round."""
    ranking = paper.ranking
    ranks = {row.entry: row.rank for row in ranking}
    count = max((view.now.rounds for view in ranking.views.values()), default=0)
    rows = []
    for row in ranking:
        field = ranking.views[row.entry].now
        played = {line.number: line for line in field.records[row.entry].rounds}
        cells = [_cell(played.get(number), ranks) for number in range(1, count + 1)]
        points = format_number(field.column("match_points").exact(row.entry))
        rows.append([str(row.rank), paper.public_names[row.entry], *cells, points])
    columns = [
        PaperColumn(_("Rank")),
        PaperColumn(_("Player"), "name"),
        *(PaperColumn(str(number)) for number in range(1, count + 1)),
        PaperColumn(_("Points")),
    ]
    note = _("W, D, L with the opponent's rank; + bye, − missed.")
    return PaperList(_("Crosstable"), columns, rows, note=note)


def _cell(line: RoundRecord | None, ranks: Mapping[str, int]) -> str:
    if line is None:
        return ""
    if line.opponent is None:
        return "−" if line.outcome == "L" else "+"
    return f"{line.outcome}{ranks.get(line.opponent, '')}"
