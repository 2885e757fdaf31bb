"""The bracket for spreadsheets and programs: its matches as CSV, the tree and the places as JSON."""

import json
from collections.abc import Iterable
from typing import Any

from standings.bracket.tree import PlaceRange
from standings.words.bracket import Tree, TreeMatch, TreeSide
from tournament.exports.csv_text import csv_text
from tournament.results import wording
from tournament.text.clean import drop_isolates

COLUMNS = (
    "round", "match", "table", "state", "seed_a", "player_a", "seed_b", "player_b", "games_a", "games_b",
    "drawn", "points_a", "points_b", "repeat_games", "result", "decided", "winner",
)  # fmt: skip


def csv_of(tree: Tree | None) -> str:
    """Return a line for each match, first round first; before the cut only the header."""
    return csv_text(COLUMNS, [] if tree is None else [_row(match, tree) for match in tree.matches])


def _row(match: TreeMatch, tree: Tree) -> list[object]:
    a, b = match.sides
    start = [_round_of(match, tree), match.title, match.table_name or None, match.state]
    players = [a.seed, a.name, b.seed, b.name]
    numbers = [*(match.games or (None, None, None)), *(match.points or (None, None))]
    repeats = "; ".join(wording.games_words(repeat) for repeat in match.repeats)
    winner = match.winner.name if match.winner else None
    return [*start, *players, *numbers, repeats, match.result, match.decided, winner]


def json_of(tree: Tree | None, places: Iterable[PlaceRange]) -> str:
    """Return the tree round by round, and every player's place; before the cut `"rounds": []`."""
    document = {
        "format": "swiss-bracket",
        "version": 1,
        "entrants": tree.entrants if tree else 0,
        "over": tree.over if tree else False,
        "champion": tree.champion_code if tree else None,
        "rounds": [
            {"round": r.number, "title": r.title, "matches": [_match_json(match) for match in r.matches]}
            for r in (tree.rounds if tree else ())
        ],
        "third_place": _match_json(tree.third) if tree and tree.third else None,
        "places": [
            {"best": p.best, "worst": p.worst, "entry": p.code, "name": p.name}
            for p in (places if tree else ())
        ],
    }
    return drop_isolates(json.dumps(document, ensure_ascii=False, separators=(",", ":"))) + "\n"


def _match_json(match: TreeMatch) -> dict[str, Any]:
    return {
        "slot": match.slot,
        "title": match.title,
        "state": match.state,
        "table": match.table,
        "a": _side_json(match.sides[0]),
        "b": _side_json(match.sides[1]),
        "first": "ab"[match.sides.index(match.first)] if match.first else None,
        "result": match.result,
        "games": match.games,
        "points": match.points,
        "repeat_games": match.repeats,
        "decided": match.decided or None,
        "winner": "ab"[match.sides.index(match.winner)] if match.winner else None,
    }


def _side_json(side: TreeSide) -> dict[str, Any] | None:
    return {"entry": side.code, "name": side.name, "seed": side.seed} if side.code else None


def _round_of(match: TreeMatch, tree: Tree) -> str:
    return next((r.title for r in tree.rounds if match in r.matches), match.title)
