"""Check-in, drops, reinstatements and disqualifications. Drops take effect at the next pairing."""

from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState, get_or_refuse
from tournament.event.types import LEFT_THE_EVENT
from tournament.models import Entry, Flag, Penalty, Round, Tournament
from tournament.services import stage_entries
from tournament.services.entries import fill_spots, find_unmerged_entry, select_entries
from tournament.services.penalties import record_penalty
from tournament.services.standings_hooks import standings


def find_last_round(entry: Entry) -> int:
    """Return the entry's last published round, in a bracket the last one it played; 0 if there is none."""
    rounds = Round.objects.filter(stage__stage_entries__entry=entry).exclude(state=Round.State.DRAFT)
    latest = rounds.order_by("number").last()
    if latest and not latest.swiss:
        rounds = rounds.filter(Q(swiss=True) | Q(seats__entry=entry, seats__match__result__isnull=False))
        latest = rounds.order_by("number").last()
    return latest.number if latest else 0


def withdraw_before_start(log: Log, entry: Entry) -> None:
    """Withdraw an entry that has not played: it stays listed, but leaves its stages and the standings."""
    stage_entries.leave_stages(log, entry)
    log.set(entry, status="dropped", dropped_after=0, waits=None)
    fill_spots(log)


def apply_drop(log: Log, entry: Entry) -> None:
    """Drop an entry as part of a larger action. Before its stage begins, withdraw it from the stage instead."""
    if entry.status == Entry.Status.DISQUALIFIED:
        raise WrongState(_("%(name)s is disqualified."), name=entry.name)
    _settle_requests(log, entry)
    if entry.status == Entry.Status.WAITLISTED or not stage_entries.has_played(entry):
        withdraw_before_start(log, entry)
    else:
        log.set(entry, status="dropped", dropped_after=find_last_round(entry))
    standings().follow_status(log, entry)


def _settle_requests(log: Log, entry: Entry) -> None:
    for request in entry.flags.filter(kind=Flag.Kind.DROP, done=False):
        log.set(request, done=True)


@service("drop")
def drop_entry(log: Log, code: str) -> None:
    """Drop a player from the next rounds; a match already paired must still be played."""
    entry = find_unmerged_entry(log.tournament, code)
    if entry.status != Entry.Status.DROPPED:
        apply_drop(log, entry)


@service("decline drop")
def decline_drop(log: Log, number: int) -> None:
    _settle_requests(log, entry_with_request(log.tournament, number))


def entry_with_request(tournament: Tournament, number: int) -> Entry:
    entries = tournament.entries.filter(flags__number=number, flags__kind=Flag.Kind.DROP, flags__done=False)
    return get_or_refuse(entries, _("This drop request is already settled."))


@service("reinstate")
def reinstate_entry(log: Log, code: str, stage: int | None = None, here: bool = False) -> None:
    """Let a dropped player play again from the next round on, in `stage` or the former one. `here`: also check in."""
    entry = find_unmerged_entry(log.tournament, code)
    if entry.status in LEFT_THE_EVENT:
        if entry.stage_entries.exists():
            apply_return(log, entry)
        else:
            stage_entries.admit_to_stage(log, entry, stage or former_stage(entry))
    elif not here or entry.status != Entry.Status.PLAYING:
        raise WrongState(_("%(name)s has not dropped."), name=entry.name)
    if here:
        log.set(entry, checked_in=True)


def apply_return(log: Log, entry: Entry) -> None:
    posted = Round.objects.exclude(state=Round.State.DRAFT).filter(stage__stage_entries__entry=entry)
    missed = posted.filter(swiss=True, number__gt=entry.dropped_after or 0).exclude(seats__entry=entry)
    for round_ in missed.order_by("number"):
        log.seat(round_, [MatchFact(entry.code, result="missed")])
    log.set(entry, status="playing", dropped_after=None)
    standings().follow_status(log, entry)


def former_stage(entry: Entry) -> int | None:
    """Return the number of the stage an entry withdrew from; None if it takes no players or is the only one to join."""
    numbers = [stage.number for stage in stage_entries.stages_to_join(entry.tournament)]
    if len(numbers) < 2:
        return None
    keys = {f"stages/{number}/entries/{entry.code}": number for number in numbers}
    for action in entry.tournament.actions.touching(*keys).order_by("-number").iterator(10):
        for change in action.changes:
            if change["fact"] in keys and change["after"] is None:
                return keys[change["fact"]]
    return None


@service("disqualify")
def disqualify_entry(log: Log, code: str, why: str) -> None:
    """Remove a player from the ranking (Magic Infraction Procedure Guide 1.1). Results still count for opponents."""
    if not why.strip():
        raise Refused(_("Enter a reason for the disqualification."))
    apply_disqualification(log, find_unmerged_entry(log.tournament, code), why.strip())


def apply_disqualification(
    log: Log, entry: Entry, why: str, *, judge: str = "", description: str = ""
) -> None:
    if entry.status == Entry.Status.DISQUALIFIED:
        raise WrongState(_("%(name)s is already disqualified."), name=entry.name)
    _settle_requests(log, entry)
    left = entry.dropped_after if entry.status == Entry.Status.DROPPED else find_last_round(entry)
    log.set(entry, status="disqualified", dropped_after=left, waits=None)
    record_penalty(log, entry, Penalty.Kind.DISQUALIFICATION, why, judge=judge, description=description)
    standings().follow_status(log, entry)
    fill_spots(log)


@service("check in")
def check_in_entry(log: Log, code: str, here: bool = True) -> None:
    entry = find_unmerged_entry(log.tournament, code)
    if entry.status == Entry.Status.WAITLISTED:
        raise WrongState(_("%(name)s is on the waitlist and has no spot yet."), name=entry.name)
    if entry.status in LEFT_THE_EVENT:
        raise WrongState(_("%(name)s has dropped. Reinstate the player first."), name=entry.name)
    log.set(entry, checked_in=here)


def before_start(tournament: Tournament) -> bool:
    """Whether the stage players join has no round yet."""
    try:
        stage = stage_entries.stage_to_join(tournament)
    except WrongState:
        return False
    return not stage.carries and not stage.rounds.exists()


@service("check in")
def check_in_entries(log: Log, codes: list[str]) -> None:
    playing = select_entries(log.tournament, codes).filter(house=False, status=Entry.Status.PLAYING)
    log.set_all(list(playing.filter(checked_in=False)), checked_in=True)


@service("no-shows")
def withdraw_no_shows(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Withdraw players who have not checked in before the stage's first round. Raises WrongState if no player has."""
    row = stage_entries.stage_to_join(log.tournament, stage)
    if row.carries or row.rounds.exclude(state=Round.State.DRAFT).exists():
        text = _(
            "Round 1 is published, so no-shows can no longer be withdrawn together. "
            "Drop players one by one on their pages."
        )
        raise WrongState(text)
    if not row.stage_entries.filter(entry__checked_in=True).exists():
        raise WrongState(_("No one is checked in yet, so this would drop everyone."))
    absent = Entry.objects.filter(stage_entries__stage=row, status=Entry.Status.PLAYING, house=False)
    for entry in absent.filter(code__in=codes, checked_in=False).order_by("code"):
        withdraw_before_start(log, entry)
