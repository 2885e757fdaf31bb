"""Turnaround: what the next round waits for, and when by its deadlines and the event's own pace it starts."""

import datetime as dt
import zoneinfo
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.event.clock import RoundClock, clock_of
from tournament.models import Match, Round, Tournament
from tournament.progress.facts import ProgressFacts
from tournament.progress.log_times import LogTimes, log_times_of
from tournament.progress.pace import (
    MINUTE,
    Estimate,
    RoundLength,
    RoundTimes,
    Span,
    estimate,
    lengths_of,
    whole_minutes,
)

SAME = 2 * MINUTE  # a shorter span is one moment: "about 14:53"


class OpenTable(NamedTuple):
    """A table without a result: its `deadline`, extension included (None: it has none), and whether it has one."""

    table: int
    deadline: dt.datetime | None
    extended: bool

    def is_past(self, now: dt.datetime) -> bool:
        return self.deadline is not None and self.deadline <= now


class Turnaround(NamedTuple):
    """What is known of the open round and of those before it in its stage, all at `now`.

    rounds       their times, the open one last
    lengths      of those whose results are all in
    outstanding  tables without a result, by number
    following    the number of the next round; None where no Swiss round follows
    """

    tournament: Tournament
    clock: RoundClock
    rounds: list[RoundTimes]
    lengths: list[RoundLength]
    outstanding: list[OpenTable]
    following: int | None
    expected: Estimate
    now: dt.datetime

    @property
    def zone(self) -> zoneinfo.ZoneInfo:
        return zoneinfo.ZoneInfo(self.tournament.time_zone)

    @property
    def number(self) -> int:
        """The number of the open round."""
        return self.rounds[-1].number

    @property
    def tables(self) -> int:
        return self.rounds[-1].tables

    @property
    def mark(self) -> str:
        """Changes every minute: so exact are its words."""
        return minute_of(self.now)

    @property
    def last_result(self) -> str:
        """“about 14:46”: when the last result is expected; "" where nothing says so."""
        span = self.expected.results if self.outstanding else None
        return span_words(span, self.zone) if span else ""

    @property
    def past(self) -> int:
        """The number of outstanding tables past their deadline."""
        return sum(table.is_past(self.now) for table in self.outstanding)

    @property
    def extended(self) -> int:
        """The number of outstanding tables with a time extension that runs."""
        return sum(table.extended and not table.is_past(self.now) for table in self.outstanding)

    @property
    def last_deadline(self) -> OpenTable | None:
        """The outstanding table that may play longest; None without deadlines."""
        timed = [table for table in self.outstanding if table.deadline]
        return max(timed, key=lambda table: (table.deadline, table.table), default=None)  # type: ignore[arg-type]

    @property
    def waits(self) -> str:
        """“Round 5 waits for 3 tables, about 8 min.”"""
        count, minutes = len(self.outstanding), self._minutes_left()
        values = {"round": self.following, "count": count, "minutes": minutes}
        if not count:
            return ""
        if self.following is None:
            text = ngettext(
                "The next step waits for %(count)s table.", "The next step waits for %(count)s tables.", count
            )
            if minutes:
                text = ngettext(
                    "The next step waits for %(count)s table, about %(minutes)s min.",
                    "The next step waits for %(count)s tables, about %(minutes)s min.",
                    count,
                )
        elif minutes:
            text = ngettext(
                "Round %(round)s waits for %(count)s table, about %(minutes)s min.",
                "Round %(round)s waits for %(count)s tables, about %(minutes)s min.",
                count,
            )
        else:
            text = ngettext(
                "Round %(round)s waits for %(count)s table.",
                "Round %(round)s waits for %(count)s tables.",
                count,
            )
        return text % values

    def _minutes_left(self) -> int:
        """Minutes until the last result is expected, in the middle of its span; 0 for not known."""
        span = self.expected.results
        return whole_minutes(span[0] + (span[1] - span[0]) / 2, self.now) if span else 0

    @property
    def starts(self) -> str:
        """“about 14:53” or “14:50 to 14:57”: when the next round starts; "" where nothing says so."""
        span = self.expected.starts
        return span_words(span, self.zone) if span and self.following else ""


def minute_of(moment: dt.datetime) -> str:
    """The minute, as a mark."""
    return str(int(moment.timestamp()) // 60)


def span_words(span: Span, zone: dt.tzinfo) -> str:
    """“about 14:53”, or “14:50 to 14:57” where the ends are more than 2 minutes apart."""
    first, last = (moment.astimezone(zone) for moment in span)
    if last - first <= SAME:
        middle = first + (last - first) / 2 + MINUTE / 2
        return _("about %(time)s") % {"time": f"{middle:%H:%M}"}
    last += MINUTE - dt.timedelta(microseconds=1)
    return _("%(from)s to %(to)s") % {"from": f"{first:%H:%M}", "to": f"{last:%H:%M}"}


def turnaround_of(
    tournament: Tournament, facts: ProgressFacts, round_: Round | None = None, times: LogTimes | None = None
) -> Turnaround | None:
    """The turnaround of the open Swiss round, or of `round_`, in one query and what is new in the log.

    None without one: before round 1, while the next is a draft, in a bracket and after the end.
    """
    open_ = [one for one in facts.swiss if one.state == Round.State.PUBLISHED]
    one = round_ or (open_[0] if len(open_) == 1 else None)
    if one is None or one.state != Round.State.PUBLISHED or not one.swiss or facts.seeds:
        return None
    now, times = timezone.now(), times or log_times_of(tournament)
    stage = [each for each in facts.swiss if each.stage_id == one.stage_id and each.number <= one.number]
    rounds = [round_times(each, times) for each in stage]
    outstanding = open_tables(one, now)
    deadlines = [table.deadline for table in outstanding if table.deadline]
    lengths = lengths_of(rounds)
    return Turnaround(
        tournament,
        clock_of(one),
        rounds,
        lengths,
        outstanding,
        one.number + 1 if len(facts.swiss) < facts.rounds and not facts.flights else None,
        estimate(
            rounds[-1],
            max(deadlines, default=None),
            [each for each in lengths if each.number < one.number],
            now,
        ),
        now,
    )


def round_times(round_: Round, times: LogTimes) -> RoundTimes:
    """A round's own times with those of the log."""
    starts = round_.starts_at
    if not starts and round_.ends_at and round_.minutes:  # from before clocks could pause
        starts = round_.ends_at - round_.minutes * MINUTE
    return RoundTimes(
        round_.number,
        times.tables.get(round_.number, 0),
        round_.published_at,
        starts or round_.published_at,
        round_.ends_at,
        tuple(times.times_of(round_.number)),
    )


def open_tables(round_: Round, now: dt.datetime) -> list[OpenTable]:
    """The tables of a round without a result, by number: one query. A clock that is paused goes on now."""
    clock = clock_of(round_)
    ends = clock.ends
    if clock.seconds_left is not None:
        ends = now + dt.timedelta(seconds=clock.seconds_left)
    rows = Match.objects.filter(round=round_, result=None, table__isnull=False).order_by("table")
    return [
        OpenTable(table or 0, ends and ends + (more or 0) * MINUTE, bool(more))
        for table, more in rows.values_list("table", "extension__minutes")
    ]
