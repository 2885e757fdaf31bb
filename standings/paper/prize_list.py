"""The prize list on paper, with a line to sign for each prize."""

from django.utils.translation import gettext as _

from standings.event.rounds import count_open_rounds
from standings.paper.paper_list import WRITE, PaperColumn, PaperList
from standings.paper.round_paper import EventPaper
from standings.table.prizes import prize_list_of


def prize_list(paper: EventPaper) -> PaperList:
    """Who wins what by every result entered so far, each with a place to sign for it."""
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
