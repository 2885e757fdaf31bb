"""Orders set by an organizer: of players no tiebreaker separates, and of seeds before round 1."""

from django.db.models import Max
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.models import Entry, Round, Stage
from tournament.services.entries import HOLDS_A_SPOT
from tournament.services.stage_entries import stage_to_join

LONGEST_REASON = 500


def check_reason(log: Log) -> None:
    if not 1 <= len(log.reason) <= LONGEST_REASON:
        text = _("Enter a reason for the manual order, of up to %(most)s characters.")
        raise Refused(text, most=LONGEST_REASON)


@service("order by hand", computed=("revision",), owner=True)
def save_manual_order(log: Log, codes: list[str], revision: int) -> None:
    """Rank these players, tied at `revision`, in this order, from the latest Swiss round on."""
    check_reason(log)
    if log.tournament.revision != revision:
        raise WrongState(
            _("Something changed since you opened this page. Check the standings and set the order again.")
        )
    entries = {entry.code: entry for entry in log.tournament.entries.filter(code__in=codes)}
    posted = log.tournament.rounds.filter(swiss=True).exclude(state=Round.State.DRAFT)
    latest = posted.aggregate(latest=Max("number"))["latest"] or 0
    for position, code in enumerate(codes, start=1):
        log.set(entries[code], manual=position, manual_after=latest)


@service("order by hand taken back", owner=True)
def clear_manual_order(log: Log, codes: list[str]) -> None:
    entries = list(log.tournament.entries.filter(code__in=codes, manual__isnull=False).order_by("code"))
    if not entries:
        raise WrongState(_("These players have no manual order."))
    for entry in entries:
        log.set(entry, manual=None, manual_after=None)


def seeded_entries(stage: Stage) -> dict[str, Entry]:
    return {entry.code: entry for entry in Entry.objects.filter(HOLDS_A_SPOT, stage_entries__stage=stage)}


@service("starting list")
def save_seeding(log: Log, codes: list[str], stage: int | None = None) -> None:
    """Give these players the seeds 1, 2, … in this order. Raises WrongState if someone joined or left since."""
    row = _unpaired_stage(log, stage)
    check_reason(log)
    entries = seeded_entries(row)
    if sorted(codes) != sorted(entries):
        raise WrongState(_("Someone joined or left while you were working. Check the list again."))
    for rank, code in enumerate(codes, start=1):
        log.set(entries[code], seed_rank=rank)


@service("starting list by rating")
def clear_seeding(log: Log, stage: int | None = None) -> None:
    for entry in seeded_entries(_unpaired_stage(log, stage)).values():
        log.set(entry, seed_rank=None)


def _unpaired_stage(log: Log, number: int | None) -> Stage:
    stage = stage_to_join(log.tournament, number)
    if stage.carries or stage.rounds.exists():
        text = _(
            "Round 1 is already paired. Discard the draft pairings first. A published round keeps its order."
        )
        raise WrongState(text)
    return stage
