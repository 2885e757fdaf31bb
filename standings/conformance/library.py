"""The worked examples that ship with the program: `standings/examples/*.json`, one file a document.

A file names its `document`, the `basis` of its numbers (`official`: printed by the publisher; `published`: by
others; `by hand`: worked from the publisher's rules), the `rulesets` they belong to, and its `examples`;
`for_all` shows them beside every other ruleset too, `note` is a remark on the document.
An example has an `id`, what it `says`, its facts and its `numbers`. Facts are an `event` in the notation of
`standings.conformance.notation` (or `{"same as": id}`), or `players` with their rounds: `"W"`, `"2-1-0"` (games),
`"bye"`, `"awarded"`, each with `" v 4-4-0"` if the document gives the opponent's whole record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "examples"
BASES = ("official", "published", "by hand")
GAMES = {"W": (2, 0, 0), "L": (0, 2, 0), "D": (1, 1, 1)}
SEEN_FROM_B = {"W": "L", "L": "W", "D": "D"}


@dataclass(frozen=True, slots=True)
class Variant:
    """What a number would be after one change: of fields of the profile, or of params of the metric."""

    words: str
    change: dict[str, Any]
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExampleCheck:
    """A metric and its numbers in the document, by player; `rounded`: they are printed rounded."""

    metric: str
    params: dict[str, Any]
    values: dict[str, str]
    rounded: bool
    also: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example: its facts as an event in short notation, and its numbers."""

    id: str
    says: str
    note: str
    event: dict[str, Any]
    checks: tuple[ExampleCheck, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """The examples of one document."""

    title: str
    basis: str
    rulesets: tuple[str, ...]
    examples: tuple[Example, ...]
    note: str = ""
    for_all: bool = False


@cache
def documents() -> tuple[Document, ...]:
    """Every document, official ones first. Raises ValueError for a file that cannot be read as one."""
    files = [_document(path) for path in sorted(FOLDER.glob("*.json"))]
    return tuple(sorted(files, key=lambda document: BASES.index(document.basis)))


def documents_of(key: str) -> list[Document]:
    """The documents whose examples belong to that ruleset."""
    return [document for document in documents() if key in document.rulesets]


def _document(path: Path) -> Document:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        events: dict[str, dict[str, Any]] = {}
        examples = tuple(_example(item, events) for item in data["examples"])
        if data["basis"] not in BASES:
            raise ValueError(f"basis must be one of {', '.join(BASES)}")
        return Document(
            data["document"],
            data["basis"],
            tuple(data["rulesets"]),
            examples,
            data.get("note", ""),
            data.get("for_all", False),
        )
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def _example(item: dict[str, Any], events: dict[str, dict[str, Any]]) -> Example:
    event = item.get("event")
    if event is None:
        event = event_of(item["players"], item.get("left", ()))
    elif "same as" in event:
        event = events[event["same as"]]
    events[item["id"]] = event
    checks = tuple(
        ExampleCheck(
            number["metric"],
            number.get("params") or {},
            number["values"],
            number.get("rounded", False),
            tuple(
                Variant(also["words"], also.get("change") or {}, also.get("params") or {})
                for also in number.get("also", ())
            ),
        )
        for number in item["numbers"]
    )
    return Example(item["id"], item["says"], item.get("note", ""), event, checks)


def event_of(players: dict[str, list[str]], left: Iterable[str] = ()) -> dict[str, Any]:
    """An event in which these players have these rounds; their opponents play others to have their records."""
    length = max(len(lines) for rounds in players.values() for lines in (rounds, *_records(rounds)))
    rounds: list[list[dict[str, Any]]] = [[] for _ in range(length)]
    names: dict[str, dict[str, Any]] = {player: {} for player in players}

    def meet(number: int, a: str, b: str, games: tuple[int, ...]) -> None:
        names.setdefault(b, {})
        rounds[number].append({"p": [a, b], "g": list(games)})

    for player, lines in players.items():
        if player in left:
            names[player]["dropped"] = len(lines)
        for number, line in enumerate(lines):
            result, _, record = line.partition(" v ")
            if result in ("bye", "awarded"):
                rounds[number].append({"t": result, "p": [player]})
                continue
            opponent = f"{player}{number + 1}"
            meet(number, player, opponent, GAMES.get(result) or tuple(map(int, result.split("-"))))
            for other, outcome in enumerate(_rest(record, SEEN_FROM_B.get(result, ""), number)):
                if outcome:
                    meet(other, opponent, f"{opponent} {other + 1}", GAMES[outcome])
    return {"players": names, "rounds": rounds}


def _records(lines: list[str]) -> list[list[str]]:
    return [_outcomes(record) for line in lines if (record := line.partition(" v ")[2])]


def _outcomes(record: str) -> list[str]:
    """The rounds of a record such as 4-3-1: wins, losses, draws."""
    won, lost, drawn = map(int, record.split("-"))
    return ["W"] * won + ["L"] * lost + ["D"] * drawn


def _rest(record: str, here: str, number: int) -> list[str]:
    """The opponent's other rounds, in order, with an empty one for the round in which the two met."""
    if not record:
        return []
    others = _outcomes(record)
    others.remove(here)
    return [*others[:number], "", *others[number:]]
