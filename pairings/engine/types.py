"""What goes into the pairing engine and what comes out: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ENGINE = "swiss 4"

MOST_NAMED = 8  # entrants in one sentence

CRITERIA = ("repeats", "bye", "score_difference", "pair_downs")


class NoPairing(ValueError):
    """No complete pairing exists under the hard prohibitions.

    reason    why, in one sentence without names
    entrants  ids of those it concerns: who has nobody left to meet or, where each has somebody, some who are
              left over when as many as can be are paired
    """

    def __init__(self, reason: str, entrants: Sequence[Any] = ()):
        self.reason, self.entrants = reason, tuple(entrants)
        super().__init__(self.told({}))

    def told(self, names: Mapping[Any, str]) -> str:
        """The reason and whom it concerns, by name where `names` has one."""
        who = ", ".join(str(names.get(entrant, entrant)) for entrant in self.entrants[:MOST_NAMED])
        more = " …" if len(self.entrants) > MOST_NAMED else ""
        return f"{self.reason}: {who}{more}" if who else self.reason


@dataclass(frozen=True, slots=True)
class Entrant:
    """One entry that is to be paired: its score and its history in this session."""

    id: int | str  # one type in a call
    points: int  # integer units: points × the least common denominator
    opponents: frozenset = frozenset()  # ids met
    byes: int = 0  # pairing byes had; awarded and requested ones are not counted
    down: int = 0  # times paired down
    up: int = 0  # times paired up
    sides: str = ""  # one character per round: a (first), b, - (no side)
    seed_rank: int = 0  # order before the session, 1 best
    labels: frozenset[str] = frozenset()
    house: bool = False  # plays only to make the number even


@dataclass(frozen=True, slots=True)
class Policy:
    """What the ruleset asks of a round. `Policy()` is the random, balanced default.

    `criteria` is the order of importance. Repeats, bye and score difference stand first, in this order,
    where the ruleset does not name them. Further names: `pair_downs`, `side_limits` (no side three times
    running, difference at most 2), `not_same_side_all_rounds`, `labels_apart`, `fold`, `adjacent`,
    `alternate_sides`. In rounds 1 to `labels_apart_until_round` as few as possible meet who have a label
    in common. With `planned_rounds`, small fields are paired so that later planned rounds stay possible
    (see `ahead`).
    """

    objective: Literal["balance", "protect_top"] = "balance"
    within: Literal["random", "fold", "adjacent"] = "random"
    repeats: Literal["last_resort", "never"] = "last_resort"
    criteria: tuple[str, ...] = CRITERIA
    round: int = 1
    planned_rounds: int | None = None
    sides: bool = False
    labels_apart_until_round: int = 0
    bye_rule: Literal["lowest_group", "lowest_rank"] = "lowest_group"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the certificate: the value reached, what nobody can go below, and how that is known.

    `value` and `bound` count what is to be small. Under `protect_top` those of the score difference are
    tuples: the squared differences by score group of the higher player, from the top, first is heaviest.
    """

    criterion: str
    value: int | tuple[int, ...]
    bound: int | tuple[int, ...]
    optimal: bool
    proof: str  # "bound reached", "exact matching …" or "not proved"


@dataclass(frozen=True, slots=True)
class Pairing:
    """A complete round. Pairs stand in table order; `first` is empty where sides do not matter."""

    pairs: tuple[tuple[Any, Any], ...]
    bye: Any = None
    first: tuple[str, ...] = ()
    certificate: tuple[Criterion, ...] = ()
    reasons: dict[Any, str] = field(default_factory=dict)
    seed: int = 0
    digest: str = ""
    engine: str = ENGINE


@dataclass(frozen=True, slots=True)
class Problem:
    """Something `verify` found. An error breaks a rule; a notice is legal and worth knowing."""

    kind: str
    entrants: tuple[Any, ...]
    message: str
    severity: Literal["error", "notice"] = "error"
