"""Waivers for rematches and repeat byes. In Swiss rounds the database refuses these without one."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tournament.actionlog.match_facts import MatchFact, match_facts
from tournament.event.types import table_order
from tournament.models import Match, Seat
from tournament.rulesets import is_meeting

Waiver = dict[str, str]  # {"rule": "repeat" or "bye", "reason"}
Numbered = dict[str, tuple[int, MatchFact]]  # the number of its round, and the match, by the match's key
Meeting = frozenset[str | None]  # two players, or a player and None for a pairing bye


def waiver(a: str, b: str | None, earlier: Collection[Meeting], reason: str) -> Waiver | None:
    """Return the waiver this table needs as a rematch or repeat bye, if it is among the `earlier` ones."""
    if frozenset((a, b)) not in earlier:
        return None
    return {"rule": "repeat" if b else "bye", "reason": reason}


def meeting_players(match: MatchFact) -> Meeting | None:
    """Return the players of a match or of a pairing bye; None for other rounds without an opponent."""
    return frozenset((match.a, match.b)) if match.b or match.result == "bye" else None


class Meetings:
    """Meetings in Swiss rounds under a ruleset, to find the ones that need a waiver."""

    def __init__(self, profile: dict[str, Any]) -> None:
        self._profile = profile
        self._earlier: set[Meeting] = set()
        self._byes: set[int] = set()  # numbers of the rounds with a pairing bye

    def add(self, number: int, match: MatchFact, reason: str) -> Waiver | None:
        """Record `match` as the next one, played in round `number`, and return the waiver it needs, if any."""
        meeting = meeting_players(match)
        if meeting is None:
            return None
        second = match.b is None and number in self._byes
        due = waiver(match.a, match.b, {meeting} if second else self._earlier, reason)
        if is_meeting(self._profile, match.result):
            self._earlier.add(meeting)
        self._byes |= set() if match.b else {number}
        return due


def number_matches(seats: QuerySet[Seat]) -> Numbered:
    """Return {key: (number of the round, match)} for the matches of these seats."""
    stored = match_facts(Match.objects.filter(pk__in=seats.values("match")))
    return {key: (int(key.split("/")[1]), match.fact) for key, match in stored.items()}


def renew_waivers(
    profile: dict[str, Any], before: Numbered, after: dict[str, MatchFact | None]
) -> dict[str, MatchFact | None]:
    """Return the matches with the waivers they need: none for a first meeting or a player's first pairing bye."""
    changed = {
        meeting_players(fact)
        for key, (_number, old) in before.items()
        for fact in (old, after[key])
        if fact is not None and after[key] != old
    }
    byes = {  # rounds with a changed pairing bye
        number
        for key, (number, old) in before.items()
        if (old.result == "bye") != ((new := after[key]) is not None and new.result == "bye")
    }
    meetings, waived = Meetings(profile), dict(after)
    for key in sorted(before, key=lambda key: (before[key][0], table_order(after[key] or before[key][1]))):
        number, old = before[key]
        if (fact := after[key]) is not None:
            needed = meetings.add(number, fact, _("as it was played"))
            if needed and meeting_players(fact) == meeting_players(old):
                needed = old.waived or needed
            if meeting_players(fact) in changed or (number in byes and fact.result == "bye"):
                waived[key] = fact._replace(waived=needed)
    return waived
