"""Who really sat where: the seats of Swiss rounds that were played, and the waivers they need."""

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.models import Entry, Round
from tournament.services.corrections import CORRECTION, check_correction
from tournament.services.entries import unmerged_entry_of
from tournament.services.rounds import match_at
from tournament.services.seats import change_seats


@service(CORRECTION, after_end=True)
def correct_seats(log: Log, number: int, table: int, a: str, b: str = "") -> None:
    """Seat at a Swiss table the players who really sat there, by their codes; `b` is "" where there is no opponent.

    A displaced player takes the place of the one who comes in: that table and side, or that bye or missed round.
    Each place keeps its result, and a player's drop stays. Raises Refused and WrongState where that cannot be.
    """
    match = match_at(log.tournament, number, table)
    check_seats_are_facts(match.round)
    check_correction(log)
    seated = [seat.entry.code for seat in match.seats.select_related("entry").order_by("side")]
    wanted = [a, b][: len(seated)]
    if len(set(wanted)) < len(wanted):
        raise Refused(_("Choose two different players."), status=422)
    into = [code for code in wanted if code not in seated]
    for code in into:
        _check_was_there(unmerged_entry_of(log.tournament, code), match.round)
    out = [code for code in seated if code not in wanted]
    occupants = dict(zip([*seated, *into], [*wanted, *out], strict=True))
    houses = set(log.tournament.entries.filter(code__in=out, house=True).values_list("code", flat=True))

    def seat(of: int, fact: MatchFact) -> MatchFact | None:
        if of != number:
            return fact
        fact = fact._replace(a=occupants.get(fact.a, fact.a), b=fact.b and occupants.get(fact.b, fact.b))
        return None if fact.b is None and fact.a in houses else fact  # a house opponent has no bye

    change_seats(log, [*seated, *into], seat)


def check_seats_are_facts(round_: Round) -> None:
    """Raises WrongState for a bracket, where seats follow from other facts, and for a draft."""
    if not round_.swiss:
        raise WrongState(
            _("The players of a bracket match follow from seeds and results. Correct a result instead.")
        )
    if round_.state not in (Round.State.PUBLISHED, Round.State.COMPLETE):
        raise WrongState(_("Round %(round)s is not published yet. Publish it first."), round=round_.number)


def _check_was_there(entry: Entry, round_: Round) -> None:
    """Raises WrongState for a player who was not in the event then, or has no place in the round."""
    if (entry.joined_round or 1) > round_.number:
        text = _("%(name)s joined after round %(round)s. First correct when the player joined.")
    elif entry.dropped_after is not None and entry.dropped_after < round_.number:
        text = _("%(name)s had dropped before round %(round)s. First correct when the player dropped.")
    elif round_.seats.filter(entry=entry).exists():
        return
    elif entry.house:
        text = _("%(name)s, a house opponent, has no match in round %(round)s. Choose a player of the round.")
    else:
        text = _("%(name)s is not in round %(round)s. First correct when the player was in the event.")
    raise WrongState(text, name=entry.name, round=round_.number)
