"""Input and output of the pairing engine: frozen values, and the validation of the input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import Any, Literal, get_args, get_origin, get_type_hints

ENGINE = "swiss 5"
ENGINE_WITH_SIDE_LIMITS = "swiss 6"  # pairs as "swiss 5" does, which ignored a ruleset's own side limits

CRITERIA = ("repeats", "bye", "score_difference", "pair_downs")
DEFAULT_SIDE_LIMITS = (2, 2)

Value = int | tuple[int, ...]  # what a round costs by one criterion
Params = Mapping[str, int | str | tuple[int, ...] | tuple[str, ...]]  # what a sentence about a code needs


class NoPairing(ValueError):
    """No complete pairing exists under the hard prohibitions.

    code       house_entrants   more house entrants than players
               no_opponent      the `entrants` have no possible opponent left
               left_over        everyone has a possible opponent, but not all can be paired; `entrants` are those
                                left when as many as possible are paired (empty in large fields)
               too_many_groups  under `protect_top`, more score groups than can be compared exactly
               rematch          the requested pair has met, and the policy allows no rematches
    entrants   ids of the entrants concerned
    rematches  whether the policy allows rematches; if not, rematches count among the prohibitions
    """

    def __init__(self, code: str, entrants: Sequence[Any] = (), rematches: bool = True):
        self.code, self.entrants, self.rematches = code, tuple(entrants), rematches
        super().__init__(f"no complete pairing: {code} {self.entrants or ''}".rstrip())


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entry to pair: its score and its history in this session."""

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
    """The ruleset's requirements for a round. `Policy()` is the random, balanced default.

    `criteria` is the order of importance; repeats, bye and score difference come first unless named. In rounds 1 to
    `labels_apart_until_round`, as few players as possible meet someone who shares a label. With `planned_rounds`, small
    fields keep later planned rounds possible (see `lookahead`). `side_limits` counts players who have one side more
    than `max_same_side` times in a row, or more than `max_side_difference` times more often than the other.

    `bye_rule` chooses among the lowest score group that can take the bye. `lowest_group`: with fold or adjacent its
    last member, otherwise any member; `random`: any member; `lowest_rank`: its last member.
    """

    objective: Literal["balance", "protect_top"] = "balance"
    within: Literal["random", "fold", "adjacent"] = "random"
    repeats: Literal["last_resort", "never"] = "last_resort"
    criteria: tuple[str, ...] = CRITERIA
    round: int = 1
    planned_rounds: int | None = None
    sides: bool = False
    labels_apart_until_round: int = 0
    bye_rule: Literal["lowest_group", "random", "lowest_rank"] = "lowest_group"
    # Not in the repr, because older digests cover the repr without it: `field_digest` adds them if they are given.
    max_same_side: int | None = field(default=None, repr=False)
    max_side_difference: int | None = field(default=None, repr=False)

    @property
    def side_limits(self) -> tuple[int | None, int | None]:
        """Return the two limits: most times in a row on one side, and largest difference between the sides."""
        given = self.max_same_side, self.max_side_difference
        return DEFAULT_SIDE_LIMITS if given == (None, None) else given

    @property
    def engine(self) -> str:
        limits = self.max_same_side, self.max_side_difference
        return ENGINE if limits == (None, None) else ENGINE_WITH_SIDE_LIMITS


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """One round to pair, compare or repair. An entrant's points are (points − `lowest`) × `unit`."""

    entrants: Sequence[Entrant]
    policy: Policy
    seed: int = 0
    locked: Sequence[tuple] = ()  # tables that stay; (player, None) is the bye
    prohibited_pairs: Sequence[tuple] = ()
    waived: Sequence[tuple] = ()  # locked tables that may be rematches or prohibited
    prohibited_now: Sequence[tuple] = ()  # pairs that do not meet in this round, but may later
    # Published tables, as many of which as possible should stay; None if none are published.
    published: Sequence[tuple] | None = None
    unit: int = 1
    lowest: Fraction = Fraction(0)

    def with_locks(self, locks: Sequence[tuple]) -> PairingRequest:
        """Return the request with these tables locked, even if the players are prohibited or have met."""
        return replace(self, locked=locks, waived=locks)

    @property
    def points(self) -> dict[Any, Fraction]:
        return {entrant.id: Fraction(entrant.points, self.unit) + self.lowest for entrant in self.entrants}


@dataclass(frozen=True, slots=True)
class Proof:
    """How a value is known to be the best possible: see `docs/pairing.md`. `size`: of the reduced graphs (`kernel`)."""

    code: str
    size: int = 0


UNPROVEN = Proof("none")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the certificate: the value reached, its lower bound, and how that is known. Smaller values are
    better.

    Under `protect_top` the score difference has a value per score group of the higher player, from the top.
    """

    criterion: str
    value: Value
    bound: Value
    optimal: bool
    proof: Proof


@dataclass(frozen=True, slots=True)
class Reason:
    """A code with numbers for why a player's pairing is unusual (see `proof`)."""

    code: str
    params: Params = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A complete round. Pairs stand in table order; `first` is empty where sides do not matter."""

    pairs: tuple[tuple[Any, Any], ...]
    bye: Any = None
    first: tuple[str, ...] = ()
    certificate: tuple[Criterion, ...] = ()
    reasons: dict[Any, tuple[Reason, ...]] = field(default_factory=dict)
    seed: int = 0
    digest: str = ""
    engine: str = ENGINE


@dataclass(frozen=True, slots=True)
class Problem:
    code: str
    entrants: tuple[Any, ...] = ()
    params: Params = field(default_factory=dict, hash=False)
    severity: Literal["error", "notice"] = "error"


KNOWN_CRITERIA = (
    "repeats", "bye", "score_difference", "pair_downs",
    "side_limits", "not_same_side_all_rounds", "labels_apart", "fold", "adjacent", "alternate_sides",
)  # fmt: skip
COLLECTIONS: set[type] = {frozenset, set, list, tuple}
# Per column besides the id: the allowed types, and their name in errors.
FACT_TYPES: dict[str, tuple[set[type], str]] = {
    "points": ({int}, "a whole number of units"),
    "opponents": (COLLECTIONS, "a set of ids"),
    "byes": ({int}, "a whole number"),
    "down": ({int}, "a whole number"),
    "up": ({int}, "a whole number"),
    "sides": ({str}, "text"),
    "seed_rank": ({int}, "a whole number"),
    "labels": (COLLECTIONS, "a set of labels"),
    "house": ({bool}, "yes or no"),
}
COUNTS = {"points": "points", "byes": "byes", "down": "pair-downs", "up": "pair-ups"}
# The values that a policy's field may have.
POLICY_TYPES = get_type_hints(Policy).items()
CHOICES = {name: get_args(hint) for name, hint in POLICY_TYPES if get_origin(hint) is Literal}


def read_columns(entrants: Iterable[Entrant]) -> dict[str, list]:
    """Return {field: one value per entrant}, in id order. Raises ValueError for fewer than two or invalid entrants."""
    listed = entrant_list(entrants)
    if not listed:
        raise ValueError("there is no one to pair")
    if len(listed) == 1:
        raise ValueError(f"{listed[0].id!r} is the only entrant: a round needs two")
    id_of = attrgetter("id")
    if set(map(type, map(id_of, listed))) not in ({int}, {str}):
        raise ValueError("ids must be all int or all str")
    listed.sort(key=id_of)
    ids = list(map(id_of, listed))
    if len(set(ids)) < len(ids):
        doubled = next(one for one, other in pairwise(ids) if one == other)
        raise ValueError(f"entrant {doubled!r} is listed twice")
    columns = {name: list(map(attrgetter(name), listed)) for name in FACT_TYPES}
    check_columns(ids, columns)
    for name in ("opponents", "labels"):
        if not set(map(type, columns[name])) <= {frozenset, set}:
            columns[name] = [as_set(name, *fact) for fact in zip(ids, columns[name], strict=True)]
    return {"id": ids, **columns}


def entrant_list(entrants: Any) -> list[Entrant]:
    listed = as_list("the entrants", entrants)
    for other in listed:
        if not isinstance(other, Entrant):
            raise ValueError(f"expected an Entrant, not {other!r}")
    return listed


def check_columns(ids: list, columns: dict[str, list]) -> None:
    for name, (types, expected) in FACT_TYPES.items():
        if not set(map(type, columns[name])) <= types:
            wrong = next(i for i, value in enumerate(columns[name]) if type(value) not in types)
            raise ValueError(f"{name} of {ids[wrong]!r} must be {expected}, not {columns[name][wrong]!r}")
    for name, plural in COUNTS.items():
        if (least := min(columns[name])) < 0:
            raise ValueError(f"{ids[columns[name].index(least)]!r} has negative {plural}: {least}")
    if not set().union(*set(columns["sides"])) <= set("ab-"):
        whose, wrong = next(both for both in zip(ids, columns["sides"], strict=True) if both[1].strip("ab-"))
        raise ValueError(f"sides of {whose!r} may only contain a, b and -, not {wrong!r}")


def as_set(name: str, whose: Any, values: Iterable) -> frozenset:
    try:
        return frozenset(values)
    except TypeError:
        raise ValueError(f"{name} of {whose!r} must be a set, not {values!r}") from None


def as_list(what: str, values: Any) -> list:
    if isinstance(values, str | bytes | Entrant) or not isinstance(values, Iterable):
        raise ValueError(f"{what} must be a list, not {values!r}")
    return list(values)


def as_pairs(kind: str, pairs: Iterable) -> list[tuple]:
    """Return the pairs as tuples. Raises ValueError unless each has two entries."""
    listed = as_list(f"the {kind} pairs", pairs)
    for both in listed:
        if not isinstance(both, tuple | list | Set) or len(both) != 2:
            raise ValueError(f"a {kind} pair must have 2 places: {both!r}")
        for name in both:
            if not isinstance(name, int | str | None):
                raise ValueError(f"a {kind} pair must hold ids, not {name!r}")
    return [tuple(both) for both in listed]


def check_policy(policy: Policy) -> None:
    if not isinstance(policy, Policy):
        raise ValueError(f"expected a Policy, not {policy!r}")
    expected = [
        ("round", is_count(policy.round), "a whole number of at least 1"),
        ("sides", isinstance(policy.sides, bool), "True or False"),
        ("labels_apart_until_round", type(policy.labels_apart_until_round) is int, "a whole number"),
        ("criteria", isinstance(policy.criteria, tuple | list), "a tuple of names"),
    ]
    for name in ("planned_rounds", "max_same_side", "max_side_difference"):
        value = getattr(policy, name)
        expected.append((name, value is None or is_count(value), "a whole number of at least 1, or None"))
    for name, known in CHOICES.items():
        expected.append((name, getattr(policy, name) in known, f"one of {', '.join(known)}"))
    for name, is_right, words in expected:
        if not is_right:
            raise ValueError(f"policy.{name} must be {words}, not {getattr(policy, name)!r}")
    for criterion in policy.criteria:
        if criterion not in KNOWN_CRITERIA:
            raise ValueError(f"unknown pairing criterion {criterion!r}")
    if len(set(policy.criteria)) < len(policy.criteria):
        raise ValueError("a pairing criterion is listed twice")


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 1
