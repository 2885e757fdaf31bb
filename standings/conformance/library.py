"""The worked examples that ship with the program: `standings/examples/*.json`, one file a document.

A file names its `document`, the `basis` of its numbers (`official`: printed by the publisher; `published`: by
others; `by hand`: worked from the publisher's rules), the `rulesets` they belong to, and its `examples`;
`for_all` shows them beside every other ruleset too, `note` is a remark on the document.
An example has an `id`, what it `says`, its facts and its `numbers`. Facts are an `event` in the notation of
`standings.conformance.notation` (or `{"same as": id}`), or `players` with their rounds: `"W"`, `"2-1-0"` (games),
`"bye"`, `"awarded"`, each with `" v 4-4-0"` if the document gives the opponent's whole record.
"""

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct, field

from standings.conformance.notation import Player, ShortEvent, ShortMatch

FOLDER = Path(__file__).parents[1] / "examples"
Basis = Literal["official", "published", "by hand"]
GAMES = {"W": (2, 0, 0), "L": (0, 2, 0), "D": (1, 1, 1)}
SEEN_FROM_B = {"W": "L", "L": "W", "D": "D"}


class Variant(Struct, frozen=True):
    """What a number would be after one change: of fields of the profile, or of params of the metric."""

    words: str
    change: dict[str, Any] = {}
    params: dict[str, Any] = {}


class ExampleCheck(Struct, frozen=True):
    """A metric and its numbers in the document, by player; `rounded`: they are printed rounded."""

    metric: str
    values: dict[str, str]
    params: dict[str, Any] = {}
    rounded: bool = False
    also: tuple[Variant, ...] = ()


class Example(Struct, frozen=True):
    """One worked example: its facts as an event in short notation, and its numbers."""

    id: str
    says: str
    event: ShortEvent
    checks: tuple[ExampleCheck, ...] = field(name="numbers")
    note: str = ""


class Document(Struct, frozen=True, eq=False):
    """The examples of one document."""

    title: str = field(name="document")
    basis: Basis
    rulesets: tuple[str, ...]
    examples: tuple[Example, ...]
    note: str = ""
    for_all: bool = False


@cache
def documents() -> tuple[Document, ...]:
    """Every document, official ones first. Raises ValueError for a file that cannot be read as one."""
    order = get_args(Basis)
    files = [_document(path) for path in sorted(FOLDER.glob("*.json"))]
    return tuple(sorted(files, key=lambda document: order.index(document.basis)))


def documents_of(key: str) -> list[Document]:
    """The documents whose examples belong to that ruleset."""
    return [document for document in documents() if key in document.rulesets]


def _document(path: Path) -> Document:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        events: dict[str, ShortEvent] = {}
        for example in data["examples"]:
            facts = example.get("event")
            if facts is None:
                event = event_of(example["players"], example.get("left", ()))
            else:
                event = events[facts["same as"]] if "same as" in facts else msgspec.convert(facts, ShortEvent)
            example["event"] = events[example["id"]] = event
        return msgspec.convert(data, Document)
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def event_of(players: dict[str, list[str]], left: Iterable[str] = ()) -> ShortEvent:
    """An event in which these players have these rounds; their opponents play others to have their records."""
    length = max(len(lines) for rounds in players.values() for lines in (rounds, *_records(rounds)))
    event = ShortEvent({player: Player() for player in players}, [[] for _ in range(length)])

    def meet(number: int, a: str, b: str, games: tuple[int, int, int]) -> None:
        event.players.setdefault(b, Player())
        event.rounds[number].append(ShortMatch([a, b], games=games))

    for player, lines in players.items():
        if player in left:
            event.players[player].dropped = len(lines)
        for number, line in enumerate(lines):
            result, _, record = line.partition(" v ")
            if result in ("bye", "awarded"):
                event.rounds[number].append(ShortMatch([player], kind=result))
                continue
            opponent = f"{player}{number + 1}"
            won, lost, drawn = GAMES.get(result) or map(int, result.split("-"))
            meet(number, player, opponent, (won, lost, drawn))
            for other, outcome in enumerate(_rest(record, SEEN_FROM_B.get(result, ""), number)):
                if outcome:
                    meet(other, opponent, f"{opponent} {other + 1}", GAMES[outcome])
    return event


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
