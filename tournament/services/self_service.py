"""What players do themselves, through their player link: register, check in, drop."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.models import Entry, Round, Tournament
from tournament.services.drops import apply_drop, apply_return, tell_listeners
from tournament.services.entries import unmerged_entry_of
from tournament.services.requested_byes import PLAYS, REQUESTS, apply_request, is_committed, own_rounds_of
from tournament.services.stage_entries import add_to_stage, next_codes
from tournament.services.waitlist import ON_WAITLIST, fill_spots, free_spots, next_waitlist_number
from tournament.text.clean import LONGEST_NAME, clean_name
from tournament.text.teams import team_of

MOST_WAITING = 2000
PLAYER_ACTOR = "player:"  # before the code, as actor of what a player did; no account's name has a colon


def takes_registrations(tournament: Tournament) -> bool:
    """Whether players can register themselves now: until round 1 is paired."""
    return (
        tournament.self_registration
        and tournament.state == Tournament.State.OPEN
        and not tournament.rounds.exists()
    )


def check_in_is_open(tournament: Tournament) -> bool:
    """Whether players can check themselves in now: between the two times; one alone leaves the other open."""
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
    last_name: str = "",
    alias: str = "",
    contact: str = "",
    external_id: str = "",
    display_name_only: bool = False,
    members: Sequence[str] = (),
    captain: int = 1,
) -> None:
    """A player registers: into the event or, where all spots are taken, onto the end of the waitlist.

    `key_hash` is of the key in the player link. Raises WrongState where registration is closed, Refused for
    an unreadable name, a membership number that is already registered, and as `team_of`.
    """
    tournament = log.tournament
    if not takes_registrations(tournament):
        raise WrongState(_("Registration is closed. Ask at the event desk."))
    texts = {
        "name": name,
        "last_name": last_name,
        "alias": alias,
        "contact": contact,
        "external_id": external_id,
    }
    personal: dict[str, Any] = {field: clean_name(text) for field, text in texts.items()}
    if (
        not personal["name"]
        or max(len(personal[field]) for field in ("name", "last_name", "alias")) > LONGEST_NAME
    ):
        raise Refused(_("Enter a name of 1 to %(most)s characters."), most=LONGEST_NAME)
    if personal["external_id"] and tournament.entries.filter(external_id=personal["external_id"]).exists():
        raise Refused(
            _("This membership number is already registered. If it is yours, ask at the event desk.")
        )
    personal |= {**team_of(members, captain), "display_name_only": display_name_only}
    [code] = next_codes(tournament, 1)
    log.actor = f"{PLAYER_ACTOR}{code}"
    personal["key_hash"] = key_hash
    ahead = tournament.entries.filter(ON_WAITLIST).count()
    free = free_spots(tournament)
    if free is None or free > ahead:
        add_to_stage(log, [({}, personal)])
        return
    if ahead >= MOST_WAITING:
        raise WrongState(_("The waitlist is full. Ask at the event desk."))
    log.add(Entry, f"entries/{code}", {"status": "waitlisted", "waits": next_waitlist_number(log)}, personal)
    fill_spots(log)


@service("own check-in")
def check_in_self(log: Log, code: str) -> None:
    """A player checks in. Raises WrongState outside the time for that, or for one who does not play."""
    entry = unmerged_entry_of(log.tournament, code)
    if not check_in_is_open(log.tournament):
        raise WrongState(_("Check-in by phone is closed now. Check in at the event desk."))
    if entry.status == Entry.Status.WAITLISTED:
        raise WrongState(_("You are on the waitlist and have no spot yet."))
    if entry.status != Entry.Status.PLAYING:
        raise WrongState(_("You have dropped from this event. To play again, ask at the event desk."))
    log.actor = f"{PLAYER_ACTOR}{code}"
    log.set(entry, checked_in=True)


@service("leave")
def drop_self(log: Log, code: str) -> None:
    """A player withdraws before round 1, or drops: a match that is paired is still owed.

    Raises WrongState for one who has dropped already.
    """
    entry = unmerged_entry_of(log.tournament, code)
    if entry.status in (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED):
        raise WrongState(_("You have already dropped from this event."))
    log.actor = f"{PLAYER_ACTOR}{code}"
    apply_drop(log, entry)
    tell_listeners(log, entry)


@service("own return")
def undo_own_drop(log: Log, code: str) -> None:
    """A player who dropped plays on, until the next round is paired. Raises WrongState where only staff can do that."""
    entry = unmerged_entry_of(log.tournament, code)
    if entry.status == Entry.Status.PLAYING:
        return
    if not can_undo_drop(entry):
        raise WrongState(_("You can no longer undo this by phone. Ask at the event desk."))
    log.actor = f"{PLAYER_ACTOR}{code}"
    apply_return(log, entry)


def can_undo_drop(entry: Entry) -> bool:
    """Whether the player dropped during the event, nobody else changed that, and no round is paired since."""
    if entry.status != Entry.Status.DROPPED or not entry.dropped_after:
        return False
    later = Round.objects.filter(stage__stage_entries__entry=entry, number__gt=entry.dropped_after)
    if later.exists() or entry.tournament.state != Tournament.State.RUNNING:
        return False
    fact = f"entries/{entry.code}"
    for action in entry.tournament.actions.order_by("-number").iterator(50):
        if any(
            change["fact"] == fact and "status" in (change.get("after") or {}) for change in action.changes
        ):
            return action.kind == "leave"
    return False


def is_undefeated(entry: Entry) -> bool:
    """Whether the player has won a match and lost none."""
    ends = entry.seats.filter(opponent__isnull=False, match__result__isnull=False)
    won = lost = False
    for side, result, winner in ends.values_list("side", "match__result", "match__winner"):
        won |= winner == side
        lost |= winner not in ("", side) or (not winner and result in ("double_loss", "forfeit"))
    return won and not lost


@service(REQUESTS[1])
def request_own_bye(log: Log, code: str, number: int, kind: str = "") -> None:
    """A player requests a bye for a round, or with "" withdraws the request, until the round is paired.

    Raises as `request_bye`, and WrongState where the event leaves requests to staff, or the bye stays.
    """
    entry = unmerged_entry_of(log.tournament, code)
    if not log.tournament.self_byes:
        raise WrongState(_("Players do not request byes by phone at this event. Ask at the event desk."))
    if entry.status not in PLAYS:
        raise WrongState(_("You have dropped from this event. To play again, ask at the event desk."))
    rounds = own_rounds_of(entry)
    if 1 <= number <= rounds.paired:
        raise WrongState(_("Round %(round)s is already paired. Ask at the event desk."), round=number)
    if is_committed(entry, rounds, number):
        text = _("Your bye in round %(round)s can no longer be withdrawn. Ask at the event desk.")
        raise WrongState(text, round=number)
    log.actor = f"{PLAYER_ACTOR}{code}"
    apply_request(log, entry, number, kind)


@service("player link", computed=("key_hash",), after_end=True)
def change_player_link(log: Log, code: str, *, key_hash: str) -> None:
    """A new player link; the one before opens nothing anymore. An empty hash only revokes it."""
    entry = unmerged_entry_of(log.tournament, code)
    if entry.key_hash != key_hash:
        entry.push_subscriptions.all().delete()
        log.set_personal(entry, key_hash=key_hash)
