"""Input and output of the pairing engine: frozen values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ENGINE = "swiss 5"
ENGINE_WITH_SIDE_LIMITS = "swiss 6"  # pairs as "swiss 5" does, which ignored a ruleset's own side limits

CRITERIA = ("repeats", "bye", "score_difference", "pair_downs")
DEFAULT_SIDE_LIMITS = (2, 2)

Value = int | tuple[int, ...]  # what a round costs by one criterion
Params = Mapping[str, int | str | tuple[int, ...] | tuple[str, ...]]  # what a sentence about a code needs


class NoPairing(ValueError):
    """No complete pairing exists under the hard prohibitions.

    code       house_entrants  more house entrants than players
               no_opponent     the entrants have no one left to meet
               left_over       everyone has someone, but not all at once; the entrants are some who are left
                               over when as many as possible are paired (none are named in large fields)
               rematch         the pair in question has met, and the policy allows no rematches
    entrants   ids of those it concerns
    rematches  whether the policy allows rematches; if not, they are among the prohibitions
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
    """The ruleset's demands on a round. `Policy()` is the random, balanced default.

    `criteria` is the order of importance. Repeats, bye and score difference stand first, in this order,
    where the ruleset does not name them. Further names: `pair_downs`, `side_limits`,
    `not_same_side_all_rounds`, `labels_apart`, `fold`, `adjacent`, `alternate_sides`. In rounds 1 to
    `labels_apart_until_round` as few as possible meet who have a label in common. With `planned_rounds`, small
    fields are paired so that later planned rounds stay possible (see `ahead`).

    `side_limits` counts players who have one side more than `max_same_side` times running, or that side more
    than `max_side_difference` times more than the other. None is no such limit; if both are None, both are 2.

    `bye_rule`: whoever gets the bye is in the lowest score group that can give it. `lowest_group`: fold and
    adjacent leave its last member over, otherwise anyone; `random`: anyone; `lowest_rank`: its last member.
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
    # Not in the repr, which older digests cover: `digest_of` adds them where they are given.
    max_same_side: int | None = field(default=None, repr=False)
    max_side_difference: int | None = field(default=None, repr=False)

    @property
    def side_limits(self) -> tuple[int | None, int | None]:
        """Return the most times in a row on one side, and the largest difference between the sides."""
        given = self.max_same_side, self.max_side_difference
        return DEFAULT_SIDE_LIMITS if given == (None, None) else given

    @property
    def engine(self) -> str:
        limits = self.max_same_side, self.max_side_difference
        return ENGINE if limits == (None, None) else ENGINE_WITH_SIDE_LIMITS


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """One round for the engine to pair: the arguments of `pair`."""

    entrants: Iterable[Entrant]
    policy: Policy
    seed: int = 0
    locked: Sequence[tuple] = ()
    prohibited_pairs: Sequence[tuple] = ()
    waived: Sequence[tuple] = ()
    prohibited_now: Sequence[tuple] = ()  # pairs that do not meet in this round, but may later
    # Tables of which as many as possible are to stay; None where none are published.
    published: Sequence[tuple] | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """How the value of a criterion is known to be the best there is.

    code  bound        it is that of the lower bound, or 0
          kernel       exact matching on a kernel of `size` players
          whole_graph  exact matching of everyone at once
          blocks       exact matching of each block of score groups
          exhaustive   all ways to play the later rounds were searched
          branches     the best of the rounds that keep later rounds possible, by branch and bound
          none         not proven: the best that was found
    """

    code: str
    size: int = 0


UNPROVEN = Proof("none")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the certificate: the value reached, its lower bound, and how that is known.

    Smaller values are better. Under `protect_top` the score difference is a tuple: the squared differences by score
    group of the higher player, from the top, the first the heaviest.
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
