"""Standings on paper: lists after a round and of the finished event, and their parts of the complete printout."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from standings.bracket.tree import build_event_tree
from standings.engine.records import RoundRecord
from standings.table.places import build_event_bracket
from standings.table.prizes import build_prize_list
from standings.table.sheet import load_ranked_event
from standings.table.swiss import count_open_rounds
from standings.words.formats import format_record
from tournament.event.formats import format_number
from tournament.paper.everything import Part, list_part
from tournament.paper.paper_list import (
    EVENT_LISTS,
    STANDINGS_LISTS,
    WRITE,
    EventPaper,
    PaperColumn,
    PaperList,
    printable,
)


@printable(
    STANDINGS_LISTS, "standings-by-rank", _lazy("Standings by rank"), _lazy("after the last complete round")
)
def standings_by_rank(paper: EventPaper) -> PaperList:
    """Return the standings after the complete rounds, or the final ones once the bracket has been played."""
    return _standings(paper, "place")


@printable(
    STANDINGS_LISTS,
    "standings-by-name",
    _lazy("Standings by name"),
    _lazy("for players to find themselves"),
)
def standings_by_name(paper: EventPaper) -> PaperList:
    return _standings(paper, "name")


def _standings(paper: EventPaper, by: str) -> PaperList:
    ranked = load_ranked_event(paper.tournament)
    sheet, bracket = ranked.build_sheet(), build_event_bracket(ranked.event)
    if bracket and bracket.champion is not None:
        sheet.add_final_places(ranked.final_places)
    final = any(line.place for line in sheet.lines)
    sheet.sort(by if by == "name" or final else "rank")
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


@printable(
    STANDINGS_LISTS, "crosstable", _lazy("Crosstable"), _lazy("who played whom, in rank order, with results")
)
def crosstable(paper: EventPaper) -> PaperList:
    """Return everyone by rank, with the outcome and the opponent's rank in each complete Swiss round."""
    ranking = load_ranked_event(paper.tournament).ranking
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


@printable(EVENT_LISTS, "prize-list", _lazy("Prize list with receipts"), _lazy("to sign for each prize"))
def prize_list(paper: EventPaper) -> PaperList:
    columns = [
        PaperColumn(_("Place")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Prize"), "name"),
        PaperColumn(_("Received (signature)"), "write"),
    ]
    lines = build_prize_list(count_open_rounds(paper.event), paper.names).lines if paper.event.prizes else []
    rows = [[line.place, line.name, line.won, ""] for line in lines]
    final = paper.tournament.state == paper.tournament.State.FINISHED
    note = "" if final else _("Not final: the event is not finished.")
    return PaperList(_("Prize list"), columns, rows, WRITE, note=note)


def everything_parts(paper: EventPaper) -> Iterator[Part]:
    """Yield the bracket and the standings after the complete rounds, for the complete printout."""
    if tree := build_event_tree(paper.event, paper.public_names):
        yield Part(_("Bracket"), _("open matches have lines to write on"), tree=tree)
    if any(round_.status == "complete" for round_ in paper.event.rounds):
        hidden = _("not for the wall: the standings are hidden") if paper.tournament.hold_standings else ""
        yield list_part(standings_by_rank(paper), hidden or _("the points to pair by"))
        yield list_part(crosstable(paper), hidden or _("who met whom: no rematches"))
