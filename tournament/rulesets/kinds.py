"""What the fields of a ruleset may hold: each kind with the type that checks it and describes it to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from tournament.schemas.kinds import Exact, SomeGames

LONGEST_REASON = 500
MOST_STEPS = 30
MOST_ROWS = 60
MOST = 99  # of a count that is no number of players
FORMULA = "ceil(log2(n))"  # the rounds that leave one player undefeated

Count = Annotated[int, Meta(ge=0, le=10**6)]


class Opponents(Struct):
    """A bye counted as a number of opponents with a value."""

    value: Exact
    count: SomeGames = 1


class Step(Struct):
    """A step of the standings order. Its parameters are for the metric to check: see `also_check`."""

    metric: str
    params: dict[str, Any] | None = None
    label: Annotated[str, Meta(max_length=60)] = ""
    order: Literal["asc", "desc"] = "desc"


class Row(Struct):
    """Rounds and cut for `min` to `max` players; the last row may be open-ended."""

    min: Count
    rounds: Count
    max: Count | None = None
    cut: Count | None = None
    stage: Any = "swiss"


class Formula(Struct):
    """Rounds by the number of players, without a cut."""

    formula: Literal["ceil(log2(n))"]


class RuleChange(Struct):
    """What was changed in a running event: after which round, which fields, and why."""

    after: Count
    fields: list[Annotated[str, Meta(max_length=LONGEST_REASON)]]
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of value: how the editor treats it, and the type that checks and publishes it."""

    name: str
    type: Any


def text(longest: int) -> Kind:
    """Text of up to that many characters."""
    return Kind("text", Annotated[str, Meta(max_length=longest)])


def whole(most: int = MOST) -> Kind:
    """A whole number from 0."""
    return Kind("whole", Annotated[int, Meta(ge=0, le=most)])


def choice(*words: str) -> Kind:
    """One of these words."""
    return Kind("choice", Literal.__getitem__(words))


NUMBER = Kind("number", Exact)
SHARE = Kind("share", Annotated[Exact, Meta(description="an exact share from 0 to 1")])
SWITCH = Kind("switch", bool)
LENGTH = Kind("length", Literal[1, 3, 5, "exactly_2"])
GAMES = Kind(
    "games",
    Annotated[
        tuple[SomeGames, SomeGames, SomeGames],
        Meta(description="a list of 3 whole numbers: games won, lost and drawn"),
    ],
)
BYE = Kind(
    "bye",
    Annotated[
        Literal["exclude", "zero"] | Opponents,
        Meta(description="exclude, zero, or a number of opponents and their value, such as 3 x 1/5"),
    ],
)
TIEBREAKS = Kind("tiebreaks", Annotated[list[Step], Meta(min_length=1, max_length=MOST_STEPS)])
ROUNDS = Kind("rounds", Annotated[list[Row], Meta(min_length=1, max_length=MOST_ROWS)] | Formula)
WORD = Kind("word", str)
WORDS = Kind("words", list[str])
SIDES = Kind("sides", list[Literal["a", "b"]])
CHANGES = Kind("changes", list[RuleChange])
VERSION = Kind("whole", Count)
FREE = Kind("free", Any)  # no code reads it, or only compares it with words it knows
