"""Every invariant of an event, checked again on the bare tables and by none of the services' code.

Eleven queries whatever the size. That everyone is seated exactly once binds rounds paired here, not rounds
recorded elsewhere and loaded.
"""

from tournament.actionlog import triggers
from tournament.actionlog.integrity.matches import check_matches, check_reports
from tournament.actionlog.integrity.rounds import (
    check_bracket,
    check_log,
    check_merged,
    check_owner,
    check_prohibited_pairs,
    check_requested_byes,
    check_rounds,
    check_seeds,
    check_waitlist,
)
from tournament.actionlog.integrity.seats import check_everyone_seated, check_meetings, check_seats
from tournament.actionlog.integrity.tables import Tables
from tournament.actionlog.moment import at_one_moment
from tournament.models import Tournament

CHECKS = (
    check_seats,
    check_meetings,
    check_matches,
    check_reports,
    check_rounds,
    check_everyone_seated,
    check_waitlist,
    check_merged,
    check_prohibited_pairs,
    check_requested_byes,
    check_seeds,
    check_bracket,
    check_owner,
)


def check(tournament: Tournament, *, marks: bool = True) -> list[str]:
    """What is wrong, a sentence each; empty where every invariant holds. Everything is read as of one moment.

    Without `marks` the log's numbers are left out: an action being written is ahead of them.
    """
    with at_one_moment():
        tables = Tables(tournament)
        problems = [f"guard missing: {name}" for name in triggers.missing_triggers()]
    for part in (*CHECKS, check_log) if marks else CHECKS:
        problems.extend(part(tables))
    return problems
