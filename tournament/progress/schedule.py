"""When an event ends by its schedule: rounds, minutes, and a stated pause between rounds."""

import datetime as dt
from typing import NamedTuple

from django.utils.translation import ngettext

from tournament.models import Round, Tournament
from tournament.progress.facts import ProgressFacts
from tournament.progress.pace import usual_gap
from tournament.progress.turnaround import Turnaround

EVEN = 5  # minutes: nobody promises 22:48
PAUSE = 10  # minutes from the end of a round to the start of the next: late slips, pairing, finding the seat


def planned_end(start: dt.datetime, rounds: int, minutes: int, pause: int = PAUSE) -> dt.datetime:
    """The end of the last of these rounds of `minutes` each, `pause` minutes apart; the first begins at `start`."""
    return start + dt.timedelta(minutes=rounds * minutes + max(rounds - 1, 0) * pause)


def bracket_rounds(size: int) -> int:
    """The number of rounds of a bracket of `size` players: 3 for 5 to 8, 0 for less than 2."""
    return max(size - 1, 0).bit_length()


class Schedule(NamedTuple):
    """The number of Swiss and of bracket rounds, the minutes of each, and the end."""

    swiss: int
    bracket: int
    minutes: int
    ends: dt.datetime
    pause: int = PAUSE

    @property
    def words(self) -> str:
        """“5 Swiss rounds and 3 of the bracket, 50 min each, 10 min between”."""
        if self.bracket:
            text = ngettext(
                "%(swiss)s Swiss round and %(bracket)s of the bracket, "
                "%(minutes)s min each, %(pause)s min between",
                "%(swiss)s Swiss rounds and %(bracket)s of the bracket, "
                "%(minutes)s min each, %(pause)s min between",
                self.swiss,
            )
        else:
            text = ngettext(
                "%(swiss)s Swiss round, %(minutes)s min each, %(pause)s min between",
                "%(swiss)s Swiss rounds, %(minutes)s min each, %(pause)s min between",
                self.swiss,
            )
        return text % {
            "swiss": self.swiss,
            "bracket": self.bracket,
            "minutes": self.minutes,
            "pause": self.pause,
        }


def schedule_of(
    tournament: Tournament, facts: ProgressFacts, turnaround: Turnaround | None = None
) -> Schedule | None:
    """The schedule as it stands: from the event's start or, once a round is published, from that round on.

    With the `turnaround` of the open round it goes on from when its last result is expected, with the pauses
    that earlier rounds had.

    None without minutes or a start; with flights; before the first round of a later stage, whose start is unknown;
    and once the bracket has begun, as its rounds begin when their players are known.
    """
    if facts.flights:
        return None
    minutes = (facts.stage and facts.stage.minutes) or tournament.round_minutes
    posted = [begun for round_ in facts.stage_rounds if (begun := _start_of(round_, minutes))]
    earlier = len(facts.swiss) > len(facts.stage_rounds)
    start = max(posted) if posted else None if earlier else tournament.starts_at
    if not minutes or start is None or facts.bracket or facts.state == Tournament.State.FINISHED:
        return None
    swiss, bracket = max(facts.rounds, len(facts.swiss)), bracket_rounds(facts.cut)
    over = len(facts.swiss) - len(facts.stage_rounds) + max(len(posted) - 1, 0)
    rounds, pause = swiss + bracket - over, PAUSE
    if turnaround:
        pause = usual_gap(turnaround.lengths) or PAUSE
        if turnaround.expected.results:
            start, rounds = turnaround.expected.results[1] + dt.timedelta(minutes=pause), rounds - 1
            if not rounds:
                start = turnaround.expected.results[1]
    return Schedule(swiss, bracket, minutes, round_up(planned_end(start, rounds, minutes, pause)), pause)


def _start_of(round_: Round, minutes: int | None) -> dt.datetime | None:
    """When a posted round began, as its clock tells with what was added to it; else when it was published."""
    if round_.ends_at and minutes:
        return round_.ends_at - dt.timedelta(minutes=minutes)
    return round_.starts_at or round_.published_at


def round_up(moment: dt.datetime) -> dt.datetime:
    """The next moment at a multiple of 5 minutes."""
    over = dt.timedelta(minutes=moment.minute % EVEN, seconds=moment.second, microseconds=moment.microsecond)
    return moment - over + dt.timedelta(minutes=EVEN) if over else moment
