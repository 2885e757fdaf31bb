"""All entries at once: the rounds of a field end to end, and exact numbers as integers over one denominator.

A metric's function of one entry defines it. Computing it for thousands of entries in fractions is slow; here the
same rules are called once for each *sort* of round (its kind, outcome and games: a few dozen in the largest
event), and the results are added up as integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, compress
from math import lcm
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from standings.engine.records import BYE_KINDS, Record, RoundRecord
from standings.engine.scoring import Number, Scoring

T = TypeVar("T")
PLAYED = frozenset({"played", "double_loss"})
ALONE = BYE_KINDS | {"missed"}
SORT = itemgetter(*(RoundRecord._fields.index(name) for name in ("kind", "outcome", "games")))
OPPONENT = itemgetter(RoundRecord._fields.index("opponent"))


class Numbers(NamedTuple):
    """Exact numbers, one an entry or one a round: each of `parts` divided by `whole`."""

    parts: list[int]
    whole: int

    @classmethod
    def from_values(cls, values: Sequence[Number]) -> Numbers:
        """Numbers from exact values."""
        whole = lcm(*{value.denominator for value in values})
        return cls([value.numerator * (whole // value.denominator) for value in values], whole)

    def rescale(self, *also: Number) -> Numbers:
        """The same numbers over a denominator that is also one of the numbers `also`."""
        whole = lcm(self.whole, *(value.denominator for value in also))
        factor = whole // self.whole
        return self if factor == 1 else Numbers([part * factor for part in self.parts], whole)

    def replace_at(self, exceptions: dict[int, Number]) -> Numbers:
        """The same numbers with others at these positions."""
        numbers = self.rescale(*exceptions.values())
        parts = list(numbers.parts)
        for i, value in exceptions.items():
            parts[i] = int(value * numbers.whole)
        return Numbers(parts, numbers.whole)

    def extend(self, more: Sequence[Number]) -> Numbers:
        """These numbers followed by `more`."""
        numbers = self.rescale(*more)
        return Numbers([*numbers.parts, *(int(value * numbers.whole) for value in more)], numbers.whole)


class Sorts(dict):
    """{sort of round: its number, in the order met}."""

    def __missing__(self, sort: tuple) -> int:
        self[sort] = len(self)
        return self[sort]

    def examples(self) -> list[RoundRecord]:
        """A round of each sort, with nothing but what makes the sort."""
        return [
            RoundRecord(0, kind, None if kind in ALONE else "", outcome, games)
            for kind, outcome, games in self
        ]


class Flat:
    """The rounds of a field end to end, entry after entry.

    `alone`: makes a field of one entry, called "", from its rounds.
    `opponents`: for each round the position of the opponent in the field, one past the last if there is none.
    `sorts`: the sort of each round, as a position in `examples`.
    """

    def __init__(
        self, records: Mapping[str, Record], scoring: Scoring, alone: Callable[[list[RoundRecord]], Any]
    ):
        self._scoring, self._alone = scoring, alone
        self.entries = list(records)
        self.records = list(records.values())
        position: dict[str | None, int] = {entry: i for i, entry in enumerate(self.entries)}
        position[None] = len(position)
        sorts = Sorts()
        self.sorts: list[int] = []
        self.opponents: list[int] = []
        for record in self.records:
            self.sorts += map(sorts.__getitem__, map(SORT, record.rounds))
            self.opponents += map(position.__getitem__, map(OPPONENT, record.rounds))
        self.examples = sorts.examples()
        self._ends = list(accumulate([len(record.rounds) for record in self.records]))
        self._starts = [0, *self._ends[:-1]] if self._ends else []

    @cached_property
    def houses(self) -> frozenset[int]:
        """Positions of house opponents whose score does not count as their own for others."""
        if self._scoring.house_contribution == "own":
            return frozenset()
        return frozenset(i for i, record in enumerate(self.records) if record.house)

    @cached_property
    def irregular(self) -> list[int]:
        """The positions of rounds that were not played, or were played against one of `houses`."""
        unplayed = [line.kind not in PLAYED for line in self.examples]
        positions = list(compress(range(len(self.sorts)), map(unplayed.__getitem__, self.sorts)))
        if not self.houses:
            return positions
        met = {i for i, opponent in enumerate(self.opponents) if opponent in self.houses}
        return sorted(met.union(positions))

    def round_at(self, i: int) -> tuple[int, RoundRecord]:
        """The entry's position and the round, by the position of the round."""
        entry = bisect_right(self._ends, i)
        return entry, self.records[entry].rounds[i - self._starts[entry]]

    @cached_property
    def numbers(self) -> list[int]:
        """The number of each round."""
        return [line.number for record in self.records for line in record.rounds]

    def values_of_rounds(self, function: Callable[[Any, RoundRecord], Number]) -> Numbers:
        """The function's value of each round, which must depend on nothing but the round's sort.

        It is called with a field of one entry, called "", with this round alone.
        """
        values = Numbers.from_values([function(self._alone([line]), line) for line in self.examples])
        return Numbers(list(map(values.parts.__getitem__, self.sorts)), values.whole)

    def sums(self, function: Callable[..., Number], **params) -> Numbers:
        """For each entry the sum over its rounds of a metric's function of each round alone."""
        assert not function(self._alone([]), "", **params)  # otherwise not a sum over rounds
        lines = self.values_of_rounds(lambda alone, line: function(alone, "", **params))
        return Numbers(self.totals(lines.parts), lines.whole)

    def totals(self, lines: list[int]) -> list[int]:
        """For each entry the sum of its rounds' numbers."""
        return [sum(lines[start:end]) for start, end in zip(self._starts, self._ends, strict=True)]

    def parts(self, lines: list[T]) -> Iterator[list[T]]:
        """For each entry the list of what its rounds have."""
        return (lines[start:end] for start, end in zip(self._starts, self._ends, strict=True))
