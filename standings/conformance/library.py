"""The worked examples that ship with the program: `standings/examples/*.json`, one file per document.

A file names its `document`, the `basis` of its numbers (`official`: printed by the publisher; `published`: by others;
`by hand`: computed from the publisher's rules), the `rulesets` they belong to, and its `examples`. `for_all` shows them
with every other ruleset too; `note` is a remark on the document.

An example has an `id`, a text (`says`), its facts and its `numbers`. Facts are an `event` in the notation of
`ShortEvent` (or `{"same as": id}`), or `players` with their rounds: `"W"`, `"2-1-0"` (games), `"bye"`, `"awarded"`,
each with `" v 4-4-0"` if the document gives the opponent's whole record.
"""

import json
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct, field

from standings.engine.field import Field
from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Scoring, exact
from tournament.event.lots import compute_lots
from tournament.rulesets import default_games

RESULTS = {
    "bye": "bye", "awarded": "awarded_bye", "half": "half_bye", "zero": "zero_bye", "full": "full_bye",
    "missed": "missed",
}  # fmt: skip
SCORES = {"1-0": (1, 0, 0), "0-1": (0, 1, 0), "1/2": (0, 0, 1)}


class Player(Struct):
    rating: int | None = None
    start: int | str = 0
    dropped: int | None = None
    late: bool = False
    seed: int | None = None


class ShortMatch(Struct):
    """A match in this notation: its games, chess result, or score; `kind` if it was not played."""

    players: list[str] = field(name="p")
    kind: str = field(name="t", default="")
    games: tuple[int, int, int] | None = field(name="g", default=None)
    result: str = field(name="res", default="")
    score: tuple[int | float | str, int | float | str] | None = field(name="s", default=None)
    winner: str | None = None
    order: str | None = None


class ShortEvent(Struct):
    """An event in a few lines: `players` by id, and `rounds`, lists of matches in which the first named moves first.

    `{"p": [a, b], "g": [2, 1, 0]}`, `{"p": [a, b], "res": "1/2"}`, `{"p": [a, b], "s": [25, 20]}`, `{"t": "bye", "p":
    [a]}` or `{"t": "forfeit", "p": [a, b], "winner": a}`.
    """

    players: dict[str, Player]
    rounds: list[list[ShortMatch]]


def build_example_field(event: ShortEvent, profile: dict[str, Any]) -> Field:
    """Return the event's records, scored as the profile says. Raises UnknownScoring; KeyError for broken notation."""
    records = {
        entry: Record(
            entry,
            left=player.dropped is not None,
            rating=player.rating,
            start=exact(player.start),
            late=player.late,
            seed=player.seed,
        )
        for entry, player in event.players.items()
    }
    rounds = [
        (number, [_result(match, profile) for match in matches])
        for number, matches in enumerate(event.rounds, start=1)
    ]
    scoring = Scoring(profile)
    lots = compute_lots(None, dict.fromkeys(records))
    return Field(tally(rounds, records, scoring.games_to_win), scoring, lots)


def _result(match: ShortMatch, profile: dict[str, Any]) -> Result:
    a, b = [*match.players, None][:2]
    assert a is not None
    if match.kind == "forfeit":
        winner = {a: "a", b: "b"}.get(match.winner)
        return Result(a, b, "forfeit", default_games(profile, "forfeit", winner) or (0, 0, 0), winner)
    if b is None:
        result = RESULTS[match.kind]
        return Result(a, None, result, default_games(profile, result) or (0, 0, 0))
    if match.games is not None:
        return Result(a, b, "played", match.games, first="a", order=match.order)
    if match.score is not None:
        mine, theirs = map(Fraction, match.score)
        games = (1, 0, 0) if mine > theirs else (0, 1, 0) if mine < theirs else (0, 0, 1)
        return Result(a, b, "played", games, first="a", score=(mine, theirs))
    if match.result == "0-0":
        return Result(a, b, "double_loss", (0, 0, 0))
    return Result(a, b, "played", SCORES[match.result], first="a")


FOLDER = Path(__file__).parents[1] / "examples"
Basis = Literal["official", "published", "by hand"]
GAMES = {"W": (2, 0, 0), "L": (0, 2, 0), "D": (1, 1, 1)}
SEEN_FROM_B = {"W": "L", "L": "W", "D": "D"}


class Variant(Struct, frozen=True):
    """A number that follows from one changed profile field or metric parameter."""

    words: str
    change: dict[str, Any] = {}
    params: dict[str, Any] = {}


class ExampleCheck(Struct, frozen=True):
    """A metric and its numbers in the document, by player; `rounded`: whether they are printed rounded."""

    metric: str
    values: dict[str, str]
    params: dict[str, Any] = {}
    rounded: bool = False
    also: tuple[Variant, ...] = ()


class Example(Struct, frozen=True):
    """One worked example: its event in short notation, and its numbers."""

    id: str
    says: str
    event: ShortEvent
    checks: tuple[ExampleCheck, ...] = field(name="numbers")
    note: str = ""


class Document(Struct, frozen=True, eq=False):
    title: str = field(name="document")
    basis: Basis
    rulesets: tuple[str, ...]
    examples: tuple[Example, ...]
    note: str = ""
    for_all: bool = False


@cache
def documents() -> tuple[Document, ...]:
    """Return every document, official ones first. Raises ValueError for an unreadable file."""
    order = get_args(Basis)
    files = [_document(path) for path in sorted(FOLDER.glob("*.json"))]
    return tuple(sorted(files, key=lambda document: order.index(document.basis)))


def list_documents(key: str) -> list[Document]:
    return [document for document in documents() if key in document.rulesets]


def _document(path: Path) -> Document:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        events: dict[str, ShortEvent] = {}
        for example in data["examples"]:
            facts = example.get("event")
            if facts is None:
                event = build_example_event(example["players"], example.get("left", ()))
            else:
                event = events[facts["same as"]] if "same as" in facts else msgspec.convert(facts, ShortEvent)
            example["event"] = events[example["id"]] = event
        return msgspec.convert(data, Document)
    except (KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{path.name}: {error}") from error


def build_example_event(players: dict[str, list[str]], left: Iterable[str] = ()) -> ShortEvent:
    """Return an event with these players' rounds. Their opponents play others to get the records given."""
    records = (line.partition(" v ")[2] for lines in players.values() for line in lines)
    length = max(map(len, [*players.values(), *(_outcomes(record) for record in records if record)]))
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


def _outcomes(record: str) -> list[str]:
    won, lost, drawn = map(int, record.split("-"))
    return ["W"] * won + ["L"] * lost + ["D"] * drawn


def _rest(record: str, here: str, number: int) -> list[str]:
    """Return the opponent's other rounds in order, with an empty one for the round in which the two met."""
    if not record:
        return []
    others = _outcomes(record)
    others.remove(here)
    return [*others[:number], "", *others[number:]]
