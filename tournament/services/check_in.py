from collections.abc import Sequence

from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import WrongState
from tournament.event.types import LEFT_THE_EVENT
from tournament.models import Entry, Round, Tournament
from tournament.services.drops import withdraw_before_start
from tournament.services.entries import free_entries, unmerged_entry_of
from tournament.services.stage_entries import stage_to_join


@service("check in")
def check_in_entry(log: Log, code: str, here: bool = True) -> None:
    entry = unmerged_entry_of(log.tournament, code)
    if entry.status == Entry.Status.WAITLISTED:
        raise WrongState(_("%(name)s is on the waitlist and has no spot yet."), name=entry.name)
    if entry.status in LEFT_THE_EVENT:
        raise WrongState(_("%(name)s has dropped. Reinstate the player first."), name=entry.name)
    log.set(entry, checked_in=here)


def before_start(tournament: Tournament) -> bool:
    """Whether the stage players join has no round yet."""
    try:
        stage = stage_to_join(tournament)
    except WrongState:
        return False
    return not stage.carries and not stage.rounds.exists()


@service("check in")
def check_in_entries(log: Log, codes: list[str]) -> None:
    """Check in those of these players who can be."""
    log.set_all(free_entries(log.tournament, codes, check_in_obstacles), checked_in=True)


def check_in_obstacles(_tournament: Tournament, entries: Sequence[Entry]) -> dict[str, str]:
    here = {entry.code: _("already checked in") for entry in entries if entry.checked_in}
    away = {
        entry.code: _("house opponent") if entry.house else str(entry.get_status_display())
        for entry in entries
        if entry.house or entry.status != Entry.Status.PLAYING
    }
    return {**here, **away}


@service("no-shows")
def withdraw_no_shows(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Withdraw players not checked in before the stage's first round. Raises WrongState if nobody is checked in."""
    row = stage_to_join(log.tournament, stage)
    if row.carries or row.rounds.exclude(state=Round.State.DRAFT).exists():
        text = _(
            "Round 1 is published, so no-shows can no longer be withdrawn together. "
            "Drop players one by one on their pages."
        )
        raise WrongState(text)
    if not row.stage_entries.filter(entry__checked_in=True).exists():
        raise WrongState(_("No one is checked in yet, so this would drop everyone."))
    absent = Entry.objects.filter(
        stage_entries__stage=row, code__in=codes, status=Entry.Status.PLAYING, checked_in=False, house=False
    )
    for entry in absent.order_by("code"):
        withdraw_before_start(log, entry)
