"""The short notation of worked examples: an event in a few lines, read as a field of records.

`players`: {id: {rating?, start?, dropped?, late?, seed?}}; `rounds`: a list of lists of matches
`{"p": [a, b], "g": [2, 1, 0]}`, `{"p": [a, b], "res": "1/2"}`, `{"p": [a, b], "s": [25, 20]}`,
`{"t": "bye", "p": [a]}` or `{"t": "forfeit", "p": [a, b], "winner": a}`; a moves first.
"""

from fractions import Fraction
from typing import Any

from msgspec import Struct, field

from standings.engine.field import Field
from standings.engine.records import Record, Result, tally
from standings.engine.scoring import Scoring, exact
from tournament.event.lots import lots_of
from tournament.rulesets import default_games

RESULTS = {
    "bye": "bye", "awarded": "awarded_bye", "half": "half_bye", "zero": "zero_bye", "full": "full_bye",
    "missed": "missed",
}  # fmt: skip
SCORES = {"1-0": (1, 0, 0), "0-1": (0, 1, 0), "1/2": (0, 0, 1)}


class Player(Struct):
    """A player of the notation; `dropped`: after which round."""

    rating: int | None = None
    start: int | str = 0
    dropped: int | None = None
    late: bool = False
    seed: int | None = None


class ShortMatch(Struct):
    """A match of the notation: by its games, its result in chess, its score, or without play (`kind`)."""

    players: list[str] = field(name="p")
    kind: str = field(name="t", default="")
    games: tuple[int, int, int] | None = field(name="g", default=None)
    result: str = field(name="res", default="")
    score: tuple[int | float | str, int | float | str] | None = field(name="s", default=None)
    winner: str | None = None
    order: str | None = None


class ShortEvent(Struct):
    """An event of the notation."""

    players: dict[str, Player]
    rounds: list[list[ShortMatch]]


def field_of(event: ShortEvent, profile: dict[str, Any]) -> Field:
    """The event's records, scored as the profile says. Raises UnknownScoring; KeyError for broken notation."""
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
    lots = lots_of(None, dict.fromkeys(records))
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
