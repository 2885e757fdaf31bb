"""The penalties of an event on paper: for the head judge's report, and to go on by hand."""

from textwrap import wrap

from django.utils.translation import gettext as _

from standings.paper.paper_list import PaperColumn, PaperList
from standings.paper.round_paper import EventPaper
from tournament.event.table_plan import table_name
from tournament.players.penalties import penalties_of

MOST = 58  # characters of a row; CJK ones take two lines


def penalty_report(paper: EventPaper) -> PaperList:
    """Every penalty in the order they were given, with full names; a long description goes on in further rows."""
    columns = [
        PaperColumn(_("Round")),
        PaperColumn(_("Table")),
        PaperColumn(_("Player"), "name"),
        PaperColumn(_("Penalty")),
        PaperColumn(_("Infraction, description and judge"), "text"),
    ]
    rows: list[list[str]] = []
    for penalty, name, table in penalties_of(paper.tournament):
        round_ = str(penalty.round.number) if penalty.round else "–"
        where = [round_, table_name(paper.tournament, table) or "–"]
        words = (penalty.reason, " ".join(penalty.description.split()), penalty.judge)
        first, *more = wrap(" · ".join(filter(None, words)), MOST) or [""]
        rows.append([*where, name, str(penalty.get_kind_display()), first])
        rows += [["", "", "", "", line] for line in more]
    return PaperList(_("Penalty report"), columns, rows)
