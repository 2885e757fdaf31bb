"""Who is at the desk, as the log tells: each member's last change, and the results each entered this round."""

import datetime as dt
from typing import NamedTuple

from django.db.models import QuerySet

from tournament.models import Entry, Tournament
from tournament.progress.log_times import LogTimes

MOST_DROPS = 8


class Member(NamedTuple):
    """A member of the staff; `last`: the time of the last change, None for none; `results` entered in the round."""

    name: str
    role: str
    last: dt.datetime | None
    results: int


def members_of(tournament: Tournament, times: LogTimes, round_: int | None) -> list[Member]:
    """Everyone on the staff, who changed something last first: one query."""
    staff = tournament.staff.select_related("user").order_by("user__username")
    entered = times.entered_by(round_) if round_ else {}
    members = [
        Member(
            one.user.get_username(),
            one.get_role_display(),
            times.last.get(str(one.user)),
            entered.get(str(one.user), 0),
        )
        for one in staff
    ]
    return sorted(members, key=lambda member: -(member.last.timestamp() if member.last else 0))


def drops_in(tournament: Tournament, round_: int) -> QuerySet[Entry]:
    """Players whose last round this is, as far as is entered: to be checked before the next is paired."""
    dropped = tournament.entries.filter(status=Entry.Status.DROPPED, dropped_after=round_)
    return dropped.order_by("name", "code")[:MOST_DROPS]
