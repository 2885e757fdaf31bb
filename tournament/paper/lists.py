"""Printed lists: pairings and result sheets of a round; seatings and penalties of an event."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from tournament.event.display_names import listed_name, sort_by_name
from tournament.event.rounds import round_name, round_names
from tournament.event.table_plan import assign_tables, round_table_plan, table_name
from tournament.event.types import LEFT_THE_EVENT, Entry
from tournament.models import Entry as EntryRow
from tournament.models import Extension
from tournament.paper.paper_list import (
    EVENT_LISTS,
    READ,
    ROUND_LISTS,
    WRITE,
    EventPaper,
    PaperColumn,
    PaperList,
    RoundPaper,
    printable,
    text_width,
)
from tournament.progress.posted_rounds import PostedTable, lines_by_name
from tournament.results.wording import result_words
from tournament.services.judging import list_penalties


def _table() -> PaperColumn:
    return PaperColumn(_("Table"))


def _to_write(*titles: str) -> list[PaperColumn]:
    return [PaperColumn(title, "write") for title in titles]


def _title(paper: RoundPaper, title: str) -> str:
    return _("%(title)s, %(round)s") % {"title": title, "round": round_name(paper.round).label}


def _points(paper: RoundPaper) -> list[PaperColumn]:
    return [] if paper.tournament.hold_standings else [PaperColumn(_("Points"))]


def _name(paper: RoundPaper, table: int | None) -> str:
    return table_name(paper.tournament, table, paper.round) or "–"


def _first(player: Any) -> str:
    return f"● {player.name}" if player.first else player.name


def _note(tables: Sequence[PostedTable]) -> str:
    return _("● moves first.") if any(table.fact.first for table in tables) else ""


@printable(
    ROUND_LISTS, "pairings-by-name", _lazy("Pairings by name"), _lazy("for the wall: each match twice")
)
def pairings_by_name(paper: RoundPaper) -> PaperList:
    shown = _points(paper)
    columns = [PaperColumn(_("Player"), "name"), *shown, _table(), PaperColumn(_("Opponent"), "name")]
    rows = []
    for line in lines_by_name(paper.tables):
        other = _first(line.other) if line.other else line.words
        points = [paper.public_points.get(line.me.code, "")] * len(shown)
        rows.append([_first(line.me), *points, _name(paper, line.table), other])
    return PaperList(_title(paper, _("Pairings by name")), columns, rows, note=_note(paper.tables))


@printable(ROUND_LISTS, "pairings-by-table", _lazy("Pairings by table"), _lazy("for the wall and the judges"))
def pairings_by_table(paper: RoundPaper) -> PaperList:
    points = _points(paper)
    opponent = PaperColumn(_("Opponent"), "name")
    columns = [_table(), PaperColumn(_("Player"), "name"), *points, opponent, *points]
    rows = []
    for table in paper.tables:
        row = [_name(paper, table.table)]
        for player in (table.a, table.b):
            row.append(_first(player) if player else table.words)
            row += [paper.public_points.get(player.code, "") if player else ""] * len(points)
        rows.append(row)
    return PaperList(_title(paper, _("Pairings by table")), columns, rows, note=_note(paper.tables))


@printable(
    ROUND_LISTS,
    "master-result-sheet",
    _lazy("Master result sheet"),
    _lazy("every table, with room for its result"),
)
def master_result_sheet(paper: RoundPaper) -> PaperList:
    """Return every table with its result, or space for it and for drops."""
    names = paper.names
    rows = [
        [_name(paper, table.table), names[table.a.code], result_words(table.fact), names[table.b.code], ""]
        for table in paper.matches
        if table.b
    ]
    return PaperList(_title(paper, _("Master result sheet")), _result_columns(), rows, READ * 3 // 4)


def _result_columns() -> list[PaperColumn]:
    return [
        _table(),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Result"), "write"),
        PaperColumn(_("Opponent"), "name"),
        PaperColumn(_("Drop"), "write"),
    ]


# Names on the sweep sheet are read while walking, so a long pair (in half ems) gets a higher row.
PAIRS, FEWEST = ((120, READ * 3 // 4), (180, WRITE)), 14


@printable(
    ROUND_LISTS,
    "sweep-sheet",
    _lazy("Judges' sweep sheet"),
    _lazy("the outstanding tables, for the end of the round"),
)
def sweep_sheet(paper: RoundPaper) -> PaperList:
    """Return the outstanding tables, for judges who walk the room at the end of the round."""
    blank = _to_write(_("Time extension"), _("State"), _("Judge"))
    columns = [_table(), PaperColumn(_("Players"), "pair"), *blank]
    extra = dict(Extension.objects.filter(match__round=paper.round).values_list("match__table", "minutes"))
    rows = []
    for table in paper.matches:
        if table.b and table.fact.result is None:
            players = {"a": paper.names[table.a.code], "b": paper.names[table.b.code]}
            more = _("%(minutes)s min") % {"minutes": extra[table.table]} if table.table in extra else ""
            rows.append([_name(paper, table.table), _("%(a)s vs. %(b)s") % players, more, "", ""])
    widest = max((text_width(row[1]) for row in rows), default=0)
    per_sheet = next((count for most, count in PAIRS if widest <= most), FEWEST)
    return PaperList(_title(paper, _("Judges' sweep sheet: outstanding tables")), columns, rows, per_sheet)


@printable(ROUND_LISTS, "blank-result-sheet", _lazy("Blank result sheet"), _lazy("to continue on paper"))
def blank_result_sheet(paper: RoundPaper) -> PaperList:
    return result_sheet(_title(paper, _("Result sheet")))


def result_sheet(title: str) -> PaperList:
    columns = _result_columns()
    return PaperList(title, columns, [[""] * len(columns)] * WRITE, WRITE)


@printable(EVENT_LISTS, "seatings", _lazy("Seatings for the player meeting"), _lazy("by name, 2 to a table"))
def seatings(paper: EventPaper) -> PaperList:
    columns = [PaperColumn(_("Player"), "name"), _table(), *_to_write(_("Here"))]
    rows = [
        [listed_name(paper.public_names[code]), table_name(paper.tournament, table), ""]
        for code, table in assign_meeting_seats(paper)
    ]
    return PaperList(_("Seatings for the player meeting"), columns, rows)


def assign_meeting_seats(paper: EventPaper) -> list[tuple[str, int]]:
    """Return (code, table) for everyone who plays, by name: two per table in this order, around the fixed tables."""
    entries = {code: entry for code, entry in paper.event.entries.items() if _plays(entry)}
    codes = sort_by_name({code: paper.public_names[code] for code in entries})
    pairs = [(codes[place], (codes[place + 1 :] or [""])[0]) for place in range(0, len(codes), 2)]
    tables = assign_tables(
        pairs,
        round_table_plan(paper.tournament),
        fixed={code: entry.fixed_table for code, entry in entries.items() if entry.fixed_table},
    )
    return [(code, table) for pair, table in zip(pairs, tables, strict=True) for code in pair if code]


def _plays(entry: Entry) -> bool:
    return entry.status in ("playing", "registered") and not entry.house


def dropped_players(paper: EventPaper) -> PaperList:
    columns = [PaperColumn(_("Player"), "name"), PaperColumn(_("State")), PaperColumn(_("Last round"))]
    rounds = round_names(paper.tournament)
    gone = {code: entry for code, entry in paper.event.entries.items() if entry.status in LEFT_THE_EVENT}
    rows = [
        [
            listed_name(paper.names[code]),
            str(EntryRow.Status(gone[code].status).label),
            rounds[last].cell if (last := gone[code].dropped_after) else "–",
        ]
        for code in sort_by_name({code: paper.names[code] for code in gone})
    ]
    return PaperList(_("Dropped players"), columns, rows)


@printable(EVENT_LISTS, "sign-up-sheet", _lazy("Blank sign-up sheet"), _lazy("one sheet"))
def sign_up_sheet(_paper: EventPaper) -> PaperList:
    blank = _to_write(_("Number or email"), _("Paid"), _("Signature"))
    columns = [PaperColumn(_("No.")), PaperColumn(_("Name"), "name"), *blank]
    rows = [[str(number), "", "", "", ""] for number in range(1, WRITE + 1)]
    return PaperList(_("Sign-up sheet"), columns, rows, WRITE)


@printable(EVENT_LISTS, "decklist-cover", _lazy("Decklist cover"), _lazy("one sheet, to copy"))
def decklist_cover(paper: EventPaper) -> PaperList:
    fields = (
        _("Event"), _("Date"), _("Player"), _("Number"), _("First letter of the last name"), _("Table"), _("Deck"),
        _("Cards in the main deck"), _("Cards in the sideboard"), _("Signature"), _("Checked by, in round"),
    )  # fmt: skip
    columns = [PaperColumn(_("Decklist")), PaperColumn(_("Fill in"), "name")]
    rows = [[field, paper.tournament.name if place == 0 else ""] for place, field in enumerate(fields)]
    return PaperList(_("Decklist cover"), columns, rows, WRITE)


MOST = 58  # characters of a row; CJK ones take two lines


@printable(
    EVENT_LISTS,
    "penalty-report",
    _lazy("Penalty report"),
    _lazy("for the head judge: every penalty, with full names"),
)
def penalty_report(paper: EventPaper) -> PaperList:
    """List every penalty in the order given, with full names. A long description continues in further rows."""
    columns = [
        PaperColumn(_("Round")),
        PaperColumn(_("Table")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Penalty")),
        PaperColumn(_("Infraction, description and judge"), "text"),
    ]
    rows: list[list[str]] = []
    for penalty in list_penalties(paper.tournament):
        round_ = round_name(penalty.round, paper.tournament).cell if penalty.round else "–"
        where = [round_, penalty.table_name or "–"]
        words = (penalty.reason, " ".join(penalty.description.split()), penalty.judge)
        first, *more = wrap(" · ".join(filter(None, words)), MOST) or [""]
        rows.append([*where, penalty.name, str(penalty.get_kind_display()), first])
        rows += [["", "", "", "", line] for line in more]
    return PaperList(_("Penalty report"), columns, rows)
