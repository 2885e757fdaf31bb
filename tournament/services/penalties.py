"""Penalties that judges give: on record, with what a game or match loss or a disqualification changes."""

from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused
from tournament.models import Entry, Match, Penalty, Round
from tournament.services.drops import apply_disqualification
from tournament.services.entries import unmerged_entry_of
from tournament.services.penalty_losses import LOSSES, NEXT_MATCH, end_lost_match
from tournament.services.penalty_record import record_penalty
from tournament.text.clean import clean_lines, clean_name


def current_match_of(entry: Entry) -> Match | None:
    """The match against an opponent that the entry is playing now: in a published round, without a result."""
    matches = Match.objects.filter(
        seats__entry=entry, seats__opponent__isnull=False, round__state=Round.State.PUBLISHED, result=None
    )
    return matches.select_related("round__stage").order_by("-round__number").first()


@service("penalty")
def give_penalty(
    log: Log, code: str, kind: str, infraction: str, *, judge: str = "", description: str = ""
) -> None:
    """Record a penalty. A game loss is a game win of the opponent, a match loss the match.

    It counts in the current match, else in the next one. A disqualified player also leaves the ranking.

    The description is personal: it stays out of the log. Raises Refused without a player or an infraction, NotFound,
    WrongState for a player who is already disqualified.
    """
    if not code:
        raise Refused(_("Choose the player who gets the penalty."))
    if kind not in Penalty.Kind.values:
        raise Refused(_("Choose the penalty."))
    if not (infraction := clean_name(infraction)):
        raise Refused(_("Enter the infraction."))
    entry = unmerged_entry_of(log.tournament, code)
    about = {"judge": clean_name(judge), "description": clean_lines(description)}
    if kind == Penalty.Kind.DISQUALIFICATION:
        apply_disqualification(log, entry, infraction, **about)
        return
    match = current_match_of(entry) if kind in LOSSES else None
    counts_in = (match.round.number if match else NEXT_MATCH) if kind in LOSSES else None
    record_penalty(log, entry, kind, infraction, counts_in=counts_in, **about)
    if match:
        end_lost_match(log, match)
