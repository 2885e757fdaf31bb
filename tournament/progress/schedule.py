"""When an event is over by its plan: rounds, minutes, and a stated pause between rounds. Plain arithmetic."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from tournament.models import Tournament
from tournament.progress.facts import ProgressFacts

EVEN = 5  # minutes: nobody promises 22:48
PAUSE = 10  # minutes from the end of a round to the start of the next: late slips, pairing, finding the seat


def planned_end(start: dt.datetime, rounds: int, minutes: int, pause: int = PAUSE) -> dt.datetime:
    """The end of the last of so many rounds of `minutes`, the first of which begins at `start`."""
    return start + dt.timedelta(minutes=rounds * minutes + max(rounds - 1, 0) * pause)


def bracket_rounds(size: int) -> int:
    """Rounds of a bracket of so many players: 3 for 8, and for 5 to 7; none for less than 2."""
    return max(size - 1, 0).bit_length()


@dataclass(frozen=True)
class Schedule:
    """What an event promises: Swiss and bracket rounds, minutes of each, minutes between, and the end."""

    swiss: int
    bracket: int
    minutes: int
    pause: int
    ends: dt.datetime


def schedule_of(tournament: Tournament, facts: ProgressFacts) -> Schedule | None:
    """The plan as it stands: from the start, once a round is published from that round on.

    None without minutes or start; side by side; before a later session's first round, whose start nobody said;
    and once the bracket has begun: its rounds begin when their players are known.
    """
    if facts.flights:
        return None
    minutes = (facts.stage and facts.stage.minutes) or tournament.round_minutes
    posted = [round_.published_at for round_ in facts.stage_rounds if round_.published_at]
    earlier = len(facts.swiss) > len(facts.stage_rounds)
    start = max(posted) if posted else None if earlier else tournament.starts_at
    if not minutes or start is None or facts.bracket or facts.state == Tournament.State.FINISHED:
        return None
    swiss, bracket = max(facts.rounds, len(facts.swiss)), bracket_rounds(facts.cut)
    over = len(facts.swiss) - len(facts.stage_rounds) + max(len(posted) - 1, 0)
    return Schedule(
        swiss, bracket, minutes, PAUSE, round_up(planned_end(start, swiss + bracket - over, minutes))
    )


def round_up(moment: dt.datetime) -> dt.datetime:
    """The next moment at an even five minutes."""
    over = dt.timedelta(minutes=moment.minute % EVEN, seconds=moment.second, microseconds=moment.microsecond)
    return moment - over + dt.timedelta(minutes=EVEN) if over else moment
