"""How long the rounds of an event took, and when by that pace the open one is over. Plain values in and out."""

import datetime as dt
import math
from collections.abc import Sequence
from typing import NamedTuple

Span = tuple[dt.datetime, dt.datetime]  # from the earliest to the latest
MINUTE = dt.timedelta(minutes=1)


class RoundTimes(NamedTuple):
    """The times of a round; None for what is not known.

    published  when its pairings were up
    starts     when its clock started, or was to start; where it has none, when it was published
    ends       its deadline, without the time extensions of single tables
    entered    when the result of each table came in, in order; of a file without its log, fewer than `tables`
    """

    number: int
    tables: int
    published: dt.datetime | None
    starts: dt.datetime | None
    ends: dt.datetime | None
    entered: tuple[dt.datetime, ...]

    @property
    def last(self) -> dt.datetime | None:
        """When the last result came in; None while one is missing or its time is not known."""
        return self.entered[-1] if self.entered and len(self.entered) >= self.tables else None


class RoundLength(NamedTuple):
    """Minutes of a round from its start to the start of the next; None for what is not known or not over.

    playing  until time, or the last result where that came first
    after    from time to the last result
    pairing  from the last result until the next pairings were up
    seating  from then until the next clock started
    """

    number: int
    playing: float | None
    after: float | None
    pairing: float | None
    seating: float | None

    @property
    def parts(self) -> tuple[float | None, ...]:
        return self[1:]

    @property
    def total(self) -> float:
        return sum(part or 0 for part in self.parts)


def lengths_of(rounds: Sequence[RoundTimes]) -> list[RoundLength]:
    """The length of each round of a stage whose results have all come in, in order."""
    following: list[RoundTimes | None] = [*rounds[1:], None]
    return [_length_of(one, after) for one, after in zip(rounds, following, strict=True) if one.last]


def _length_of(one: RoundTimes, following: RoundTimes | None) -> RoundLength:
    last, starts, ends = one.last, one.starts, one.ends
    assert last is not None
    time_up = min(last, ends) if ends else last
    published, begun = (following.published, following.starts) if following else (None, None)
    return RoundLength(
        one.number,
        _minutes(starts, time_up),
        _minutes(ends, last),
        _minutes(last, published),
        _minutes(published, begun),
    )


def _minutes(since: dt.datetime | None, until: dt.datetime | None) -> float | None:
    """Minutes from one to the other, 0 where they are the other way round; None where one is not known."""
    return max(until - since, dt.timedelta(0)) / MINUTE if since and until else None


class Estimate(NamedTuple):
    """When an open round goes on: None where nothing is known that says so.

    results  when the last result is expected, or came in
    starts   when the next round is expected to start
    """

    results: Span | None = None
    starts: Span | None = None


def estimate(
    one: RoundTimes, deadline: dt.datetime | None, earlier: Sequence[RoundLength], now: dt.datetime
) -> Estimate:
    """By the last `deadline` of the tables outstanding, their extensions included, and the `earlier` rounds.

    Without a deadline, by how long the earlier rounds were played. A moment that has passed without its
    results says nothing: then nothing is expected.
    """
    if one.last:
        results: Span | None = (one.last, one.last)
    else:
        results = _results_of(one, deadline, earlier, now)
    gaps = [(each.pairing + (each.seating or 0)) for each in earlier if each.pairing is not None]
    if results is None or not gaps:
        return Estimate(results)
    starts = _later(results, gaps)
    return Estimate(results, (max(starts[0], now), starts[1]) if starts[1] > now else None)


def _results_of(
    one: RoundTimes, deadline: dt.datetime | None, earlier: Sequence[RoundLength], now: dt.datetime
) -> Span | None:
    if deadline:
        span = _later((deadline, deadline), [each.after for each in earlier if each.after is not None] or [0])
    elif one.starts and (played := [each.playing for each in earlier if each.playing is not None]):
        span = _later((one.starts, one.starts), played)
    else:
        return None
    return (max(span[0], now), span[1]) if span[1] > now else None


def _later(span: Span, minutes: Sequence[float]) -> Span:
    """The span, later by the least and by the most of these minutes."""
    return span[0] + min(minutes) * MINUTE, span[1] + max(minutes) * MINUTE


def whole_minutes(until: dt.datetime, now: dt.datetime) -> int:
    """Minutes from now until then, a begun one as a whole."""
    return max(math.ceil((until - now) / MINUTE), 0)


def usual_gap(lengths: Sequence[RoundLength]) -> int | None:
    """The minutes between the end of a round's time and the next start, on average; None where no two rounds tell."""
    gaps = [
        (each.after or 0) + each.pairing + (each.seating or 0) for each in lengths if each.pairing is not None
    ]
    return round(sum(gaps) / len(gaps)) if gaps else None
