"""Functions of the standings app that this app calls without knowing it. Registered at start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tournament.actionlog.change import Log
from tournament.event.types import Event
from tournament.models import Entry, Match, Tournament
from tournament.results.slip import Slip

WAITS, LOSES = "waits", "loses"  # what a drop does in a bracket: staff confirm it first; a match is lost


@dataclass(frozen=True)
class StandingsHooks:
    # {code: match points brought into a round}; into a bracket round, the Swiss points
    points_before: Callable[[Event, int], Mapping[str, Fraction]]
    # the players of the next day: so many of the best, or all with enough points
    next_day_players: Callable[[Event, int | None, str | None], list[str]]
    follow_status: Callable[[Log, Entry], None]  # after a drop or return, in the same action
    find_drop_effect: Callable[[Entry], str]  # WAITS, LOSES, or "" outside a bracket
    write_result: Callable[[Log, Match, Slip], None]  # as reported by phone
    unsettled_matches: Callable[[Tournament], list[str]]  # sentences; an undo must not add any
    confirm_undo: Callable[[Log], None]  # asks for confirmation of other matches that change


_hooks: StandingsHooks


def register_standings(hooks: StandingsHooks) -> None:
    global _hooks
    _hooks = hooks


def standings() -> StandingsHooks:
    return _hooks
