"""Corrections of what was played, however long ago, also in a finished event. Each is one action with its reason.

Rounds that were paired since stay as they are.
"""

from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact, read_match
from tournament.actionlog.service import Log, service
from tournament.errors import Refused, WrongState
from tournament.event.profile import profile_of
from tournament.event.table_plan import table_name
from tournament.models import Round, Tournament
from tournament.results.slip import Slip
from tournament.services.entries import unmerged_entry_of
from tournament.services.results import write_slip
from tournament.services.rounds import match_alone, match_at
from tournament.services.seats import change_seats

CORRECTION = "correction"  # the kind of every action here
BYES = ("bye", "half_bye", "zero_bye", "full_bye", "awarded_bye", "missed")


def check_correction(log: Log) -> None:
    """Raises Refused without a reason, and WrongState while a round is being paired: its draft would be outdated."""
    if not log.reason:
        raise Refused(_("Say why it is corrected."), status=422)
    if draft := log.tournament.rounds.filter(state=Round.State.DRAFT).first():
        raise WrongState(
            _("Round %(number)s has draft pairings. Discard them, make the correction, then pair again."),
            number=draft.number,
        )


@service(CORRECTION, after_end=True)
def correct_result(log: Log, number: int, table: int, slip: Slip, version: int | None = None) -> None:
    """Make the result of a Swiss table another one; drops stay.

    Raises WrongState while the table has no result to correct, and as `check_correction` and `write_slip`.
    """
    match = match_at(log.tournament, number, table)
    if not match.round.swiss:
        raise WrongState(_("This is a bracket match: enter it on the bracket page."))
    if match.result is None:
        raise WrongState(
            _("Table %(table)s of round %(round)s has no result to correct."),
            table=table_name(log.tournament, table),
            round=number,
        )
    check_correction(log)
    write_slip(log, match, slip, version, late=True)


def byes_of(tournament: Tournament) -> list[str]:
    """What a round without an opponent can count as; byes the ruleset refuses are left out."""
    refused = {f"{word}_bye" for word in profile_of(tournament).get("byes_refused") or ()}
    return [result for result in BYES if result not in refused]


@service(CORRECTION, after_end=True)
def correct_bye(log: Log, number: int, code: str, result: str) -> None:
    """Let a Swiss round in which a player had no opponent count as another bye, or as missed.

    A second bye by the pairing is waived. Recorded points stay with a bye and go with a missed round. Raises
    NotFound where the player has an opponent there, Refused for a bye the ruleset does not have, WrongState for the
    bye of a round that the player was not in the event for.
    """
    tournament = log.tournament
    match = match_alone(tournament, number, code)
    if result not in byes_of(tournament):
        raise Refused(_("This ruleset does not have such a bye. Choose another."))
    check_correction(log)
    old = read_match(match)
    if result == old.result:
        return
    if result == "bye":
        _check_in_event(tournament, number, code)
    score = None if "missed" in (old.result, result) else old.score

    def seat(of: int, fact: MatchFact) -> MatchFact:
        here = of == number and fact.a == code
        return fact._replace(result=result, games=None, score=score) if here else fact

    change_seats(log, [code], seat)


def _check_in_event(tournament: Tournament, number: int, code: str) -> None:
    """Raises WrongState where the player had not joined by then, or had left."""
    entry = unmerged_entry_of(tournament, code)
    left = entry.dropped_after is not None and entry.dropped_after < number
    if left or (entry.joined_round or 1) > number:
        raise WrongState(
            _("%(name)s was not in the event in round %(round)s. Correct that first."),
            name=entry.name,
            round=number,
        )
