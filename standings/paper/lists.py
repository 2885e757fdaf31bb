"""What can be printed beside slips: the lists of a round and those of an event, by their addresses."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy

from standings.paper import event_lists, prize_list, round_lists, standings_lists
from standings.paper.paper_list import PaperList
from standings.paper.penalty_report import penalty_report
from standings.paper.round_paper import RoundPaper


class PaperKind(NamedTuple):
    """A list that can be printed, what it is for, and how it is made."""

    title: Any
    use: Any
    make: Callable[[Any], PaperList]  # from a RoundPaper, or from an EventPaper where no round is needed


LISTS = {
    "pairings-by-name": PaperKind(
        gettext_lazy("Pairings by name"),
        gettext_lazy("for the wall: each match twice"),
        round_lists.pairings_by_name,
    ),
    "pairings-by-table": PaperKind(
        gettext_lazy("Pairings by table"),
        gettext_lazy("for the wall and the judges"),
        round_lists.pairings_by_table,
    ),
    "master-result-sheet": PaperKind(
        gettext_lazy("Master result sheet"),
        gettext_lazy("every table, with room for its result"),
        round_lists.master_result_sheet,
    ),
    "sweep-sheet": PaperKind(
        gettext_lazy("Judges' sweep sheet"),
        gettext_lazy("the outstanding tables, for the end of the round"),
        round_lists.sweep_sheet,
    ),
    "blank-result-sheet": PaperKind(
        gettext_lazy("Blank result sheet"), gettext_lazy("to go on by hand"), round_lists.blank_result_sheet
    ),
}
STANDINGS = {
    "standings-by-rank": PaperKind(
        gettext_lazy("Standings by rank"),
        gettext_lazy("after the last complete round"),
        standings_lists.standings_by_rank,
    ),
    "standings-by-name": PaperKind(
        gettext_lazy("Standings by name"),
        gettext_lazy("where players look for themselves"),
        standings_lists.standings_by_name,
    ),
    "crosstable": PaperKind(
        gettext_lazy("Crosstable"),
        gettext_lazy("who met whom, by rank, and how it ended"),
        standings_lists.crosstable,
    ),
}


def lists_of(paper: RoundPaper) -> dict[str, PaperKind]:
    """What can be printed for the round, by address; no standings before a round is complete, none while hidden."""
    shown = paper.sheet.after and not paper.tournament.hold_standings
    return LISTS | STANDINGS if shown else LISTS


EVENT_LISTS = {
    "seatings": PaperKind(
        gettext_lazy("Seatings for the player meeting"),
        gettext_lazy("by name, 2 to a table"),
        event_lists.seatings,
    ),
    "sign-up-sheet": PaperKind(
        gettext_lazy("Blank sign-up sheet"), gettext_lazy("one sheet"), event_lists.sign_up_sheet
    ),
    "decklist-cover": PaperKind(
        gettext_lazy("Decklist cover"), gettext_lazy("one sheet, to copy"), event_lists.decklist_cover
    ),
    "penalty-report": PaperKind(
        gettext_lazy("Penalty report"),
        gettext_lazy("for the head judge: every penalty, with full names"),
        penalty_report,
    ),
    "prize-list": PaperKind(
        gettext_lazy("Prize list with receipts"),
        gettext_lazy("to sign for each prize"),
        prize_list.prize_list,
    ),
}
