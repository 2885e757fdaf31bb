"""Hooks through which the bracket, which belongs to another app, takes part in services."""

from collections.abc import Callable
from dataclasses import dataclass

from tournament.actionlog.change import Log
from tournament.models import Entry, Match, Tournament
from tournament.results.slip import Slip

WAITS, LOSES = "waits", "loses"  # what a drop does in a bracket: staff confirm it first; a match is lost


@dataclass(frozen=True)
class BracketHooks:
    follow_status: Callable[[Log, Entry], None]  # after a drop or return, in the same action
    find_drop_effect: Callable[[Entry], str]  # WAITS, LOSES, or "" outside a bracket
    write_result: Callable[[Log, Match, Slip], None]  # as reported by phone
    unsettled_matches: Callable[[Tournament], list[str]]  # sentences; an undo must not add any
    confirm_undo: Callable[[Log], None]  # asks for confirmation of other matches that change


_hooks: BracketHooks | None = None


def register_bracket(hooks: BracketHooks) -> None:
    global _hooks
    _hooks = hooks


def bracket() -> BracketHooks:
    assert _hooks, "the standings app registers its bracket"
    return _hooks
