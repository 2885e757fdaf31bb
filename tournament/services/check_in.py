"""Check-in, at the desk or by the players themselves, and no-shows."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.service import service
from tournament.errors import WrongState
from tournament.models import Entry, Stage
from tournament.services.capacity import session_to_join, withdraw_before_start
from tournament.services.entries import entry_of


@service("check in")
def check_in_entry(log: Log, code: str, here: bool = True) -> None:
    """Check a player in, or undo it. Raises NotFound, or WrongState if the player is not playing."""
    entry = entry_of(log.tournament, code)
    if entry.status == Entry.Status.WAITLISTED:
        raise WrongState(_("%(name)s is on the waitlist and has no spot yet.") % {"name": entry.name})
    if entry.status in (Entry.Status.DROPPED, Entry.Status.DISQUALIFIED):
        raise WrongState(_("%(name)s has dropped. Reinstate the player first.") % {"name": entry.name})
    log.set(entry, checked_in=here)


def absent_entries(stage: Stage) -> QuerySet[Entry]:
    """Who plays in this session and is not checked in, house opponents left out; by code."""
    return Entry.objects.filter(
        stage_entries__stage=stage, status=Entry.Status.PLAYING, checked_in=False, house=False
    ).order_by("code")


@service("no-shows")
def withdraw_no_shows(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Those listed, and not checked in now, leave before their session's first round: they are in no standings.

    Who was checked in since the list was shown stays. Any of them can be let in again, late once a round is
    published. Raises WrongState once the first round is drafted, and where nobody is checked in: then the
    hall does not check in.
    """
    session = session_to_join(log.tournament, stage)
    if session.rounds.exists():
        raise WrongState(
            _("Round 1 is already paired. Discard the draft pairings first, or drop players one by one.")
        )
    if not session.stage_entries.filter(entry__checked_in=True).exists():
        raise WrongState(_("No one is checked in yet, so this would drop everyone."))
    for entry in absent_entries(session).filter(code__in=codes):
        withdraw_before_start(log, entry)
