"""Corrections and repairs as everyone may read them: what was, what is and when; never why or by whom."""

import datetime as dt
import zoneinfo
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tournament.event.table_plan import plan_of
from tournament.history.changed_matches import ChangedMatch, changed_matches, facts_now
from tournament.models import Tournament
from tournament.services.corrections import CORRECTION
from tournament.services.undo_obstacles import undone_numbers

REPAIR = "re-pair"


class PublicCorrection(NamedTuple):
    """A correction or, with `repair`, other tables for a published round. `number`: of its action.

    at       in the event's time zone
    matches  what it changed, by round and table
    entries  codes of the players it changed apart from their matches
    """

    number: int
    at: dt.datetime
    repair: bool
    matches: list[ChangedMatch]
    entries: frozenset[str]


def public_corrections_of(tournament: Tournament, names: Mapping[str, str]) -> list[PublicCorrection]:
    """The corrections and repairs that are not undone, the oldest first, with these names of players by code.

    One query where there are none, else three, however many they are.
    """
    rows = tournament.actions.filter(kind__in=(CORRECTION, REPAIR)).order_by("-number")
    actions = list(rows.values_list("number", "at", "kind", "changes"))
    undone = undone_numbers(tournament) if actions else set()
    actions = [action for action in actions if action[0] not in undone]
    facts = facts_now(tournament, (change for *_action, changes in actions for change in changes))
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    corrections = [
        PublicCorrection(
            number,
            at.astimezone(zone),
            kind == REPAIR,
            list(changed_matches(facts, changes, names, plan_of(tournament))),
            frozenset(c["fact"].split("/")[1] for c in changes if c["fact"].startswith("entries/")),
        )
        for number, at, kind, changes in actions
    ]
    return corrections[::-1]


def corrections_in(
    corrections: Iterable[PublicCorrection], number: int, *, results: bool = True
) -> list[PublicCorrection]:
    """Those of one round; its repairs alone without `results`, which are then not public yet."""
    of_round = (
        each._replace(matches=[match for match in each.matches if match.round == number])
        for each in corrections
        if each.repair or results
    )
    return [each for each in of_round if each.matches]


def corrected_keys(corrections: Iterable[PublicCorrection]) -> dict[str, int]:
    """The number of the last correction of each corrected match, by the key of its fact; repairs are none."""
    return {match.key: each.number for each in corrections if not each.repair for match in each.matches}


class CorrectedDay(NamedTuple):
    """How many matches were corrected on a day of the event's calendar, and in which rounds."""

    date: dt.date
    matches: int
    rounds: list[int]


def corrected_days_of(tournament: Tournament) -> list[CorrectedDay]:
    """The days on which a finished event was corrected, in order; none before its end."""
    if tournament.state != Tournament.State.FINISHED:
        return []
    days: dict[dt.date, dict[str, int]] = {}
    for each in public_corrections_of(tournament, {}):
        for match in () if each.repair else each.matches:
            days.setdefault(each.at.date(), {})[match.key] = match.round
    return [CorrectedDay(date, len(rounds), sorted({*rounds.values()})) for date, rounds in days.items()]
