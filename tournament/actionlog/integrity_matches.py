"""The part of `fsck` about results: what each match says must fit itself, its seats and its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tournament.actionlog.integrity import Tables

Row = Any  # a row of a table as a dict
DECIDED_ALONE = {"bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed"}


def matches(tables: Tables) -> Iterator[str]:
    """[I7, I8, I13] Results fit their match, winners follow from games, tables are unique."""
    for match in tables.matches.values():
        seats = {seat["side"]: seat for seat in tables.by_match[match["id"]]}
        paired, said = "b" in seats, tables.place(match)
        result = match["result"]
        if result and (result in DECIDED_ALONE) == paired:
            yield f"{said}: result {result} with {len(seats)} seats"
        games = [seats[side]["games"] for side in sorted(seats)]
        if result == "played" and (None in games or match["drawn"] is None):
            yield f"{said}: played without games"
        if result is None and any(number is not None for number in games):
            yield f"{said}: games without a result"
        if result == "played" and paired and None not in games:
            yield from _score(tables, match, games, said)
            yield from _order(tables, match, games, said)
        yield from _points(tables, match, seats, said)
        swiss = tables.rounds[match["round_id"]]["swiss"]
        if paired and result and not (swiss or match["winner"] or match["draws_allowed"]):
            yield f"{said}: an elimination match without a winner"
    numbers = Counter((m["round_id"], m["table"]) for m in tables.matches.values() if m["table"])
    for (number, table), count in numbers.items():
        if count > 1:
            yield f"round {tables.rounds[number]['number']}: table {table} appears {count} times"


def _score(tables: Tables, match: Row, games: list[int], said: str) -> Iterator[str]:
    plain = not match["replays"] and not match["decided"]
    winner = "" if games[0] == games[1] else "ab"[games[0] < games[1]]
    if plain and match["winner"] != winner:
        yield f"{said}: the winner does not match the games"
    if tables.here(tables.rounds[match["round_id"]]):
        to_win = match["best_of"] // 2 + 1  # of exactly two games: both
        if max(games) > to_win or min(games) >= to_win:
            yield f"{said}: {games[0]}-{games[1]} in best of {match['best_of']}"


def _points(tables: Tables, match: Row, seats: dict[str, Row], said: str) -> Iterator[str]:
    """Points made inside a match: of both sides, exact, and of one game not against its winner."""
    given = [seats[side]["score"] for side in sorted(seats)]
    if not any(given):
        return
    if match["result"] is None:
        yield f"{said}: points without a result"
    if not all(given):
        yield f"{said}: points of one side only"
        return
    try:
        read = [Fraction(points) for points in given]
    except (ValueError, ZeroDivisionError):
        yield f"{said}: {given} are not valid points"
        return
    here = tables.here(tables.rounds[match["round_id"]])
    if here and match["result"] == "played" and match["best_of"] == 1 and len(read) == 2:
        winner = "" if read[0] == read[1] else "ab"[read[0] < read[1]]
        if winner != match["winner"]:
            yield f"{said}: the winner does not match the points"


def _order(tables: Tables, match: Row, games: list[int], said: str) -> Iterator[str]:
    """Who won each game in turn fits the games, in rounds paired here."""
    order = match["game_order"]
    if order and tables.here(tables.rounds[match["round_id"]]):
        counted = [order.count(letter) for letter in "abd"]
        if counted != [*games, match["drawn"]] or sum(counted) != len(order):
            yield f"{said}: the order of games {order} does not match {games[0]}-{games[1]}"
