"""Whose decks were checked, and which tables to check next."""

import hashlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tournament.models import DeckCheck, Tournament
from tournament.players.tables import table_then
from tournament.results.desk_sheet import DeskRow
from tournament.text.display_names import names_of


class DeckCheckRow(NamedTuple):
    """A deck check and its player's name; `table`: where the player sat in its round, or None."""

    check: DeckCheck
    name: str
    table: int | None


def deck_checks_of(tournament: Tournament) -> list[DeckCheckRow]:
    """The event's deck checks, the newest first. Two queries."""
    rows = tournament.deck_checks.select_related("entry", "round").annotate(table=table_then())
    checks = list(rows.order_by("-number"))
    names = names_of(tournament) if checks else {}
    return [DeckCheckRow(check, names[check.entry.code], check.table) for check in checks]


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
    """What to check next of these outstanding tables, without those where a check is running; None without any.

    The random ones follow from the event's secret seed and the number of checks so far, which the log holds: no one
    can foresee them, no one can ask again until another comes, and afterwards everyone can see that they were right.
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
