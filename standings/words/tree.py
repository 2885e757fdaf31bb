"""The bracket as it is read: the values that `standings.bracket.tree` fills and the sentences describe."""

from __future__ import annotations

from dataclasses import dataclass, field

Games = tuple[int, int, int]


@dataclass(slots=True)
class End:
    """One of the two places of a match. `code` None: `waits` says who will come, or that nobody does."""

    code: str | None
    name: str
    seed: int | None
    games: str
    won: bool
    out: bool
    first: bool
    waits: str


@dataclass(slots=True)
class Tie:
    """A match of the tree. `state`: bye, open (being played), done, or waits.

    `round`, `table`: the event's round and its table; `games`, `points` (made in the match, where the ruleset
    records them), `repeats`: as the upper end sees them; `about`: what the games do not say; `moves`: who moves
    first; `sentence`: the whole match for ears.
    """

    slot: str
    title: str
    ends: tuple[End, End]
    state: str
    round: int | None = None
    table: int | None = None
    result: str | None = None
    games: Games | None = None
    points: tuple[str, str] | None = None
    repeats: list[Games] = field(default_factory=list)
    decided: str = ""
    about: str = ""
    moves: str = ""
    sentence: str = ""

    @property
    def winner(self) -> End | None:
        return next((end for end in self.ends if end.won), None)

    @property
    def first(self) -> End | None:
        """Who moves first, where sides count."""
        return next((end for end in self.ends if end.first), None)


@dataclass(slots=True)
class TreeRound:
    """A column of the tree; `number` from 1. `here`: the one a phone shows; `before`: left of what is asked for."""

    number: int
    title: str
    ties: list[Tie] = field(default_factory=list)
    here: bool = False
    before: bool = False

    @property
    def over(self) -> bool:
        return all(tie.state in ("done", "bye") for tie in self.ties)


@dataclass(slots=True)
class Tree:
    """The drawn bracket; `third` is the match for place 3, `placing` other recorded placing matches.

    `joined`: whether lines lead from each match to the next; not where every round is seeded anew.
    """

    rounds: list[TreeRound]
    third: Tie | None
    placing: list[str]
    champion: str | None
    champion_code: str | None
    entrants: int
    joined: bool = True

    @property
    def ties(self) -> list[Tie]:
        """Every match, first round first, the one for place 3 before the final."""
        ties = [tie for round_ in self.rounds for tie in round_.ties]
        return [*ties[:-1], self.third, *ties[-1:]] if self.third else ties

    @property
    def open(self) -> int:
        return sum(tie.state == "open" for tie in self.ties)

    @property
    def sides(self) -> bool:
        """Whether anybody moves first by rule."""
        return any(tie.first for tie in self.ties)

    @property
    def over(self) -> bool:
        """Whether nothing is left to play."""
        return all(tie.state in ("done", "bye") for tie in self.ties)

    @property
    def current(self) -> TreeRound:
        """The first round that is not over; the last one in the end."""
        return next((round_ for round_ in self.rounds if not round_.over), self.rounds[-1])

    def at(self, slot: str) -> Tie | None:
        """The match of that slot."""
        return next((tie for tie in self.ties if tie.slot == slot), None)
