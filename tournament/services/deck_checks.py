"""Deck checks: begun and ended at a table; the minutes they took are given back as a time extension."""

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.event.table_plan import table_name
from tournament.models import DeckCheck, Match, Round
from tournament.services.rounds import extend_match, match_at
from tournament.text.clean import clean_name


@service("deck check")
def start_deck_check(log: Log, number: int, table: int, sides: str = "ab", judge: str = "") -> None:
    """Begin to check the decks of these sides ("a", "b", "ab") of a table in a published round.

    Raises NotFound, Refused without a player, WrongState outside the round and where a check is running at the table.
    """
    match = match_at(log.tournament, number, table)
    if match.round.state != Round.State.PUBLISHED:
        raise WrongState(_("Round %(number)s is not in progress."), number=number)
    if open_checks_at(match):
        raise WrongState(
            _("Decks are already being checked at table %(table)s."), table=table_name(log.tournament, table)
        )
    codes = list(match.seats.filter(side__in=sides).order_by("side").values_list("entry__code", flat=True))
    if not codes:
        raise Refused(_("Choose whose deck to check."))
    last = log.tournament.deck_checks.order_by("-number").values_list("number", flat=True).first() or 0
    begun = {"round": number, "judge": clean_name(judge), "starts_at": timezone.now().isoformat()}
    for place, code in enumerate(codes, start=last + 1):
        log.add(DeckCheck, f"deck-checks/{place}", {**begun, "entry": code})


@service("end deck check")
def end_deck_check(log: Log, number: int, table: int, minutes: int = 0) -> None:
    """End the deck check at a table, and give the table so many minutes back while it is outstanding; 0: none.

    Raises NotFound, WrongState where no check is running, and as `extend_table`.
    """
    match = match_at(log.tournament, number, table)
    checks = open_checks_at(match)
    if not checks:
        raise WrongState(
            _("No deck check is running at table %(table)s."), table=table_name(log.tournament, table)
        )
    now = timezone.now().isoformat()
    for check in checks:
        log.set(check, ends_at=now)
    if minutes and match.result is None:
        extend_match(log, match, minutes, _("deck check"))


def open_checks_at(match: Match) -> list[DeckCheck]:
    """The deck checks that are running at a table."""
    return list(match.round.deck_checks.filter(ends_at=None, entry__seats__match=match).order_by("number"))
