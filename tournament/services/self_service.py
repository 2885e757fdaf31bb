"""Players' own actions: they register, check in, request byes, drop, and write to staff; their links and phones."""

import secrets
from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.player_link import derive_key, hash_key
from tournament.actionlog.actors import PHONE, PLAYER_ACTOR
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, NotFound, Refused, WrongState, get_or_refuse
from tournament.event.teams import build_team
from tournament.event.types import LEFT_THE_EVENT
from tournament.models import Entry, Flag, Round, Stage, Tournament
from tournament.services import entries
from tournament.services.drops import apply_drop, apply_return
from tournament.services.entries import find_own_entry, find_unmerged_entry
from tournament.services.requested_byes import PLAYS, REQUESTS, apply_request, find_own_rounds, is_committed
from tournament.services.stage_entries import add_to_stage, next_codes
from tournament.services.standings_hooks import WAITS, standings
from tournament.text import LONGEST_NAME, clean_lines, clean_name

MOST_WAITING = 2000
MOST_OPEN = 5  # messages of one player
LONGEST_MESSAGE = 300  # characters
GET_LINKS = (Entry.Status.REGISTERED, Entry.Status.WAITLISTED, Entry.Status.PLAYING)


def takes_registrations(tournament: Tournament) -> bool:
    is_open = tournament.self_registration and tournament.state == Tournament.State.OPEN
    return is_open and not tournament.rounds.exists()


def check_in_is_open(tournament: Tournament) -> bool:
    """Whether it is between the two check-in times, either of which may be unset."""
    start, end = tournament.check_in_from, tournament.check_in_until
    now = timezone.now()
    if tournament.state != Tournament.State.OPEN or not (start or end):
        return False
    return (start is None or start <= now) and (end is None or now <= end)


@service("self-register", computed=("key_hash",))
def register_self(
    log: Log,
    name: str,
    *,
    key_hash: str,
    members: Sequence[str] = (),
    captain: int = 1,
    display_name_only: bool = False,
    **texts: str,
) -> None:
    """Register a player or, if all spots are taken, put the player at the end of the waitlist.

    `key_hash`: of the key in the player link; `texts`: further personal fields. A membership number that another player
    has is accepted, because refusing it would reveal who is registered.
    """
    tournament = log.tournament
    if not takes_registrations(tournament):
        raise WrongState(_("Registration is closed. Ask at the event desk."))
    personal: dict[str, Any] = {field: clean_name(text) for field, text in texts.items()}
    personal["name"] = entries.check_name(name)
    for field in ("last_name", "alias"):
        if len(personal.get(field, "")) > LONGEST_NAME:
            raise Refused(_("Enter a name of 1 to %(most)s characters."), most=LONGEST_NAME)
    personal |= {**build_team(members, captain), "display_name_only": display_name_only, "key_hash": key_hash}
    [code] = next_codes(tournament, 1)
    log.actor = f"{PLAYER_ACTOR}{code}"
    ahead = tournament.entries.filter(entries.ON_WAITLIST).count()
    free = entries.free_spots(tournament)
    if free is None or free > ahead:
        add_to_stage(log, [({}, personal)])
        return
    if ahead >= MOST_WAITING:
        raise WrongState(_("The waitlist is full. Ask at the event desk."))
    waiting = {"status": "waitlisted", "waits": entries.next_waitlist_number(log)}
    log.add(Entry, f"entries/{code}", waiting, personal)
    entries.fill_spots(log)


@service("own check-in")
def check_in_self(log: Log, code: str) -> None:
    entry = find_own_entry(log, code)
    if not check_in_is_open(log.tournament):
        raise WrongState(_("Check-in by phone is closed now. Check in at the event desk."))
    if entry.status == Entry.Status.WAITLISTED:
        raise WrongState(_("You are on the waitlist and have no spot yet."))
    if entry.status != Entry.Status.PLAYING:
        raise WrongState(_("You have dropped from this event. To play again, ask at the event desk."))
    log.set(entry, checked_in=True)


@service("leave")
def drop_self(log: Log, code: str, effect: str | None = None) -> None:
    """Drop a player, or withdraw one before round 1. Raises Conflict if the `effect` on the page is outdated."""
    entry = find_own_entry(log, code)
    if entry.status in LEFT_THE_EVENT:
        raise WrongState(_("You have already dropped from this event."))
    now = standings().find_drop_effect(entry)
    if effect is not None and effect != now:
        raise Conflict(_("Your match changed meanwhile. You are still in. Look at the page again."))
    if now != WAITS:
        apply_drop(log, entry)
    elif open_drop_request(entry) is None:
        rounds = Round.objects.filter(stage__stage_entries__entry=entry).order_by("number")
        about = {"entry": code, "round": rounds.values_list("number", flat=True).last()}
        log.add_next(Flag, {"kind": Flag.Kind.DROP, "at": timezone.now().isoformat(), **about})


def open_drop_request(entry: Entry) -> Flag | None:
    return entry.flags.filter(kind=Flag.Kind.DROP, done=False).first()


def drop_request_state(entry: Entry) -> str:
    """Return the state of the player's request to leave the bracket: "open", "declined" in this round, or ""."""
    requests = entry.flags.filter(kind=Flag.Kind.DROP).select_related("round")
    last = requests.order_by("number").last()
    if last is None or entry.status != Entry.Status.PLAYING:
        return ""
    if not last.done:
        return "open"
    return "declined" if last.round and last.round.state != Round.State.COMPLETE else ""


@service("own return")
def undo_own_drop(log: Log, code: str) -> None:
    """Undo a player's own drop until the next round is paired, or cancel a drop request."""
    entry = find_own_entry(log, code)
    if entry.status == Entry.Status.PLAYING:
        if request := open_drop_request(entry):
            log.remove(request)
        return
    if not can_undo_drop(entry):
        raise WrongState(_("You can no longer undo this by phone. Ask at the event desk."))
    apply_return(log, entry)


def can_undo_drop(entry: Entry) -> bool:
    """Whether the player dropped during the event, no one else has changed that, and no round was paired since."""
    if entry.status != Entry.Status.DROPPED or not entry.dropped_after:
        return False
    if entry.stage_entries.filter(stage__kind=Stage.Kind.ELIMINATION, seed__isnull=False).exists():
        return False
    later = Round.objects.filter(stage__stage_entries__entry=entry, number__gt=entry.dropped_after)
    if later.exists() or entry.tournament.state != Tournament.State.RUNNING:
        return False
    change = entries.last_status_change(entry)
    return change is not None and change.kind == "leave"


def is_undefeated(entry: Entry) -> bool:
    ends = entry.seats.filter(opponent__isnull=False, match__result__isnull=False)
    won = lost = False
    for side, result, winner in ends.values_list("side", "match__result", "match__winner"):
        won |= winner == side
        lost |= winner not in ("", side) or (not winner and result in ("double_loss", "forfeit"))
    return won and not lost


@service(REQUESTS[1])
def request_own_bye(log: Log, code: str, number: int, kind: str = "") -> None:
    """Request a bye for a round, or with "" withdraw the request, until the round is paired."""
    entry = find_own_entry(log, code)
    if not log.tournament.self_byes:
        raise WrongState(_("Players do not request byes by phone at this event. Ask at the event desk."))
    if entry.status not in PLAYS:
        raise WrongState(_("You have dropped from this event. To play again, ask at the event desk."))
    rounds = find_own_rounds(entry)
    if 1 <= number <= rounds.paired:
        raise WrongState(_("Round %(round)s is already paired. Ask at the event desk."), round=number)
    if is_committed(entry, rounds, number):
        text = _("Your bye in round %(round)s can no longer be withdrawn. Ask at the event desk.")
        raise WrongState(text, round=number)
    apply_request(log, entry, number, kind)


@service("player link", computed=("key_hash",), after_end=True)
def change_player_link(log: Log, code: str, *, key_hash: str) -> None:
    """Replace a player's link and code, or only revoke them (""). Link numbers only grow, so old links stay invalid."""
    entry = find_unmerged_entry(log.tournament, code)
    if entry.key_hash != key_hash:
        entry.push_subscriptions.all().delete()
        log.set_personal(entry, key_hash=key_hash, link_number=entry.link_number + 1)


@service("player links", after_end=True)
def make_links(log: Log) -> None:
    players = list(log.tournament.entries.filter(key_hash="", house=False, status__in=GET_LINKS))
    for entry in players:
        _derive_link(log.tournament, entry)
    log.set_personal_fields(players, ("key_hash",))


@service("player link", after_end=True)
def renew_link(log: Log, code: str) -> None:
    """Give a player a new link and personal code. The old ones stop working, and push notifications end."""
    entry = find_unmerged_entry(log.tournament, code)
    entry.link_number += 1
    _derive_link(log.tournament, entry)
    entry.push_subscriptions.all().delete()
    log.set_personal_fields([entry], ("key_hash", "link_number"))


@service(PHONE, after_end=True)
def add_phone(log: Log, code: str) -> None:
    """Log that a phone was added with the personal code, and notify the player's other phones."""
    find_own_entry(log, code)
    log.mention(f"entries/{code}", PHONE)


def _derive_link(tournament: Tournament, entry: Entry) -> None:
    if not tournament.link_secret:
        tournament.link_secret = secrets.token_hex(32)
        tournament.save(update_fields=["link_secret"])
    entry.key_hash = hash_key(derive_key(tournament, entry))


@service("flag", after_end=True)
def send_message(log: Log, code: str, text: str, *, number: int | None = None) -> None:
    """Send staff a message, about round `number` if given. The log does not contain its text."""
    entry = entries.find_entry(log.tournament, code)
    text = clean_lines(text)
    if not 1 <= len(text) <= LONGEST_MESSAGE:
        raise Refused(_("Describe what is wrong, in at most %(most)s characters."), most=LONGEST_MESSAGE)
    rounds = log.tournament.rounds.exclude(state=Round.State.DRAFT)
    if number is not None and not rounds.filter(number=number).exists():
        raise NotFound(_("There is no round %(number)s in this event."), number=number)
    if entry.flags.filter(kind=Flag.Kind.MESSAGE, done=False).count() >= MOST_OPEN:
        refusal = _("Staff still have %(most)s messages from you to read. Ask at the event desk.")
        raise WrongState(refusal, most=MOST_OPEN)
    log.actor = f"{PLAYER_ACTOR}{code}"
    fields = {"entry": code, "round": number, "at": timezone.now().isoformat(), "done": False}
    log.add_next(Flag, fields, {"text": text})


@service("flag done", after_end=True)
def settle_message(log: Log, number: int) -> None:
    text = _("There is no message %(number)s in this event.")
    log.set(get_or_refuse(log.tournament.flags.filter(number=number), text, number=number), done=True)
