"""The structure of a bracket as data: the origin of each match's entrants, and who has reached it.

Slots are named `W1.3` (round 1, third from the top), `F.1` (the final) and `P3.1` (third place), as in the archive
format.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

FINAL = "F.1"
THIRD_PLACE = "P3.1"


class Source(NamedTuple):
    """The origin of an entrant.

    `kind` line: a line of the tree (from 0); winner or loser: a slot; survivor: with reseeding, the rank by seed
    (from 1) among the winners of the round before.
    """

    kind: str
    of: int | str


class Slot(NamedTuple):
    name: str
    round: int
    a: Source
    b: Source


def bracket_order(size: int) -> list[int]:
    """Return the seeds from top to bottom, so that 1 and 2 can only meet in the final. For 8: 1 8 4 5 2 7 3 6.

    `size` is a power of 2, from 1. Raises ValueError. Source: MTR; ClineCON.
    """
    if size < 1 or size & (size - 1):
        raise ValueError(f"A bracket must have 1, 2, 4, 8, … lines, not {size}.")
    order = [1]
    while len(order) < size:
        order = [line for seed in order for line in (seed, 2 * len(order) + 1 - seed)]
    return order


def size_for(entrants: int) -> int:
    return 1 << max(entrants - 1, 0).bit_length()


def lines_of(seeds: Sequence[str]) -> list[str | None]:
    """Place entrants in seed order on the lines of the tree; if there are too few, the top seeds get byes."""
    order = bracket_order(size_for(len(seeds)))
    return [seeds[seed - 1] if seed <= len(seeds) else None for seed in order]


def slots_of(size: int, third_place: bool = False, reseed: bool = False) -> list[Slot]:
    """Return the tree with `size` lines as data, round by round.

    With `reseed` the best remaining seed plays the worst in every round, the second best the second worst.
    """
    last = size_for(size).bit_length() - 1
    tree = []
    for number in range(1, last + 1):
        order = bracket_order(size >> (number - 1)) if reseed and number > 1 else None
        for i in range(1, (size >> number) + 1):
            a, b = (_feeder(number, place, last, order) for place in (2 * i - 1, 2 * i))
            tree.append(Slot(slot_name_of(number, i, last), number, a, b))
    if third_place and last >= 2:
        a, b = (Source("loser", slot_name_of(last - 1, place, last)) for place in (1, 2))
        tree.append(Slot(THIRD_PLACE, last, a, b))
    return tree


def _feeder(number: int, place: int, last: int, order: list[int] | None) -> Source:
    if number == 1:
        return Source("line", place - 1)
    if order is not None:
        return Source("survivor", order[place - 1])
    return Source("winner", slot_name_of(number - 1, place, last))


def slot_name_of(number: int, place: int, last: int) -> str:
    return FINAL if number == last else f"W{number}.{place}"


class Meeting(NamedTuple):
    """An elimination match as recorded. `b` None: a bye. `winner` None: no one advances, or not known yet."""

    a: str
    b: str | None
    winner: str | None = None
    final: bool = True
    slot: str | None = None
    # Of a and b, repeat games and draws included, for placing.
    points: tuple[Fraction | int, Fraction | int] = (0, 0)
    ref: Any = None  # anything of the caller's


@dataclass(slots=True)
class BracketMatch:
    """A slot of the tree. If an entrant is known to be None, there is none and the other one has a bye."""

    slot: str
    round: int
    # The entrants by the results before, whatever is recorded, none while they are not known.
    due: frozenset[str | None] = frozenset()
    gone: tuple[str, ...] = ()  # those that dropped
    a: str | None = None
    b: str | None = None
    a_known: bool = False
    b_known: bool = False
    winner: str | None = None
    loser: str | None = None
    done: bool = False
    meeting: Meeting | None = None

    @property
    def both_known(self) -> bool:
        return self.a_known and self.b_known

    @property
    def is_bye(self) -> bool:
        return self.both_known and (self.a is None) != (self.b is None)


@dataclass(slots=True)
class Bracket:
    """The whole tree."""

    lines: list[str | None]  # entrants from top to bottom, None for an empty one
    seeds: dict[str, int]  # {entry: seed}
    matches: dict[str, BracketMatch] = field(default_factory=dict)
    # Recorded matches between beaten entrants, without the third-place match.
    placing: list[Meeting] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        return len(self.lines).bit_length() - 1

    @property
    def champion(self) -> str | None:
        return self.matches[FINAL].winner if FINAL in self.matches else self.lines[0]

    def round(self, number: int) -> list[BracketMatch]:
        """Return the matches of that round, from the top; the third-place match comes with the final."""
        return [match for match in self.matches.values() if match.round == number]
