"""When the log says that things happened: the first result of each table, the last change of each member of the staff.

The log only grows, so each process keeps what it has read of an event and reads on from there.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from threading import Lock
from typing import Any

from django.db.models import Count, Q

from tournament.models import Tournament
from tournament.public import responses
from tournament.public.cache import MarkCache

Row = tuple[int, dt.datetime, str, list[dict[str, Any]]]  # number, time, actor and changes of an action


class LogTimes:
    """What the actions up to `number` say.

    entered  {(round, table): (when its result was entered, by whom)}, without those cleared since
    last     {actor: time of the last change}
    tables   {round: its number of tables}
    """

    def __init__(self) -> None:
        self.number = 0
        self.entered: dict[tuple[int, int], tuple[dt.datetime, str]] = {}
        self.last: dict[str, dt.datetime] = {}
        self.tables: dict[int, int] = {}
        self._lock = Lock()

    def fold(self, actions: Iterable[Row]) -> None:
        """Read on: later actions, in order."""
        for number, at, actor, changes in actions:
            self.number = number
            self.last[actor] = at
            for change in changes:
                if "/tables/" in change["fact"]:
                    self._fold_table(change, at, actor)

    def _fold_table(self, change: dict[str, Any], at: dt.datetime, actor: str) -> None:
        """A table gets its result, loses it, or leaves the round; a changed result came in when it first did."""
        _rounds, round_, _tables, table, *more = change["fact"].split("/")
        after = change.get("after")
        if more or (after is not None and "result" not in after):
            return
        if after is None or after["result"] is None:
            self.entered.pop((int(round_), int(table)), None)
        else:
            self.entered.setdefault((int(round_), int(table)), (at, actor))

    def read_on(self, tournament: Tournament) -> None:
        """Fold what was logged since: two queries, none where nothing was."""
        with self._lock:
            if self.number < tournament.revision:
                newer = tournament.actions.filter(number__gt=max(self.number, tournament.baseline_number))
                self.fold(
                    newer.order_by("number").values_list("number", "at", "actor", "changes").iterator(500)
                )
                rounds = tournament.rounds.annotate(seated=Count("matches", Q(matches__table__isnull=False)))
                self.tables = dict(rounds.order_by("number").values_list("number", "seated"))
                self.number = max(self.number, tournament.revision)

    def times_of(self, round_: int) -> list[dt.datetime]:
        """When the tables of a round were entered, in order."""
        return sorted(at for at, _actor in self._entered_in(round_))

    def entered_by(self, round_: int) -> Counter[str]:
        """{actor: tables of a round whose result came from this actor}."""
        return Counter(actor for _at, actor in self._entered_in(round_))

    def _entered_in(self, round_: int) -> list[tuple[dt.datetime, str]]:
        """Of the tables of a round; another thread may read on at the same moment."""
        with self._lock:
            return [entry for (number, _table), entry in self.entered.items() if number == round_]


log_times: MarkCache[LogTimes] = MarkCache(most=256, name="log times")


def log_times_of(tournament: Tournament) -> LogTimes:
    """The times of an event as of now."""
    times = log_times.read(responses.key_of(tournament), "", LogTimes)
    times.read_on(tournament)
    return times
