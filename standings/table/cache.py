"""The public standings of an event, ranked once per process and version."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import get_language

from standings.engine import Ranking
from standings.event.rounds import count_open_rounds
from standings.event.swiss import standings_of
from standings.table.sheet import FinalPlace, final_place_by_code
from standings.words.formats import format_value
from tournament.event.read import event_of
from tournament.event.types import Event
from tournament.models import Tournament
from tournament.public import responses
from tournament.public.cache import MarkCache
from tournament.text.display_names import names_in, public_names_in


@dataclass
class RankedEvent:
    """A ranked event with everything needed to show it: the event, its ranking, names by code. Read-only."""

    event: Event
    ranking: Ranking
    names: Mapping[str, str]

    @property
    def display(self) -> Mapping[str, Any]:
        return self.event.profile.get("display") or {}

    @cached_property
    def final_places(self) -> dict[str, FinalPlace]:
        """{code: final place} of every entry; empty before there is a bracket."""
        return final_place_by_code(self.event)

    def format(self, value: Fraction | None, unit: str) -> str:
        """Return a value as printed, shares with their sign; "" for none."""
        if value is None:
            return ""
        return format_value(value, unit, self.display) + ("%" if unit == "share" else "")


# Counted in players; the largest real event takes about 15 MB.
rankings: MarkCache[RankedEvent] = MarkCache(10_000, lambda ranked: 1 + len(ranked.names), name="rankings")


def standings_mark_of(tournament: Tournament) -> str:
    """Return the version of everything public standings and brackets depend on."""
    held = "h" if tournament.hold_standings else ""
    return f"{tournament.standings_revision}.{tournament.state[0]}{held}"


def public_event_of(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    """Return the event as plain values, and {code: public name}."""
    event = event_of(tournament, paired=False)
    return event, public_names_in(event)


def staff_event_of(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    event = event_of(tournament, paired=False)
    return event, names_in(event)


def rank_live(event: Event, names: Mapping[str, str]) -> RankedEvent:
    """Rank the event by every result so far, including open rounds."""
    event = count_open_rounds(event)
    return RankedEvent(event, standings_of(event), names)


def ranked_event_of(tournament: Tournament, after: int | None = None) -> RankedEvent:
    """Rank the event after the complete rounds, or after the first `after` rounds, with public names.

    Raises NoSuchRound if there are fewer rounds.
    """

    def rank_event() -> RankedEvent:
        event, names = public_event_of(tournament)
        return RankedEvent(event, standings_of(event, after), names)

    key = (*responses.key_of(tournament), after, get_language())
    return rankings.read(key, f"{standings_mark_of(tournament)} {responses.release()}", rank_event)
