"""The player limit and the waitlist: how many spots there are, who has one, and who waits for one, in order.

Entries on the waitlist are in no stage: not paired, not ranked, not counted. Before round 1 a spot that
becomes free goes to the first on the waitlist, in the same action that freed it; afterwards only staff admit.
"""

from django.db.models import Max, Q
from django.utils.translation import ngettext

from tournament.actionlog.change import Log
from tournament.errors import WrongState
from tournament.models import Entry, Round, Tournament
from tournament.services.stage_entries import admit_to_stage

MOST_PLAYERS = 5000
HOLDS_A_SPOT = Q(house=False, status=Entry.Status.PLAYING)
ON_WAITLIST = Q(status=Entry.Status.WAITLISTED)
# Whom the event counts as its players: not those who wait, nor those who withdrew before round 1.
IS_PLAYER = Q(house=False) & ~Q(status__in=["registered", "waitlisted", "merged"]) & ~Q(dropped_after=0)


def has_begun(tournament: Tournament) -> bool:
    """Whether a round was published: from then on no one moves up automatically."""
    return tournament.rounds.exclude(state=Round.State.DRAFT).exists()


def taken_spots(tournament: Tournament) -> int:
    """How many spots are taken."""
    return tournament.entries.filter(HOLDS_A_SPOT).count()


def free_spots(tournament: Tournament) -> int | None:
    """How many more can play; below 0 where staff admitted more; None without a limit."""
    return None if tournament.capacity is None else tournament.capacity - taken_spots(tournament)


def fill_spots(log: Log) -> None:
    """Before round 1 admit from the waitlist, in order, as many as there are free spots.

    Every service that can free a spot ends with this.
    """
    tournament = log.tournament
    waitlist = list(tournament.entries.filter(ON_WAITLIST).order_by("waits"))
    if not waitlist or has_begun(tournament):
        return
    free = free_spots(tournament)
    for entry in waitlist if free is None else waitlist[: max(free, 0)]:
        admit_to_stage(log, entry)


def next_waitlist_number(log: Log) -> int:
    """The number of the next entry on the waitlist. Numbers grow with the log and are never given out again,
    so that undoing an older action finds its own free."""
    last = log.tournament.entries.aggregate(last=Max("waits"))["last"] or 0
    return max(log.number, last + 1)


def waitlist_position(entry: Entry) -> int | None:
    """1 for the next to play, 2 for the one after, …; None for an entry that is not on the waitlist."""
    if entry.status != Entry.Status.WAITLISTED or entry.waits is None:
        return None
    return entry.tournament.entries.filter(ON_WAITLIST, waits__lte=entry.waits).count()


def check_capacity(tournament: Tournament, capacity: int | None) -> None:
    """Raises WrongState for a limit below the spots that are taken."""
    if capacity is None or capacity == tournament.capacity:
        return
    if capacity < (players := taken_spots(tournament)):
        text = ngettext(
            "%(count)s player already has a spot. Drop some players first, or set a limit of at least that many.",
            "%(count)s players already have a spot. Drop some players first, or set a limit of at least that many.",
            players,
        )
        raise WrongState(text, count=players)
