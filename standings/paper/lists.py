"""The printable lists of a round and of an event, by URL."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from standings.paper import round_lists
from standings.paper.paper_list import PaperList, RoundPaper


class PaperKind(NamedTuple):
    title: Any
    use: Any
    make: Callable[[Any], PaperList]  # from a RoundPaper, or from an EventPaper where no round is needed


LISTS = {
    "pairings-by-name": PaperKind(
        _("Pairings by name"), _("for the wall: each match twice"), round_lists.pairings_by_name
    ),
    "pairings-by-table": PaperKind(
        _("Pairings by table"), _("for the wall and the judges"), round_lists.pairings_by_table
    ),
    "master-result-sheet": PaperKind(
        _("Master result sheet"), _("every table, with room for its result"), round_lists.master_result_sheet
    ),
    "sweep-sheet": PaperKind(
        _("Judges' sweep sheet"),
        _("the outstanding tables, for the end of the round"),
        round_lists.sweep_sheet,
    ),
    "blank-result-sheet": PaperKind(
        _("Blank result sheet"), _("to go on by hand"), round_lists.blank_result_sheet
    ),
}
STANDINGS = {
    "standings-by-rank": PaperKind(
        _("Standings by rank"), _("after the last complete round"), round_lists.standings_by_rank
    ),
    "standings-by-name": PaperKind(
        _("Standings by name"), _("where players look for themselves"), round_lists.standings_by_name
    ),
    "crosstable": PaperKind(
        _("Crosstable"), _("who met whom, by rank, and how it ended"), round_lists.crosstable
    ),
}
EVENT_LISTS = {
    "seatings": PaperKind(
        _("Seatings for the player meeting"), _("by name, 2 to a table"), round_lists.seatings
    ),
    "sign-up-sheet": PaperKind(_("Blank sign-up sheet"), _("one sheet"), round_lists.sign_up_sheet),
    "decklist-cover": PaperKind(_("Decklist cover"), _("one sheet, to copy"), round_lists.decklist_cover),
    "penalty-report": PaperKind(
        _("Penalty report"),
        _("for the head judge: every penalty, with full names"),
        round_lists.penalty_report,
    ),
    "prize-list": PaperKind(
        _("Prize list with receipts"), _("to sign for each prize"), round_lists.prize_list
    ),
}


def lists_of(paper: RoundPaper) -> dict[str, PaperKind]:
    """Return the round's printable sheets by URL part; standings only after it is complete, unless hidden."""
    shown = paper.sheet.after and not paper.tournament.hold_standings
    return LISTS | STANDINGS if shown else LISTS
