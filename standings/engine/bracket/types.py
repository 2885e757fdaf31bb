"""The values of a bracket: a match as recorded, a slot of the tree as it stands, and the whole tree."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from standings.engine.bracket.slots import FINAL


class Meeting(NamedTuple):
    """An elimination match as recorded. `b` None: a bye. `winner` None: no one advances, or not known yet.

    `points`: of a and b, repeat games and draws included, for placing. `ref`: anything of the caller's.
    """

    a: str
    b: str | None
    winner: str | None = None
    final: bool = True
    slot: str | None = None
    points: tuple[Fraction | int, Fraction | int] = (0, 0)
    ref: Any = None


@dataclass(slots=True)
class BracketMatch:
    """A slot of the tree. An entrant that is known and None is missing: the other one has a bye.

    `due`: the entrants by the results before, whatever is recorded; `gone`: those that dropped.
    """

    slot: str
    round: int
    due: frozenset[str | None] = frozenset()
    gone: tuple[str, ...] = ()
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
        """Whether both entrants are known, missing ones included."""
        return self.a_known and self.b_known

    @property
    def is_bye(self) -> bool:
        """Whether one of the two entrants is missing."""
        return self.both_known and (self.a is None) != (self.b is None)


@dataclass(slots=True)
class Bracket:
    """The whole tree. `lines`: entrants from top to bottom, None for an empty one; `seeds`: {entry: seed}.

    `placing`: recorded matches between beaten entrants, without the third-place match.
    """

    lines: list[str | None]
    seeds: dict[str, int]
    matches: dict[str, BracketMatch] = field(default_factory=dict)
    placing: list[Meeting] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        """How many rounds the tree has."""
        return len(self.lines).bit_length() - 1

    @property
    def champion(self) -> str | None:
        """The winner of the final, if it is decided."""
        return self.matches[FINAL].winner if FINAL in self.matches else self.lines[0]

    def round(self, number: int) -> list[BracketMatch]:
        """The matches of that round, top of the tree first; the third-place match stands with the final."""
        return [match for match in self.matches.values() if match.round == number]
