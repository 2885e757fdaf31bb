"""A line of the list before publishing, and what the lines are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pairings.question.request import PairingRequest
from pairings.words.lists import tables_words
from standings.event.rounds import carried_stages_of
from tournament.event.types import Event, Round
from tournament.models import Tournament

MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Check:
    """A line of the list. `level` "wait" asks to look at it, "bad" stops the round; `player`: whose page helps."""

    level: Literal["good", "wait", "bad"]
    text: str
    player: str = ""


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """The draft that is checked. `request`: the one it answers; `names`: {entry code: name}."""

    tournament: Tournament
    event: Event
    round: Round
    request: PairingRequest
    names: Mapping[str, str]

    @property
    def last_round(self) -> int:
        """The number of the round before, among those that count together with this one; 0 where it is the first."""
        stages = carried_stages_of(self.event, self.round.stage)
        numbers = (r.number for r in self.event.rounds if r.stage in stages and r.number < self.round.number)
        return max(numbers, default=0)

    def names_words(self, codes: Sequence[str]) -> str:
        """The first names of a list."""
        return ", ".join(self.names[code] for code in codes[:MOST_NAMED]) + _ellipsis(codes)


def first_tables_words(tables: Sequence[int | None]) -> str:
    """The first tables of a list: "tables 1, 2 and 3"."""
    return tables_words(tables[:MOST_NAMED]) + _ellipsis(tables)


def _ellipsis(items: Sequence) -> str:
    return " …" if len(items) > MOST_NAMED else ""
