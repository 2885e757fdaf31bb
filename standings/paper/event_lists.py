"""Lists that do not need a round: seatings, sign-up sheets, penalties, prizes."""

from textwrap import wrap

from django.utils.translation import gettext as _

from standings.event.rounds import count_open_rounds
from standings.paper.paper_list import WRITE, PaperColumn, PaperList
from standings.paper.round_paper import EventPaper
from standings.table.prizes import prize_list_of
from tournament.event.table_plan import assign_tables, plan_of, table_name
from tournament.event.types import LEFT_THE_EVENT, Entry
from tournament.models import Entry as EntryRow
from tournament.players.judging import penalties_of
from tournament.text.display_names import listed_name, sort_by_name
from tournament.text.round_names import name_of_round, round_names


def seatings(paper: EventPaper) -> PaperList:
    columns = [PaperColumn(_("Player"), "name"), PaperColumn(_("Table")), PaperColumn(_("Here"), "write")]
    rows = [
        [listed_name(paper.public_names[code]), table_name(paper.tournament, table), ""]
        for code, table in seats_of(paper)
    ]
    return PaperList(_("Seatings for the player meeting"), columns, rows)


def seats_of(paper: EventPaper) -> list[tuple[str, int]]:
    """Return (code, table) of everyone who plays, by name: two per table in this order, besides fixed tables."""
    entries = {code: entry for code, entry in paper.event.entries.items() if _plays(entry)}
    codes = sort_by_name({code: paper.public_names[code] for code in entries})
    pairs = [(codes[place], (codes[place + 1 :] or [""])[0]) for place in range(0, len(codes), 2)]
    tables = assign_tables(
        pairs,
        plan_of(paper.tournament),
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


def sign_up_sheet(_paper: EventPaper) -> PaperList:
    columns = [
        PaperColumn(_("No.")),
        PaperColumn(_("Name"), "name"),
        PaperColumn(_("Number or email"), "write"),
        PaperColumn(_("Paid"), "write"),
        PaperColumn(_("Signature"), "write"),
    ]
    rows = [[str(number), "", "", "", ""] for number in range(1, WRITE + 1)]
    return PaperList(_("Sign-up sheet"), columns, rows, WRITE)


def decklist_cover(paper: EventPaper) -> PaperList:
    fields = (
        _("Event"), _("Date"), _("Player"), _("Number"), _("First letter of the last name"), _("Table"), _("Deck"),
        _("Cards in the main deck"), _("Cards in the sideboard"), _("Signature"), _("Checked by, in round"),
    )  # fmt: skip
    columns = [PaperColumn(_("Decklist")), PaperColumn("", "name")]
    rows = [[field, paper.tournament.name if place == 0 else ""] for place, field in enumerate(fields)]
    return PaperList(_("Decklist cover"), columns, rows, WRITE)


MOST = 58  # characters of a row; CJK ones take two lines


def penalty_report(paper: EventPaper) -> PaperList:
    """List every penalty in the order given, with full names; a long description continues in further rows."""
    columns = [
        PaperColumn(_("Round")),
        PaperColumn(_("Table")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Penalty")),
        PaperColumn(_("Infraction, description and judge"), "text"),
    ]
    rows: list[list[str]] = []
    for penalty, name, _table, at_table in penalties_of(paper.tournament):
        round_ = name_of_round(penalty.round, paper.tournament).cell if penalty.round else "–"
        where = [round_, at_table or "–"]
        words = (penalty.reason, " ".join(penalty.description.split()), penalty.judge)
        first, *more = wrap(" · ".join(filter(None, words)), MOST) or [""]
        rows.append([*where, name, str(penalty.get_kind_display()), first])
        rows += [["", "", "", "", line] for line in more]
    return PaperList(_("Penalty report"), columns, rows)


def prize_list(paper: EventPaper) -> PaperList:
    columns = [
        PaperColumn(_("Place")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Prize"), "name"),
        PaperColumn(_("Received (signature)"), "write"),
    ]
    lines = prize_list_of(count_open_rounds(paper.event), paper.names).lines if paper.event.prizes else []
    rows = [[line.place, line.name, line.won, ""] for line in lines]
    final = paper.tournament.state == paper.tournament.State.FINISHED
    note = "" if final else _("Not final: the event is not finished.")
    return PaperList(_("Prize list"), columns, rows, WRITE, note=note)
