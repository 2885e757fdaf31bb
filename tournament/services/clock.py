"""The round clock. `seen` is its state on the page, so that two people adding 5 minutes at once do not add 10."""

import datetime as dt
import zoneinfo
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.facts import to_log
from tournament.actionlog.service import Log, service
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.clock import minutes_and_seconds, round_clock, round_length
from tournament.event.rounds import find_round, round_name
from tournament.models import Round

LONGEST = 600  # minutes
_HALF_DAY = dt.timedelta(hours=12)


@service("start clock")
def start_clock(log: Log, number: int, minutes: int | None = None, seen: str = "") -> None:
    round_ = _open_round(log, number, seen)
    _check_waits(round_)
    _start(log, round_, _now(), minutes)


@service("begin round")
def begin_round(log: Log, number: int, seen: str = "") -> None:
    """Begin a bracket round without a clock. From now on, a player who leaves loses the match."""
    round_ = _open_round(log, number, seen)
    if round_.swiss:
        raise WrongState(_("A Swiss round begins when it is published."))
    clock = round_clock(round_)
    if clock.has_started(_now()):
        raise WrongState(_("This round has already begun."))
    if clock.is_on:
        raise WrongState(_("The clock of this round is set to start at a time of day. Start it now instead."))
    log.set(round_, starts_at=to_log(_now()))


@service("schedule clock")
def schedule_clock(log: Log, number: int, at: str, minutes: int | None = None, seen: str = "") -> None:
    """Schedule a round's clock for a time of day, such as "14:30"."""
    round_ = _open_round(log, number, seen)
    _check_waits(round_)
    starts = _moment_at(log, at)
    if starts <= _now():
        raise Refused(_("%(time)s is in the past. Enter a later time, or start the clock now."), time=at)
    _start(log, round_, starts, minutes)


@service("stop clock")
def stop_clock(log: Log, number: int, seen: str = "") -> None:
    """Turn a round's clock off until it is started again. A bracket round that has begun stays begun."""
    round_ = _open_round(log, number, seen)
    _check_on(round_)
    begun = not round_.swiss and round_clock(round_).has_started(_now())
    log.set(round_, ends_at=None, seconds_left=None, **({} if begun else {"starts_at": None}))


@service("pause clock")
def pause_clock(log: Log, number: int, seen: str = "") -> None:
    round_ = _open_round(log, number, seen)
    clock, now = round_clock(round_), _now()
    if clock.state(now) != "running":
        raise _refusal(round_, _("The clock of %(round)s is not running."))
    if clock.is_over(now):
        raise _refusal(round_, _("Time is up in %(round)s: there is nothing to pause."))
    log.set(round_, ends_at=None, seconds_left=clock.seconds(now))


@service("resume clock")
def resume_clock(log: Log, number: int, seen: str = "") -> None:
    round_ = _open_round(log, number, seen)
    if round_.seconds_left is None:
        raise _refusal(round_, _("The clock of %(round)s is not paused."))
    ends = _now() + dt.timedelta(seconds=round_.seconds_left)
    log.set(round_, ends_at=to_log(ends), seconds_left=None)


@service("add minutes")
def add_minutes(log: Log, number: int, minutes: int, seen: str = "") -> None:
    """Add minutes to a round, or subtract them. Raises Refused if the new deadline would be in the past."""
    round_ = _open_round(log, number, seen)
    _check_on(round_)
    if not 1 <= abs(minutes) <= LONGEST:
        raise Refused(_("Enter 1 to %(most)s minutes to add or take."), most=LONGEST)
    length = min(max((round_length(round_) or 0) + minutes, 1), LONGEST)
    log.set(round_, minutes=length, **_moved(round_, minutes))


@service("change length")
def change_length(log: Log, number: int, minutes: int, seen: str = "") -> None:
    """Change a round's length and move its deadline. Raises Refused if the deadline would be in the past."""
    round_ = _open_round(log, number, seen)
    _check_minutes(minutes)
    moved = _moved(round_, minutes - (round_length(round_) or minutes)) if round_clock(round_).is_on else {}
    log.set(round_, minutes=minutes, **moved)


@service("set clock")
def set_clock(log: Log, number: int, ends: str, seen: str = "") -> None:
    """Set the deadline, such as "14:36". Raises Refused for times in the past."""
    round_ = _open_round(log, number, seen)
    now, end = _now(), _moment_at(log, ends)
    if end <= now:
        raise Refused(_("%(time)s is in the past. Enter a later end."), time=ends)
    waits = round_clock(round_).state(now) in ("off", "scheduled")
    begun = {"starts_at": to_log(now), "minutes": round_length(round_)} if waits else {}
    log.set(round_, ends_at=to_log(end), seconds_left=None, **begun)


def clock_version(round_: Round) -> str:
    """Return the clock's state as shown. Each button sends it back, to detect changes in the meantime."""
    return f"{round_clock(round_).mark}/{round_length(round_) or ''}"


def _open_round(log: Log, number: int, seen: str) -> Round:
    round_ = find_round(log.tournament, number)
    if round_.state != Round.State.PUBLISHED:
        raise _refusal(round_, _("The matches of %(round)s are not in progress."))
    if seen and seen != clock_version(round_):
        raise Conflict(_("Someone else changed the clock meanwhile. Check it, then press again."))
    return round_


def _refusal(round_: Round, text: str) -> WrongState:
    return WrongState(text, round=round_name(round_).phrase)


def _check_waits(round_: Round) -> None:
    state = round_clock(round_).state(_now())
    if state == "running":
        raise _refusal(round_, _("The clock of %(round)s is already running."))
    if state == "paused":
        raise _refusal(round_, _("The clock of %(round)s is paused. Resume it."))


def _check_on(round_: Round) -> None:
    if not round_clock(round_).is_on:
        raise _refusal(round_, _("The clock of %(round)s is off. Start it first."))


def _check_minutes(minutes: int | None) -> int:
    if minutes is None:
        raise Refused(_("Enter the minutes of the round."))
    if not 1 <= minutes <= LONGEST:
        raise Refused(_("A round must have 1 to %(most)s minutes."), most=LONGEST)
    return minutes


def _start(log: Log, round_: Round, starts: dt.datetime, minutes: int | None) -> None:
    length = _check_minutes(minutes if minutes is not None else round_length(round_))
    ends = starts + dt.timedelta(minutes=length)
    log.set(round_, starts_at=to_log(starts), ends_at=to_log(ends), seconds_left=None, minutes=length)


def _moved(round_: Round, minutes: int) -> dict[str, Any]:
    clock, now = round_clock(round_), _now()
    left, later = clock.seconds(now) or 0, clock.extended(minutes)
    if later.is_over(now):
        if left <= 0:
            raise Refused(_("Time was up before that. Set the time left instead."))
        text = ngettext(
            "%(left)s left: you cannot take off %(minutes)s minute.",
            "%(left)s left: you cannot take off %(minutes)s minutes.",
            -minutes,
        )
        raise Refused(text, left=minutes_and_seconds(left), minutes=-minutes)
    return {"ends_at": to_log(later.ends), "seconds_left": later.seconds_left}


def _now() -> dt.datetime:
    return timezone.now().replace(microsecond=0)


def read_time_of_day(text: str) -> dt.time:
    try:
        return dt.time.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        raise Refused(_("“%(text)s” is not a time of day. Example: 14:30."), text=text) from None


def _moment_at(log: Log, text: str) -> dt.datetime:
    """Return the UTC moment nearest to now at which clocks in the event's time zone show this time."""
    clock = read_time_of_day(text)
    now = _now().astimezone(zoneinfo.ZoneInfo(log.tournament.time_zone))
    moment = dt.datetime.combine(now.date(), clock, now.tzinfo)
    days = dt.timedelta(days=1 if moment < now - _HALF_DAY else -1 if moment > now + _HALF_DAY else 0)
    return (moment + days).astimezone(dt.UTC)
