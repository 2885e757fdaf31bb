"""Estimates of when the next round can start, what it waits for, and when the event ends."""

import datetime as dt
from typing import NamedTuple

from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.event.clock import RoundClock, round_clock
from tournament.models import Match, Round, Tournament
from tournament.progress.next_step import ProgressFacts

MINUTE = dt.timedelta(minutes=1)
EVEN = 5  # minutes, to which estimates are rounded
PAUSE = 10  # minutes from the end of a round to the start of the next: late slips, pairing, finding the seat


class Turnaround(NamedTuple):
    """The open Swiss round at `now`, with the number of its tables and the deadlines of outstanding ones."""

    number: int
    tables: int
    outstanding: list[dt.datetime | None]
    clock: RoundClock
    now: dt.datetime

    @property
    def entered(self) -> int:
        return self.tables - len(self.outstanding)

    @property
    def past(self) -> int:
        return sum(ends is not None and ends <= self.now for ends in self.outstanding)

    @property
    def last_deadline(self) -> dt.datetime | None:
        """The latest deadline of an outstanding table; None without a clock, or once it has passed."""
        ends = max(filter(None, self.outstanding), default=None)
        return ends if ends and ends > self.now else None

    @property
    def can_start(self) -> str:
        """The time at which the next step can begin, such as "21:57"; "" if no clock tells."""
        ends = self.last_deadline
        return f"{timezone.localtime(round_up(ends)):%H:%M}" if ends else ""


def round_up(moment: dt.datetime, minutes: int = 1) -> dt.datetime:
    over = dt.timedelta(
        minutes=moment.minute % minutes, seconds=moment.second, microseconds=moment.microsecond
    )
    return moment - over + minutes * MINUTE if over else moment


def minute_version(tournament: Tournament) -> str:
    """Return a version that changes with the log and, because of clocks and estimates, every minute."""
    return f"{tournament.revision}.{int(timezone.now().timestamp()) // 60}"


def load_turnaround(tournament: Tournament, facts: ProgressFacts) -> Turnaround | None:
    """Load it in two queries. None before round 1, after the cut, and while several sessions have open rounds."""
    open_ = [one for one in facts.swiss if one.state == Round.State.PUBLISHED]
    if len(open_) != 1 or facts.seeds:
        return None
    [one] = open_
    now = timezone.now()
    tables = one.matches.exclude(table=None).count()
    return Turnaround(one.number, tables, _list_deadlines(one, now), round_clock(one), now)


def _list_deadlines(round_: Round, now: dt.datetime) -> list[dt.datetime | None]:
    """Return the deadline of each table without a result, with its extension. A paused clock counts as resumed now."""
    clock = round_clock(round_)
    ends = clock.ends
    if clock.seconds_left is not None:
        ends = now + dt.timedelta(seconds=clock.seconds_left)
    rows = Match.objects.filter(round=round_, result=None, table__isnull=False)
    extensions = rows.values_list("extension__minutes", flat=True)
    return [ends and ends + (more or 0) * MINUTE for more in extensions]


def play_time(rounds: int, minutes: int) -> dt.timedelta:
    """Return the time that this many rounds of `minutes` each take, with the pauses between them."""
    return dt.timedelta(minutes=rounds * minutes + max(rounds - 1, 0) * PAUSE)


def bracket_rounds(size: int) -> int:
    return max(size - 1, 0).bit_length()


class Schedule(NamedTuple):
    """How many Swiss and bracket rounds there are, the minutes of each round, and when the last one ends."""

    swiss: int
    bracket: int
    minutes: int
    ends: dt.datetime


def build_schedule(
    tournament: Tournament, facts: ProgressFacts, turnaround: Turnaround | None = None
) -> Schedule | None:
    """Return the schedule from the event's start or, once a round is published, from that round on.

    The `turnaround` continues from the open round's last deadline. If that has passed, it counts as now. None without
    minutes or a start, after the end, with parallel sessions, between stages, and once the bracket has begun.
    """
    if facts.flights:
        return None
    minutes = (facts.stage and facts.stage.minutes) or tournament.round_minutes
    posted = [begun for round_ in facts.stage_rounds if (begun := _find_round_start(round_, minutes))]
    earlier = len(facts.swiss) > len(facts.stage_rounds)
    start = max(posted) if posted else None if earlier else tournament.starts_at
    if not minutes or start is None or facts.bracket or facts.state == Tournament.State.FINISHED:
        return None
    swiss, bracket = max(facts.rounds, len(facts.swiss)), bracket_rounds(facts.cut)
    over = len(facts.swiss) - len(facts.stage_rounds) + max(len(posted) - 1, 0)
    length = play_time(swiss + bracket - over, minutes)
    if turnaround and turnaround.last_deadline:
        start = turnaround.last_deadline - dt.timedelta(minutes=minutes)
    now = timezone.now()
    if start + length <= now:
        return None
    following = start
    if posted:
        following += dt.timedelta(minutes=minutes + (0 if facts.outstanding else PAUSE))
    ends = start + length + max(now - following, dt.timedelta())
    return Schedule(swiss, bracket, minutes, round_up(ends, EVEN))


class PlanLine(NamedTuple):
    """A line of the day's plan. `state`: "done", "cur" for the open round, or "" for an estimate."""

    at: dt.datetime
    label: str
    state: str = ""


def plan_day(facts: ProgressFacts, schedule: Schedule) -> list[PlanLine]:
    """Return the stage's rounds that have begun, the rounds to come (counted back from the end), and the end."""
    round_words, minutes = _("Round %(number)s"), schedule.minutes
    lines = [
        PlanLine(
            at, round_words % {"number": one.number}, "done" if one.state == Round.State.COMPLETE else "cur"
        )
        for one in facts.stage_rounds
        if (at := _find_round_start(one, minutes))
    ]
    begun = len(facts.swiss) - len(facts.stage_rounds) + len(lines)
    to_come = [round_words % {"number": number} for number in range(begun + 1, schedule.swiss + 1)]
    if schedule.bracket:
        to_come.append(_("Top %(size)s") % {"size": facts.cut})
    left = schedule.swiss + schedule.bracket - begun
    for rounds, label in zip(range(left, 0, -1), to_come, strict=False):
        lines.append(PlanLine(schedule.ends - play_time(rounds, minutes), label))
    return [*lines, PlanLine(schedule.ends, _("End"))]


def _find_round_start(round_: Round, minutes: int | None) -> dt.datetime | None:
    """Return a published round's start by its clock and extensions; else the time when it was published."""
    if round_.ends_at and minutes:
        return round_.ends_at - dt.timedelta(minutes=minutes)
    return round_.starts_at or round_.published_at
