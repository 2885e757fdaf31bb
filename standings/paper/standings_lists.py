"""Standings and the crosstable on paper."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from standings.engine.records import RoundRecord
from standings.paper.paper_list import PaperColumn, PaperList
from standings.paper.round_paper import EventPaper
from standings.table.sheet import sort_sheet
from standings.words.formats import format_number


def standings_by_rank(paper: EventPaper) -> PaperList:
    """The standings after the complete rounds; the final ones once the bracket is played."""
    return _standings(paper, "place")


def standings_by_name(paper: EventPaper) -> PaperList:
    """The standings in the order in which players look for themselves."""
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
    columns = [
        PaperColumn(_("Final place") if final else _("Rank")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Record")),
        *(PaperColumn(column.title) for column in sheet.columns),
    ]
    rows = [
        [
            str(line.place if final else line.rank),
            line.name,
            line.record,
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
