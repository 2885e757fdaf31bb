"""The public standings of an event, ranked once per process and mark: every derivation reads the same ranking.

Exact as the rendered parts are (`tournament.public.cache`): the mark is read from the database each time, and
what is kept is only given out under the mark it was made for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from threading import Lock
from typing import Any

from django.utils.translation import get_language

from standings.engine import Ranking
from standings.event.swiss import standings_of
from standings.table.final_places import finals_of
from standings.words.formats import format_value
from tournament.event.read import event_of
from tournament.event.types import Event
from tournament.models import Tournament
from tournament.public import responses
from tournament.text.display_names import names_in, public_names_in

MOST = 8  # rankings kept, the latest asked for; the largest real event takes about 15 MB

_kept: OrderedDict[tuple, tuple[str, Reading]] = OrderedDict()
_lock = Lock()


@dataclass
class Reading:
    """A ranked event with what is needed to show it: the event, its ranking, names by code."""

    event: Event
    ranking: Ranking
    names: Mapping[str, str]

    @property
    def display(self) -> Mapping[str, Any]:
        return self.event.profile.get("display") or {}

    @cached_property
    def finals(self) -> dict[str, tuple[int, str]]:
        """{code: (final place, where it is from)}; empty before there is a bracket."""
        return finals_of(self.event)

    def say(self, value: Fraction | None, unit: str) -> str:
        """A value as it is printed, shares with their sign; empty for none."""
        if value is None:
            return ""
        return format_value(value, unit, self.display) + ("%" if unit == "share" else "")


def mark_of(tournament: Tournament) -> str:
    """What public standings and brackets depend on."""
    held = "h" if tournament.hold_standings else ""
    return f"{tournament.standings_revision}.{tournament.state[0]}{held}"


def event_and_names(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    """The event as plain values, and everybody's name as everybody may read it."""
    event = event_of(tournament, paired=False)
    return event, public_names_in(event)


def event_for_staff(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    """The same with full names."""
    event = event_of(tournament, paired=False)
    return event, names_in(event)


def reading_of(tournament: Tournament, after: int | None = None) -> Reading:
    """The ranked event after the complete rounds, or after the first so many; not to be changed by anybody.

    Raises NoSuchRound for more rounds than there are.
    """
    key = (*responses.key_of(tournament), after, get_language())
    mark = f"{mark_of(tournament)} {responses.release()}"
    with _lock:
        kept = _kept.get(key)
        if kept is not None and kept[0] == mark:
            _kept.move_to_end(key)
            return kept[1]
    event, names = event_and_names(tournament)
    reading = Reading(event, standings_of(event, after), names)
    with _lock:
        _kept[key] = (mark, reading)
        _kept.move_to_end(key)
        while len(_kept) > MOST:
            _kept.popitem(last=False)
    return reading


def forget() -> None:
    """Forget every ranking."""
    with _lock:
        _kept.clear()
