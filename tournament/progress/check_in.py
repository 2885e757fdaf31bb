"""The check-in list and no-shows."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet

from tournament.event.display_names import find_names, listed_name, load_name, load_names, sort_by_name
from tournament.models import Entry, Tournament
from tournament.progress.flights import Flight, stage_name
from tournament.progress.next_step import ProgressFacts

EXPECTED = Q(status=Entry.Status.PLAYING)
HERE = EXPECTED & Q(checked_in=True)
SITS_OUT = Q(requested_byes__0__round=1)  # null without a bye; then no one misses the player
LISTS = {
    "": EXPECTED,
    "missing": EXPECTED & Q(checked_in=False) & (Q(requested_byes=[]) | ~SITS_OUT),
    "unpaid": EXPECTED & Q(paid=False),
    "out": Q(status=Entry.Status.DROPPED, dropped_after=0),  # withdrawn before round 1
}
COLUMNS = ("tournament", "name", "code", "status", "checked_in", "paid", "members", "requested_byes")


def count_players(tournament: Tournament, stage: int | None = None) -> dict[str, int]:
    """Return the number of players per list of `LISTS`, with "expected" for the list "", and those "here"."""
    lists = {name or "expected": Count("pk", filter=those) for name, those in LISTS.items()}
    return _rows(tournament, stage).aggregate(**lists, here=Count("pk", filter=HERE))


def list_players(
    tournament: Tournament,
    kind: str = "",
    words: str = "",
    *,
    stage: int | None = None,
    flights: Mapping[str, list[int]] | None = None,
) -> list[Any]:
    """Return the players in one of `LISTS`, by name, or those found by `words`. `flights`: see `flights_by_entry`.

    Each has its `shown` name, that of lists by name as `listed`, and its `session` if there are several.
    """
    known = load_names(tournament)
    people = {row.code: row for row in _rows(tournament, stage).filter(LISTS[kind])}
    names = {code: known[code] for code in people}
    members = {code: row.members for code, row in people.items()}
    codes = find_names(names, words, members) if words.strip() else sort_by_name(names)
    return [_with_names(people[code], names[code], (flights or {}).get(code, [])) for code in codes]


def find_player(tournament: Tournament, code: str, flights: Mapping[str, list[int]]) -> Any:
    row = _rows(tournament).filter(LISTS[""] | LISTS["out"], code=code).first()
    return row and _with_names(row, load_name(tournament, code, row.name), flights.get(code, []))


def list_absent_players(tournament: Tournament, of: ProgressFacts | Flight) -> list[Any]:
    """Return the players, by name, who have not checked in but would be paired in the event or session."""
    if not of.absent or of.stage is None:
        return []
    return list_players(tournament, "missing", stage=of.stage.number)


def _rows(tournament: Tournament, stage: int | None = None) -> QuerySet[Entry]:
    rows = tournament.entries.filter(house=False).order_by().only(*COLUMNS)
    return rows if stage is None else rows.filter(stage_entries__stage__number=stage)


def _with_names(entry: Any, name: str, flights: Sequence[int]) -> Any:
    entry.shown, entry.listed = name, listed_name(name)
    entry.session = ", ".join(map(stage_name, flights))
    return entry
