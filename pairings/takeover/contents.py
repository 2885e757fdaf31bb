"""What the take-over holds: the parts of the file in the order in which they are printed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _

from pairings.takeover.next_round import NextRound, next_rounds_of
from standings.bracket.tree import tree_of_event
from standings.paper import event_lists, round_lists, standings_lists
from standings.paper.paper_list import PaperList
from standings.paper.penalty_report import penalty_report
from standings.paper.round_paper import EventPaper, RoundPaper
from standings.paper.slips import PER_SHEET, PaperSlip, slip_sheets_of
from standings.words.tree import Tree
from tournament.models import Round, Tournament

OPEN = (Round.State.PUBLISHED, Round.State.REPAIRING)


@dataclass(frozen=True)
class Part:
    """Sheets that belong together: a list, the slips of round `number`, or the bracket."""

    title: str
    use: str = ""
    list: PaperList | None = None
    slips: Sequence[Sequence[PaperSlip]] = ()
    number: int = 0
    tree: Tree | None = None

    @property
    def sheets(self) -> int:
        """How many sheets it takes."""
        return self.list.count if self.list else len(self.slips) or 1


@dataclass(frozen=True)
class TakeOver:
    """The whole file.

    at           when it was made
    open         the numbers of the rounds being played
    provisional  the numbers of the rounds paired without being published
    notes        why a next round is not among them
    bracket      whether it is set: winners go on, and no one is paired
    """

    tournament: Tournament
    at: datetime
    open: Sequence[int]
    parts: Sequence[Part]
    provisional: Sequence[int] = ()
    notes: Sequence[str] = ()
    bracket: bool = False
    per_sheet: int = field(default=PER_SHEET[0])

    @property
    def outstanding(self) -> bool:
        """Whether a table waits for its result."""
        return any(part.slips for part in self.parts)


def take_over_of(tournament: Tournament) -> TakeOver:
    """Everything needed to go on by hand, as the event stands now. Writes nothing."""
    rounds = list(tournament.rounds.filter(state__in=OPEN).select_related("stage").order_by("number"))
    papers = [RoundPaper(tournament, round_) for round_ in rounds]
    paper: EventPaper = papers[0] if papers else EventPaper(tournament)
    bracket = list(_bracket_parts(paper))
    nexts = [] if bracket else next_rounds_of(tournament)
    parts = [
        *(part for one in papers for part in _round_parts(one)),
        *bracket,
        *_standings_parts(paper),
        *(part for one in nexts if one.paper for part in _provisional_parts(one)),
        *_player_parts(paper, bool(rounds)),
        _part(round_lists.result_sheet(_("Result sheet, round ____")), _("blank, one sheet to copy")),
        _part(event_lists.sign_up_sheet(paper), _("blank, for late entries")),
    ]
    return TakeOver(
        tournament,
        timezone.now(),
        open=[round_.number for round_ in rounds],
        parts=parts,
        provisional=[one.paper.round.number for one in nexts if one.paper],
        notes=[one.reason for one in nexts if one.reason],
        bracket=bool(bracket),
    )


def _part(made: PaperList, use: str = "") -> Part:
    return Part(made.title, use, made)


def _round_parts(paper: RoundPaper) -> Iterator[Part]:
    yield _part(round_lists.pairings_by_name(paper), _("for the wall: each match twice"))
    yield _part(round_lists.pairings_by_table(paper), _("for the wall and the judges"))
    slips = slip_sheets_of(paper, PER_SHEET[0], outstanding=True)
    if slips:
        title = _("Match slips of the outstanding tables, round %(number)s") % {"number": paper.round.number}
        yield Part(
            title,
            _("cut and stack the piles: they are in table order"),
            slips=slips,
            number=paper.round.number,
        )
    if paper.matches:
        yield _part(round_lists.master_result_sheet(paper), _("the results so far, and room for the rest"))


def _bracket_parts(paper: EventPaper) -> Iterator[Part]:
    tree = tree_of_event(paper.event, paper.public_names)
    if tree:
        yield Part(_("Bracket"), _("open matches have lines to write on"), tree=tree)


def _standings_parts(paper: EventPaper) -> Iterator[Part]:
    if any(round_.status == "complete" for round_ in paper.event.rounds):
        hidden = _("not for the wall: the standings are hidden") if paper.tournament.hold_standings else ""
        yield _part(standings_lists.standings_by_rank(paper), hidden or _("the points to pair by"))
        yield _part(standings_lists.crosstable(paper), hidden or _("who met whom: no rematches"))


def _provisional_parts(round_: NextRound) -> Iterator[Part]:
    assert round_.paper is not None
    note = _("Provisional: not published.")
    use = _("as the app would pair it now")
    for make in (round_lists.pairings_by_name, round_lists.master_result_sheet):
        made = make(round_.paper)
        title = _("%(title)s (provisional)") % {"title": made.title}
        yield _part(replace(made, title=title, note=f"{note} {made.note}".strip()), use)


def _player_parts(paper: EventPaper, playing: bool) -> Iterator[Part]:
    if not playing and not paper.event.rounds:
        yield _part(event_lists.seatings(paper), _("by name, 2 to a table"))
    gone = event_lists.dropped_players(paper)
    if gone.rows:
        yield _part(gone, _("do not pair them"))
    penalties = penalty_report(paper)
    if penalties.rows:
        yield _part(penalties, _("for the judges only"))
