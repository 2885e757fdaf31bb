"""The facts a round was paired from, read from the log."""

from django.utils.translation import gettext as _

from pairings.question.seats import paired_round
from tournament.actionlog.fold import baseline_of, state_at
from tournament.errors import WrongState
from tournament.event.from_facts import event_of_state, person_of
from tournament.event.read import event_of
from tournament.event.types import Event, Round
from tournament.models import Tournament


def revision_as_paired(tournament: Tournament, round_: Round) -> int | None:
    """The event's revision that the round was paired from, at the earliest the file's; None where it is not known."""
    revision = (round_.pairing.last_repair or round_.pairing).revision
    if revision is None and f"rounds/{round_.number}" not in baseline_of(tournament):
        return None
    return max(revision or 0, tournament.baseline_number)


def round_as_paired(tournament: Tournament, number: int) -> tuple[Event, Round]:
    """The event as it stood when the round was paired, and the round as it is seated.

    A published round's event is read from the log; for a round that was loaded from a file it is the event of the
    file. For a round that was paired elsewhere since, it is the event of now. Raises WrongState where there is no
    such paired round.
    """
    event = event_of(tournament)
    round_ = paired_round(event, number)
    if round_ is None:
        raise WrongState(_("Round %(number)s was not paired."), number=number)
    revision = revision_as_paired(tournament, round_)
    if round_.status == "draft" or revision is None:
        return event, round_
    people = {code: person_of(entry) for code, entry in event.entries.items()}
    then = event_of_state(tournament, state_at(tournament, revision), people)
    for match in round_.matches:
        for code in filter(None, (match.a, match.b)):  # players that a repair seated had not joined yet
            entry = then.entries.get(code)
            if entry is None or (entry.joined_round or 1) > number:
                then.entries[code] = (entry or event.entries[code]).replace(joined_round=number)
    return then.replace(rounds=[r for r in then.rounds if r.number < number] + [round_]), round_
