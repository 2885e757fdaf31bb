"""Every sheet of an event in one HTML file, to continue on paper if the network or the server fails.

Staff can save it at any time, and the server writes a copy after each publication. It does so in the background,
because the slips of a large hall take seconds, and publishing must not wait for them or fail on a full disk.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tournament.actionlog.background import Background
from tournament.actionlog.fold import Change
from tournament.archive.snapshots import PAPER, find_occasion, list_snapshots, write_beside
from tournament.event.rounds import round_name
from tournament.models import Action, Round, Tournament
from tournament.paper import lists
from tournament.paper.paper_list import EventPaper, PaperList, RoundPaper
from tournament.paper.slips import PER_SHEET, PaperSlip, build_slip_sheets

logger = logging.getLogger("tournament.log")

WRITER = Background("paper copies", 1)
COPIES_KEPT = 3  # of each event
STYLES = ("everything.css", "print.css", "bracket.css", "sheet.css")
SEATING = ("re-pair", "anonymize")  # actions that change names or seats of a round without publishing it
OPEN = (Round.State.PUBLISHED, Round.State.REPAIRING)


@dataclass(frozen=True)
class Part:
    """Sheets that belong together: a list, the slips of round `number`, or the bracket."""

    title: str
    use: str = ""
    list: PaperList | None = None
    slips: Sequence[Sequence[PaperSlip]] = ()
    number: int = 0
    tree: Any = None

    @property
    def sheets(self) -> int:
        return self.list.count if self.list else len(self.slips) or 1


StandingsParts = Callable[[EventPaper], Iterator[Part]]
_standings_parts: StandingsParts


def register_standings_parts(make: StandingsParts) -> None:
    """Register the function that makes the sheets of the bracket and the standings."""
    global _standings_parts
    _standings_parts = make


class Contents(NamedTuple):
    parts: list[Part]
    open_rounds: list[str]  # in words: round 5, the quarterfinals
    drafts: list[int]  # round numbers

    @property
    def outstanding(self) -> bool:
        return any(part.slips for part in self.parts)

    @property
    def has_bracket(self) -> bool:
        return any(part.tree for part in self.parts)


def build_contents(tournament: Tournament) -> Contents:
    rounds = tournament.rounds.exclude(state=Round.State.COMPLETE).select_related("stage").order_by("number")
    papers = [RoundPaper(tournament, round_) for round_ in rounds]
    open_papers = [paper for paper in papers if paper.round.state in OPEN]
    drafts = [paper for paper in papers if paper.round.state == Round.State.DRAFT]
    paper: EventPaper = papers[0] if papers else EventPaper(tournament)
    parts = [
        *(part for one in open_papers for part in _round_parts(one)),
        *_standings_parts(paper),
        *(part for one in drafts for part in _draft_parts(one)),
        *_player_parts(paper, bool(open_papers)),
        list_part(lists.result_sheet(_("Result sheet, round ____")), _("blank, one sheet to copy")),
        list_part(lists.sign_up_sheet(paper), _("blank, for late entries")),
    ]
    return Contents(
        parts,
        open_rounds=[round_name(one.round).phrase for one in open_papers],
        drafts=[one.round.number for one in drafts],
    )


def list_part(made: PaperList, use: str = "") -> Part:
    return Part(made.title, use, made)


def _round_parts(paper: RoundPaper) -> Iterator[Part]:
    yield list_part(lists.pairings_by_name(paper), _("for the wall: each match twice"))
    yield list_part(lists.pairings_by_table(paper), _("for the wall and the judges"))
    slips = build_slip_sheets(paper, PER_SHEET[0], outstanding=True)
    if slips:
        values = {"round": round_name(paper.round).label}
        title = _("Match slips of the outstanding tables, %(round)s") % values
        use = _("cut, then stack the piles: the slips stay in table order")
        yield Part(title, use, slips=slips, number=paper.round.number)
    if paper.matches:
        yield list_part(lists.master_result_sheet(paper), _("the results so far, and room for the rest"))


def _draft_parts(paper: RoundPaper) -> Iterator[Part]:
    note = _("Draft: not published.")
    for make in (lists.pairings_by_name, lists.master_result_sheet):
        made = make(paper)
        title = _("%(title)s (draft)") % {"title": made.title}
        yield list_part(replace(made, title=title, note=f"{note} {made.note}".strip()))


def _player_parts(paper: EventPaper, playing: bool) -> Iterator[Part]:
    if not playing and not any(round_.status == "complete" for round_ in paper.event.rounds):
        yield list_part(lists.seatings(paper), _("by name, 2 to a table"))
    gone = lists.dropped_players(paper)
    if gone.rows:
        yield list_part(gone, _("do not pair them"))
    penalties = lists.penalty_report(paper)
    if penalties.rows:
        yield list_part(penalties, _("for the judges only"))


def read_static(name: str) -> bytes:
    return Path(finders.find(name) or staticfiles_storage.path(name)).read_bytes()


def render_everything(tournament: Tournament) -> str:
    """Return the file as HTML with styles and QR codes inline, so that it opens without a network."""
    styles = SafeString(f"<style>{''.join(read_static(name).decode() for name in STYLES)}</style>")
    with timezone.override(tournament.time_zone):
        context = {
            "contents": build_contents(tournament),
            "at": timezone.now(),
            "per_sheet": PER_SHEET[0],
            "tournament": tournament,
            "styles": styles,
            "site_name": settings.SITE_NAME,
        }
        return render_to_string("tournament/paper/everything.html", context)


def write_copy_after(tournament: Tournament, action: Action) -> None:
    """Write a copy in the background if the committed action changed the posted pairings."""
    occasion = _occasion(action.kind, action.changes)
    if occasion:
        WRITER.submit(_try_to_write, tournament, action.number, occasion)


def _try_to_write(tournament: Tournament, number: int, occasion: str) -> None:
    try:
        write_copy(tournament, occasion)
    except OSError as error:
        logger.error("%s #%s: no paper copy was written: %s", tournament.slug, number, error)


def _occasion(kind: str, changes: list[Change]) -> str:
    occasion = find_occasion(changes)
    if occasion == "cut" or occasion.endswith("-published"):
        return occasion
    return kind if kind in SEATING else ""


def write_copy(tournament: Tournament, occasion: str) -> Path | None:
    """Write a copy of the current event, unless it has one, and delete the oldest beyond `COPIES_KEPT`.

    Writes nothing if the event was deleted, or names or seats changed, in the meantime: that action writes its own
    copy. Raises OSError.
    """
    number = _read_revision(tournament)
    if number is None or any(copy.number == number for copy in list_snapshots(tournament, PAPER)):
        return None  # several actions were committed at once
    page = render_everything(tournament)
    later = tournament.actions.filter(number__gt=number, kind__in=SEATING)
    if _read_revision(tournament) is None or later.exists():
        return None
    return write_beside(tournament, f"{number:04d}-{occasion}", PAPER, page, COPIES_KEPT)


def _read_revision(tournament: Tournament) -> int | None:
    return Tournament.objects.filter(pk=tournament.pk).values_list("revision", flat=True).first()
