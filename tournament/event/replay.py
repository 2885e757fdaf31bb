"""The tables against the log: what differs between an event as it is and as its log builds it."""

from tournament.actionlog.fold import state_at
from tournament.errors import Refused
from tournament.event import read
from tournament.models import Tournament


def differences_from_log(tournament: Tournament) -> list[str]:
    """The keys of the facts that differ; none where the log explains everything.

    Raises Refused for a log that cannot be read.
    """
    try:
        state = state_at(tournament, None)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused(f"The log of /t/{tournament.slug}/ cannot be read: {error!r}.") from error
    now, _names = read.read_state(tournament)
    return sorted(key for key in {*state, *now} if state.get(key) != now.get(key))
