"""The clock of a round: one deadline in server time, used by every desk, phone and screen."""

import datetime as dt
import math
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from tournament.event.profile import ruleset_in_force

State = Literal["off", "scheduled", "running", "paused"]


@dataclass(frozen=True)
class RoundClock:
    """A round's clock, or that of one table with a time extension."""

    starts: dt.datetime | None = None  # also when a bracket round began without a clock
    ends: dt.datetime | None = None  # the deadline; None while it is off or paused
    seconds_left: int | None = None  # the time left while it is paused, else None
    minutes: int | None = None  # the round's own length

    def state(self, now: dt.datetime) -> State:
        """Return the clock's state at that moment. It keeps running past its deadline."""
        if self.seconds_left is not None:
            return "paused"
        if self.ends is None:
            return "off"
        return "scheduled" if self.starts and self.starts > now else "running"

    def has_started(self, now: dt.datetime) -> bool:
        return self.state(now) in ("running", "paused") or (self.starts is not None and self.starts <= now)

    @property
    def is_on(self) -> bool:
        return self.ends is not None or self.seconds_left is not None

    def seconds(self, now: dt.datetime) -> int | None:
        """Seconds left, rounded up: negative past the deadline, None while the clock is off."""
        if self.ends is None:
            return self.seconds_left
        begin = max(now, self.starts) if self.starts else now
        return math.ceil((self.ends - begin).total_seconds())

    def is_over(self, now: dt.datetime) -> bool:
        left = self.seconds(now)
        return left is not None and left <= 0

    @property
    def left_words(self) -> str:
        return minutes_and_seconds(self.seconds_left or 0)

    def extended(self, minutes: int) -> Self:
        ends = self.ends and self.ends + dt.timedelta(minutes=minutes)
        left = None if self.seconds_left is None else self.seconds_left + 60 * minutes
        return replace(self, ends=ends, seconds_left=left)

    @property
    def mark(self) -> str:
        """A version key that changes whenever the clock does; "" while it is off."""
        if not self.is_on:
            return ""
        moments = (moment and int(moment.timestamp()) for moment in (self.starts, self.ends))
        return "-".join(str(part or "") for part in (*moments, self.seconds_left, self.minutes))


def round_clock(round_: Any) -> RoundClock:
    return RoundClock(round_.starts_at, round_.ends_at, round_.seconds_left, round_.minutes)


def round_length(round_: Any) -> int | None:
    """Return the minutes of a round: its own, else its stage's, else the event's."""
    return round_.minutes or round_.stage.minutes or round_.tournament.round_minutes


def minutes_and_seconds(seconds: int) -> str:
    """Format as "12:30"; more than an hour as "75:00"."""
    return f"{seconds // 60}:{seconds % 60:02}"


def turns_after_time(tournament: Any) -> int:
    return int(ruleset_in_force(tournament).get("turns_after_time") or 0)
