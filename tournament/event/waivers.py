"""Waivers for rematches and repeat byes: without one the database refuses them in Swiss rounds."""

from collections.abc import Collection
from typing import Any

from tournament.actionlog.match_facts import MatchFact
from tournament.rulesets import is_meeting

Waiver = dict[str, str]  # {"rule": "repeat" or "bye", "reason"}
Meeting = frozenset[str | None]  # two players, or a player and None for a pairing bye


def waiver(a: str, b: str | None, earlier: Collection[Meeting], reason: str) -> Waiver | None:
    """Return the waiver this table needs as a rematch or repeat bye (of `earlier` ones), if any."""
    if frozenset((a, b)) not in earlier:
        return None
    return {"rule": "repeat" if b else "bye", "reason": reason}


def meeting_of(match: MatchFact) -> Meeting | None:
    """Return the players of a match or of a pairing bye; None for other rounds without an opponent."""
    return frozenset((match.a, match.b)) if match.b or match.result == "bye" else None


class Meetings:
    """Meetings of Swiss rounds under a ruleset, to find the ones that need a waiver."""

    def __init__(self, profile: dict[str, Any]) -> None:
        self._profile = profile
        self._earlier: set[Meeting] = set()
        self._byes: set[int] = set()  # numbers of the rounds with a pairing bye

    def add(self, number: int, match: MatchFact, reason: str) -> Waiver | None:
        """Add the next match, of round `number`. Return the waiver it needs: rematch, repeat bye or second bye."""
        meeting = meeting_of(match)
        if meeting is None:
            return None
        second = match.b is None and number in self._byes
        due = waiver(match.a, match.b, {meeting} if second else self._earlier, reason)
        if is_meeting(self._profile, match.result):
            self._earlier.add(meeting)
        self._byes |= set() if match.b else {number}
        return due
