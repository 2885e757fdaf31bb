"""The bracket for spreadsheets and programs: matches as CSV, tree and places as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from standings.bracket.podium import Placed
from standings.words.tree import End, Tie, Tree
from tournament.exports.csv import csv_text
from tournament.results import wording

COLUMNS = (
    "round", "match", "table", "state", "seed_a", "player_a", "seed_b", "player_b", "games_a", "games_b",
    "drawn", "points_a", "points_b", "repeat_games", "result", "decided", "winner",
)  # fmt: skip


def csv_of(tree: Tree | None) -> str:
    """One line a match, first round first; only the names of the columns before the cut."""
    return csv_text(COLUMNS, [] if tree is None else [_row(tie, tree) for tie in tree.ties])


def _row(tie: Tie, tree: Tree) -> list[object]:
    a, b = tie.ends
    games = tie.games or (None, None, None)
    points = tie.points or (None, None)
    repeats = "; ".join(wording.games_words(repeat) for repeat in tie.repeats)
    winner = tie.winner.name if tie.winner else None
    return [
        *(_round_of(tie, tree), tie.title, tie.table, tie.state, a.seed, a.name, b.seed, b.name),
        *(*games, *points, repeats, tie.result, tie.decided, winner),
    ]


def json_of(tree: Tree | None, places: Iterable[Placed]) -> str:
    """The tree round by round, and everybody's place; `"rounds": []` before the cut."""
    document: dict[str, Any] = {"format": "swiss-bracket", "version": 1, "entrants": 0, "over": False}
    document |= {"champion": None, "rounds": [], "third_place": None, "places": []}
    if tree is not None:
        document |= {
            "entrants": tree.entrants,
            "over": tree.over,
            "champion": tree.champion_code,
            "rounds": [
                {"round": r.number, "title": r.title, "matches": [_match(tie) for tie in r.ties]}
                for r in tree.rounds
            ],
            "third_place": _match(tree.third) if tree.third else None,
            "places": [{"best": p.best, "worst": p.worst, "entry": p.code, "name": p.name} for p in places],
        }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


def _match(tie: Tie) -> dict[str, Any]:
    return {
        "slot": tie.slot,
        "title": tie.title,
        "state": tie.state,
        "table": tie.table,
        "a": _end(tie.ends[0]),
        "b": _end(tie.ends[1]),
        "first": "ab"[tie.ends.index(tie.first)] if tie.first else None,
        "result": tie.result,
        "games": tie.games,
        "points": tie.points,
        "repeat_games": tie.repeats,
        "decided": tie.decided or None,
        "winner": "ab"[tie.ends.index(tie.winner)] if tie.winner else None,
    }


def _end(end: End) -> dict[str, Any] | None:
    """Who stands there; None: not known yet, or nobody."""
    return {"entry": end.code, "name": end.name, "seed": end.seed} if end.code else None


def _round_of(tie: Tie, tree: Tree) -> str:
    """The title of its round; the match for place 3 is its own."""
    return next((r.title for r in tree.rounds if tie in r.ties), tie.title)
