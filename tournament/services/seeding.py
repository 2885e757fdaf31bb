"""Seeding: the order before round 1, by rating or as the organizer sets it, with a reason."""

from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import WrongState
from tournament.models import Entry, Stage
from tournament.services.manual_order import check_reason
from tournament.services.stage_entries import stage_to_join
from tournament.services.waitlist import HOLDS_A_SPOT


def seeded_entries(stage: Stage) -> dict[str, Entry]:
    """The players who are seeded in a stage, by code."""
    return {entry.code: entry for entry in Entry.objects.filter(HOLDS_A_SPOT, stage_entries__stage=stage)}


@service("starting list")
def save_seeding(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Give these players of a stage the seeds 1, 2, … in this order.

    Raises Refused without a reason, WrongState once the first round is paired or where someone joined or left
    since the list was shown.
    """
    row = _unpaired_stage(log, stage)
    check_reason(log)
    entries = seeded_entries(row)
    if sorted(codes) != sorted(entries):
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    for rank, code in enumerate(codes, start=1):
        log.set(entries[code], seed_rank=rank)


@service("starting list by rating")
def clear_seeding(log: Log, stage: int | None = None) -> None:
    """Seed by rating again, players without a rating at random. Raises WrongState once round 1 is paired."""
    for entry in seeded_entries(_unpaired_stage(log, stage)).values():
        log.set(entry, seed_rank=None)


def _unpaired_stage(log: Log, number: int | None) -> Stage:
    stage = stage_to_join(log.tournament, number)
    if stage.rounds.exists():
        raise WrongState(
            _(
                "Round 1 is already paired. Discard the draft pairings first. A published round keeps its order."
            )
        )
    return stage
