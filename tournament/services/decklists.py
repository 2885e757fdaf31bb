"""Decklists. `seen`: the form's version. Only organizers can undo actions: scorekeepers may not read lists."""

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.actionlog.actors import PLAYER_ACTOR
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.models import Decklist, Entry, Tournament
from tournament.services.entries import unmerged_entry_of
from tournament.services.requested_byes import PLAYS, own_rounds_of
from tournament.text.clean import clean_lines
from tournament.text.decklists import is_too_long, read_deck, size_problems, too_long_words

MOST_VERSIONS = 50  # submitted by a player
OFF, LATE = Tournament.DecklistRule.OFF, Tournament.DecklistRule.LATE
OPEN_STATES = ("open", "late")
REFUSALS = {
    "off": gettext_lazy("This event takes no decklists."),
    "gone": gettext_lazy("You have dropped from this event. To play again, ask at the event desk."),
    "public": gettext_lazy(
        "The decklists are public: they no longer change by phone. Ask at the event desk."
    ),
    "over": gettext_lazy("The deadline for decklists has passed. Ask at the event desk."),
}


def current_decklist(entry: Entry) -> Decklist | None:
    return entry.decklists.order_by("-number").first()


def is_past_deadline(entry: Entry) -> bool:
    """Whether it is after the deadline or, without one, after round 1 is published."""
    until = entry.tournament.decklists_until
    return timezone.now() > until if until else own_rounds_of(entry).published > 0


def hand_in_state(entry: Entry) -> str:
    """Return "open", "late" if a submission would be marked late, or why none is possible (`REFUSALS`)."""
    tournament = entry.tournament
    if tournament.decklist_rule == OFF:
        return "off"
    if entry.status not in PLAYS:
        return "gone"
    if tournament.decklists_public:
        return "public"
    if tournament.state == Tournament.State.FINISHED:
        return "over"
    if not is_past_deadline(entry):
        return "open"
    return "late" if tournament.decklist_rule == LATE else "over"


@service("hand in decklist", after_end=True, owner=True)
def hand_in_decklist(log: Log, code: str, text: str, seen: int | None = None) -> None:
    """Submit or replace a player's list. Raises WrongState by `hand_in_state` and after MOST_VERSIONS lists."""
    entry = unmerged_entry_of(log.tournament, code)
    log.actor = f"{PLAYER_ACTOR}{code}"
    state = hand_in_state(entry)
    if state not in OPEN_STATES:
        raise WrongState(REFUSALS[state])
    _add_list(log, entry, text, seen, late=state == "late")


@service("enter decklist", after_end=True, owner=True)
def enter_decklist(log: Log, code: str, text: str, seen: int | None = None, late: bool = False) -> None:
    """Enter a player's list as staff, unchecked, with a reason."""
    if log.tournament.decklist_rule == OFF:
        raise WrongState(REFUSALS["off"])
    if not log.reason:
        raise Refused(_("Enter a reason, such as “on paper”. It is kept in the log."), status=422)
    _add_list(log, unmerged_entry_of(log.tournament, code), text, seen, late=late, staff=True)


@service("release decklists", after_end=True, owner=True)
def release_decklists(log: Log, public: bool) -> None:
    log.set(log.tournament, decklists_public=public)


def _add_list(
    log: Log, entry: Entry, text: str, seen: int | None, *, late: bool, staff: bool = False
) -> None:
    if is_too_long(text) or is_too_long(text := clean_lines(text)):
        raise Refused(too_long_words(), status=422)
    if not text:
        raise Refused(_("Paste the decklist, or choose a file."), status=422)
    latest = current_decklist(entry)
    if latest and latest.text == text and (latest.late == late or not staff):
        return
    if seen is not None and seen != (latest.number if latest else 0):
        raise Conflict(
            _("The decklist changed after you opened this page. Nothing was saved. Compare the two.")
        )
    deck, version = read_deck(text), latest.version + 1 if latest else 1
    problems = size_problems(log.tournament, deck.main, deck.sideboard)
    if problems and not staff:
        raise Refused(" ".join(problems), status=422)
    if version > MOST_VERSIONS and not staff:
        raise WrongState(
            _("You have handed in %(most)s decklists. Ask at the event desk."), most=MOST_VERSIONS
        )
    last = log.tournament.decklists.order_by("-number").values_list("number", flat=True).first() or 0
    fields = {
        "entry": entry.code,
        "at": timezone.now().isoformat(),
        "version": version,
        "late": late,
        "main": deck.main,
        "sideboard": deck.sideboard,
        "actor": log.actor if staff else "",
    }
    log.add(Decklist, f"decklists/{last + 1}", fields, {"text": text})
