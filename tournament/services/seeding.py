"""The starting list: the order before round 1, by rating or as the organizer says, with a reason."""

from __future__ import annotations

from django.utils.translation import gettext as _

from tournament.actionlog.change import Log
from tournament.actionlog.service import service
from tournament.errors import Refused, WrongState
from tournament.models import Entry, Stage
from tournament.services.capacity import HOLDS_A_SPOT, session_to_join

LONGEST_REASON = 500


def seeded_entries(stage: Stage) -> dict[str, Entry]:
    """{code: entry} of those in the starting list of a stage."""
    return {entry.code: entry for entry in Entry.objects.filter(HOLDS_A_SPOT, stage_entries__stage=stage)}


@service("starting list")
def save_seeding(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Give these players of a session the seed ranks 1, 2, … in this order. Needs a reason.

    Raises WrongState once its first round is paired, and where somebody joined or left since the list was shown.
    """
    session = _not_begun(log, stage)
    if not 1 <= len(log.reason) <= LONGEST_REASON:
        raise Refused(
            _("Enter a reason for the manual order, of up to %(most)s characters.") % {"most": LONGEST_REASON}
        )
    entries = seeded_entries(session)
    if sorted(codes) != sorted(entries):
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    for rank, code in enumerate(codes, start=1):
        log.set(entries[code], seed_rank=rank)


@service("starting list by rating")
def clear_seeding(log: Log, stage: int | None = None) -> None:
    """Back to the order by rating, who has none drawn. Raises WrongState once the first round is paired."""
    for entry in seeded_entries(_not_begun(log, stage)).values():
        log.set(entry, seed_rank=None)


def _not_begun(log: Log, stage: int | None) -> Stage:
    session = session_to_join(log.tournament, stage)
    if session.rounds.exists():
        raise WrongState(
            _(
                "Round 1 is already paired. Discard the draft pairings first. A published round keeps its order."
            )
        )
    return session
