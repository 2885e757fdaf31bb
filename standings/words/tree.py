"""The bracket as it is read: values that `standings.bracket.tree` fills, and `standings.words.bracket` describes."""

from dataclasses import dataclass, field, replace
from typing import Self

Games = tuple[int, int, int]  # won by the upper side, won by the lower side, drawn


@dataclass(slots=True)
class TreeSide:
    """One of the two sides of a match. `code` None: `awaits` says who will come, or that no one does.

    `games`: what stands beside the name. `out`: lost this match. `first`: moves first.
    """

    code: str | None
    name: str
    seed: int | None
    games: str
    won: bool
    out: bool
    first: bool
    awaits: str


@dataclass(slots=True)
class TreeMatch:
    """A match of the tree. `state`: bye, open (being played), done, or waits.

    `round` and `table` are the event's. `games`, `points` (scored in the match, where the ruleset records
    them) and `repeats` (games of repeat games) stand as the upper side sees them. `note`: what the games do
    not say; `first_move`: who moves first; `sentence`: the whole match for a screen reader.
    """

    slot: str
    title: str
    sides: tuple[TreeSide, TreeSide]
    state: str
    round: int | None = None
    table: int | None = None
    table_name: str = ""
    result: str | None = None
    games: Games | None = None
    points: tuple[str, str] | None = None
    repeats: list[Games] = field(default_factory=list)
    decided: str = ""
    note: str = ""
    first_move: str = ""
    sentence: str = ""

    @property
    def winner(self) -> TreeSide | None:
        """The side that advances, once it is known."""
        return next((side for side in self.sides if side.won), None)

    @property
    def first(self) -> TreeSide | None:
        """The side that moves first, where that matters."""
        return next((side for side in self.sides if side.first), None)

    @property
    def over(self) -> bool:
        """Whether nothing is left to play."""
        return self.state in ("done", "bye")


@dataclass(slots=True)
class TreeRound:
    """A column of the tree; `number` from 1."""

    number: int
    title: str
    matches: list[TreeMatch] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether every match of the round is over."""
        return all(match.over for match in self.matches)


@dataclass(slots=True)
class Tree:
    """The bracket once it is set. `third`: the third-place match; `placing`: other placing matches, in words.

    `joined`: whether a line leads from each match to the next: not where each round is seeded again.
    """

    rounds: list[TreeRound]
    third: TreeMatch | None
    placing: list[str]
    champion: str | None
    champion_code: str | None
    entrants: int
    joined: bool = True

    @property
    def matches(self) -> list[TreeMatch]:
        """Every match, first round first, the third-place match before the final."""
        matches = [match for round_ in self.rounds for match in round_.matches]
        return [*matches[:-1], self.third, *matches[-1:]] if self.third else matches

    def from_round(self, number: int) -> Self:
        """The same without the rounds before that one."""
        return replace(self, rounds=self.rounds[number - 1 :])

    @property
    def lines(self) -> int:
        """How many names stand below each other in the first round."""
        return 2 * len(self.rounds[0].matches)

    @property
    def open(self) -> int:
        """How many matches are being played."""
        return sum(match.state == "open" for match in self.matches)

    @property
    def has_first_moves(self) -> bool:
        """Whether anyone moves first by rule."""
        return any(match.first for match in self.matches)

    @property
    def over(self) -> bool:
        """Whether nothing is left to play."""
        return all(match.over for match in self.matches)

    @property
    def current(self) -> TreeRound:
        """The first round that is not over, at the end the last one."""
        return next((round_ for round_ in self.rounds if not round_.over), self.rounds[-1])
