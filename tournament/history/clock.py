"""Changes of a round's clock, in words: started, paused, given more time."""

import datetime as dt

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.actionlog.match_facts import Fact
from tournament.event.clock import minutes_and_seconds
from tournament.history.context import Context


def clock_words(context: Context, number: int, before: Fact, after: Fact) -> str:
    """What happened to the clock of that round. Only fields that changed are in `before` and `after`."""
    if after.get("seconds_left") is not None:
        values = {"number": number, "left": minutes_and_seconds(after["seconds_left"])}
        if before["seconds_left"] is None:
            return _("clock of round %(number)s paused with %(left)s left") % values
        return _("clock of round %(number)s set to %(left)s left, paused") % values
    if after.get("ends_at"):
        return _deadline_words(context, number, before, after)
    if "ends_at" in after or "seconds_left" in after:
        return _("clock of round %(number)s turned off") % {"number": number}
    return _("length of round %(number)s set to %(minutes)s minutes") % {"number": number, **after}


def _deadline_words(context: Context, number: int, before: Fact, after: Fact) -> str:
    """For a new deadline: the clock was started, resumed, given more time or set."""
    values = {"number": number, "end": context.clock(after["ends_at"], "%H:%M")}
    if after.get("starts_at"):
        values["start"] = context.clock(after["starts_at"], "%H:%M")
        if context.kind == "schedule clock":
            return _("clock of round %(number)s set to start at %(start)s, ends %(end)s") % values
        minutes = _minutes_between(after["starts_at"], after["ends_at"])
        text = ngettext(
            "clock of round %(number)s started: %(minutes)s minute, ends %(end)s",
            "clock of round %(number)s started: %(minutes)s minutes, ends %(end)s",
            minutes,
        )
        return text % {**values, "minutes": minutes}
    if "seconds_left" in after:
        return _("clock of round %(number)s resumed, ends %(end)s") % values
    if "minutes" not in after or not before["ends_at"]:
        return _("clock of round %(number)s set, ends %(end)s") % values
    moved = _minutes_between(before["ends_at"], after["ends_at"])
    if moved > 0:
        text = ngettext(
            "%(minutes)s minute added to round %(number)s, ends %(end)s",
            "%(minutes)s minutes added to round %(number)s, ends %(end)s",
            moved,
        )
    else:
        text = ngettext(
            "%(minutes)s minute taken off round %(number)s, ends %(end)s",
            "%(minutes)s minutes taken off round %(number)s, ends %(end)s",
            -moved,
        )
    return text % {**values, "minutes": abs(moved)}


def _minutes_between(start: str, end: str) -> int:
    """Whole minutes, rounded, between two moments of the log."""
    return round((dt.datetime.fromisoformat(end) - dt.datetime.fromisoformat(start)).total_seconds() / 60)
