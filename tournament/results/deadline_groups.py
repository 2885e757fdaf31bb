"""The outstanding tables of a round by their deadlines: what is past time first, then by extra minutes."""

import datetime as dt
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from tournament.event.clock import RoundClock
from tournament.results.desk_rows import DeskRow


class DeadlineGroup(NamedTuple):
    """Tables with one deadline, or all those that are past theirs.

    extra  the fewest extra minutes of its tables; rows are in the order of theirs
    ends   the deadline, the last one where several are past; None while there is no clock, and while it is paused
    """

    extra: int
    rows: list[DeskRow]
    ends: dt.datetime | None
    past: bool = False


def deadline_groups_of(clock: RoundClock, rows: Sequence[DeskRow], now: dt.datetime) -> list[DeadlineGroup]:
    """The groups of these tables, the oldest deadline first: deadlines are in the order of the extra minutes."""
    groups: list[DeadlineGroup] = []
    for extra, some in groupby(sorted(rows, key=lambda row: (row.extra, row.table)), lambda row: row.extra):
        ends = clock.extended(extra).ends
        past = ends is not None and ends <= now
        if past and groups:
            first = groups.pop()
            groups.append(first._replace(rows=[*first.rows, *some], ends=ends))
        else:
            groups.append(DeadlineGroup(extra, list(some), ends, past))
    return groups
