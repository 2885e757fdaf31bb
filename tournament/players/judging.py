"""Penalties, player messages, judge calls, deck checks and decklists of an event, for its pages."""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from tournament.event.table_plan import table_name
from tournament.models import DeckCheck, Decklist, Entry, Flag, Penalty, Round, Seat, Tournament
from tournament.results.desk_sheet import DeskRow
from tournament.text.decklists import size_problems
from tournament.text.display_names import names_of, sort_by_name

MOST_PENALTIES, MOST_MESSAGES = 2000, 200  # shown


class PenaltyRow(NamedTuple):
    penalty: Penalty
    name: str
    table: int | None
    table_name: str


class PlayerMessage(NamedTuple):
    flag: Flag
    name: str
    table: int | None
    table_name: str


class JudgeCall(NamedTuple):
    """A call from a table: who called, in which round, at which table, and the minutes waited."""

    flag: Flag
    name: str
    table: int | None
    table_name: str
    waits: int


class DeckCheckRow(NamedTuple):
    check: DeckCheck
    name: str
    table: int | None
    table_name: str


def penalties_of(tournament: Tournament, codes: Collection[str] | None = None) -> list[PenaltyRow]:
    rows = tournament.penalties.order_by("number")
    if codes is not None:
        rows = rows.filter(entry__code__in=codes)
    return [PenaltyRow(*found) for found in _with_tables(tournament, rows, MOST_PENALTIES)]


def player_messages_of(tournament: Tournament, *, done: bool = False) -> list[PlayerMessage]:
    """Return the messages to review, oldest first; with `done` those marked done, newest first."""
    rows = tournament.flags.filter(kind=Flag.Kind.MESSAGE, done=done)
    rows = rows.order_by("-number" if done else "number")
    return [PlayerMessage(*found) for found in _with_tables(tournament, rows, MOST_MESSAGES)]


def open_calls_of(tournament: Tournament, now: dt.datetime) -> list[JudgeCall]:
    rows = tournament.flags.filter(kind=Flag.Kind.CALL, done=False).order_by("number")
    rows = rows.exclude(round__state=Round.State.COMPLETE)  # calls from them are obsolete
    return [
        JudgeCall(flag, name, table, called, max(int((now - flag.at).total_seconds() // 60), 0))
        for flag, name, table, called in _with_tables(tournament, rows)
    ]


def deck_checks_of(tournament: Tournament) -> list[DeckCheckRow]:
    rows = tournament.deck_checks.order_by("-number")
    return [DeckCheckRow(*found) for found in _with_tables(tournament, rows)]


def _with_tables(
    tournament: Tournament, rows: QuerySet[Any], most: int | None = None
) -> Iterator[tuple[Any, str, int | None, str]]:
    seats = Seat.objects.filter(
        entry=OuterRef("entry"), round=OuterRef("round"), match__table__isnull=False
    ).values("match__table")
    found = list(rows.select_related("entry", "round").annotate(table=Subquery(seats[:1]))[:most])
    names = names_of(tournament) if found else {}
    for row in found:
        name = names[row.entry.code] if row.entry else ""
        yield row, name, row.table, table_name(tournament, row.table, row.round)


class Suggestions(NamedTuple):
    """Tables to check next: any at random, one at random with the fewest decks checked, the one with most points."""

    random: DeskRow
    unchecked: DeskRow
    top: DeskRow


def suggest_tables(
    tournament: Tournament,
    rows: Sequence[DeskRow],
    checks: Sequence[DeckCheckRow],
    points: Mapping[str, Fraction],
) -> Suggestions | None:
    """Suggest outstanding tables for a deck check, without those being checked; None if there are none.

    The random ones follow from the event's secret seed and the number of checks so far: unpredictable, not repeatable,
    and verifiable afterwards.
    """
    rounds = {row.round for row in rows}
    busy = {row.check.entry.code for row in checks if row.check.ends_at is None and _round_of(row) in rounds}
    done = {row.check.entry.code for row in checks}
    free = [row for row in rows if busy.isdisjoint(_codes(row))]
    if not free:
        return None

    def chance(row: DeskRow) -> str:
        text = f"{tournament.seed}:deck check:{row.round}:{len(checks)}:{row.table}"
        return hashlib.sha256(text.encode()).hexdigest()

    def checked(row: DeskRow) -> int:
        return len(done & _codes(row))

    return Suggestions(
        min(free, key=chance),
        min(free, key=lambda row: (checked(row), chance(row))),
        min(free, key=lambda row: (checked(row), -_points(row, points), row.table or 0)),
    )


def _round_of(row: DeckCheckRow) -> int:
    return row.check.round.number if row.check.round else 0


def _codes(row: DeskRow) -> set[str]:
    return {player.code for player in (row.a, row.b) if player}


def _points(row: DeskRow, points: Mapping[str, Fraction]) -> Fraction:
    return sum((points.get(code, Fraction(0)) for code in _codes(row)), Fraction(0))


EXPECTED = (Entry.Status.REGISTERED, Entry.Status.PLAYING)


class DecklistRow(NamedTuple):
    """A player who is expected to submit a list, or has one. `decklist`: the one that counts, without its text."""

    code: str
    name: str
    decklist: Decklist | None
    problems: list[str]

    @property
    def kinds(self) -> set[str]:
        if self.decklist is None:
            return {"missing"}
        late, changed = self.decklist.late, self.decklist.version > 1
        return {"in"} | ({"late"} if late else set()) | ({"changed"} if changed else set())


def decklist_rows_of(tournament: Tournament) -> list[DecklistRow]:
    newest = newest_decklists_of(tournament)
    entries = tournament.entries.filter(house=False).exclude(status=Entry.Status.MERGED)
    statuses = dict(entries.values_list("code", "status"))
    names = names_of(tournament)
    codes = [code for code, status in statuses.items() if status in EXPECTED or code in newest]
    rows = []
    for code in sort_by_name({code: names[code] for code in codes}):
        decklist = newest.get(code)
        problems = size_problems(tournament, decklist.main, decklist.sideboard) if decklist else []
        rows.append(DecklistRow(code, names[code], decklist, problems))
    return rows


def newest_decklists_of(tournament: Tournament, codes: Collection[str] | None = None) -> dict[str, Decklist]:
    """Return {code: the list that counts, without its text}, of all players or those with these codes."""
    rows = tournament.decklists.defer("text").select_related("entry").order_by("number")
    if codes is not None:
        rows = rows.filter(entry__code__in=codes)
    return {row.entry.code: row for row in rows}
