"""Metrics of all entries at once: the rounds of a field in one list, exact numbers over one denominator.

A rule is called once for each *sort* of round (its kind, outcome and games: a few dozen in the largest event), or only
for the few rounds that do not simply count the opponent's value. The results are added up as integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, compress, count
from math import lcm
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from standings.engine.metrics.registry import NO_ROUND, Term, total_of
from standings.engine.records import BYE_KINDS, Record, RoundRecord
from standings.engine.scoring import Number, Scoring

T = TypeVar("T")
PLAYED = frozenset({"played", "double_loss"})
ALONE = BYE_KINDS | {"missed"}
SORT = itemgetter(*(RoundRecord._fields.index(name) for name in ("kind", "outcome", "games")))
OPPONENT = itemgetter(RoundRecord._fields.index("opponent"))


class Numbers(NamedTuple):
    """Exact numbers, one per entry or one per round: each of `parts` divided by `whole`."""

    parts: list[int]
    whole: int

    @classmethod
    def from_values(cls, values: Sequence[Number]) -> Numbers:
        whole = lcm(*{value.denominator for value in values})
        return cls([value.numerator * (whole // value.denominator) for value in values], whole)

    def replace_at(self, exceptions: dict[int, Number]) -> Numbers:
        """Return the numbers with others at these positions, over a denominator that fits them all."""
        whole = lcm(self.whole, *(value.denominator for value in exceptions.values()))
        factor = whole // self.whole
        parts = [part * factor for part in self.parts] if factor > 1 else list(self.parts)
        for i, value in exceptions.items():
            parts[i] = int(value * whole)
        return Numbers(parts, whole)

    def divide(self, divisors: Sequence[int], nothing: Number) -> Numbers:
        """Return each number divided by its own divisor; `nothing` if the divisor is 0."""
        common = lcm(*(set(divisors) - {0}), nothing.denominator)
        factors = {number: common // number for number in set(divisors) if number}
        empty = int(nothing * self.whole * common)
        parts = [part * factors[n] if n else empty for part, n in zip(self.parts, divisors, strict=True)]
        return Numbers(parts, self.whole * common)


class Flat:
    """All rounds of a field in one list, entry after entry.

    alone      makes a field of one entry, called "", from its rounds
    opponents  per round, the opponent's position in the field; one past the last if there is none
    sorts      per round, its sort as a position in `examples`
    """

    def __init__(
        self, records: Mapping[str, Record], scoring: Scoring, alone: Callable[[list[RoundRecord]], Any]
    ):
        self._scoring, self._alone = scoring, alone
        self.entries = list(records)
        self.records = list(records.values())
        position: dict[str | None, int] = {entry: i for i, entry in enumerate(self.entries)}
        position[None] = len(position)
        sorts: defaultdict[tuple, int] = defaultdict(count().__next__)  # numbered in order of appearance
        self.sorts: list[int] = []
        self.opponents: list[int] = []
        for record in self.records:
            self.sorts += map(sorts.__getitem__, map(SORT, record.rounds))
            self.opponents += map(position.__getitem__, map(OPPONENT, record.rounds))
        # A round of each sort, with only the fields that define the sort.
        self.examples = [
            RoundRecord(0, kind, None if kind in ALONE else "", outcome, games)
            for kind, outcome, games in sorts
        ]
        self._ends = list(accumulate([len(record.rounds) for record in self.records]))
        self._starts = [0, *self._ends[:-1]] if self._ends else []

    @cached_property
    def houses(self) -> frozenset[int]:
        """Positions of house opponents whose score does not count normally for their opponents."""
        if self._scoring.house_contribution == "own":
            return frozenset()
        return frozenset(i for i, record in enumerate(self.records) if record.house)

    @cached_property
    def irregular(self) -> list[int]:
        """Positions of rounds that were not played, or were played against one of `houses`."""
        unplayed = [line.kind not in PLAYED for line in self.examples]
        positions = list(compress(range(len(self.sorts)), map(unplayed.__getitem__, self.sorts)))
        if not self.houses:
            return positions
        met = {i for i, opponent in enumerate(self.opponents) if opponent in self.houses}
        return sorted(met.union(positions))

    def round_at(self, i: int) -> tuple[int, RoundRecord]:
        """Return the entry's position and the round at this position."""
        entry = bisect_right(self._ends, i)
        return entry, self.records[entry].rounds[i - self._starts[entry]]

    @cached_property
    def numbers(self) -> list[int]:
        return [line.number for record in self.records for line in record.rounds]

    def values_of_rounds(self, function: Callable[[Any, RoundRecord], Number]) -> Numbers:
        """Return the function's value of each round, from a field of one entry, "", that has this round alone."""
        values = Numbers.from_values([function(self._alone([line]), line) for line in self.examples])
        return Numbers(list(map(values.parts.__getitem__, self.sorts)), values.whole)

    def sums(self, function: Callable[[Any, RoundRecord], Number]) -> Numbers:
        """Return each entry's sum of `values_of_rounds`."""
        return self.totals(self.values_of_rounds(function))

    def values_met(
        self, values: Numbers, terms_of: Callable[[str, RoundRecord], list[Term]]
    ) -> tuple[Numbers, dict[int, list[Term]]]:
        """Return the opponent's value of each round, and {position: terms} of the `irregular` rounds.

        An irregular round has the sum of `terms_of(entry, round)` instead of the opponent's value.
        """
        unlike = {}
        for i in self.irregular:
            entry, line = self.round_at(i)
            unlike[i] = terms_of(self.entries[entry], line)
        met = Numbers(list(map([*values.parts, 0].__getitem__, self.opponents)), values.whole)
        return met.replace_at({i: total_of(terms) for i, terms in unlike.items()}), unlike

    def terms_met(self, met: Numbers, unlike: dict[int, list[Term]]) -> Iterator[list[Term]]:
        """Yield each entry's terms from `values_met`, one per round; their values are the integers in `met`."""
        for start, own in zip(self._starts, self.parts(met.parts), strict=True):
            terms = [Term(NO_ROUND, part) for part in own]
            for i in unlike.keys() & range(start, start + len(own)):
                [term] = unlike[i]
                terms[i - start] = term if term.value is None else term._replace(value=met.parts[i])
            yield terms

    def totals(self, lines: Numbers) -> Numbers:
        return Numbers(list(map(sum, self.parts(lines.parts))), lines.whole)

    def parts(self, lines: list[T]) -> Iterator[list[T]]:
        """Yield each entry's part of a list that has one item per round."""
        return (lines[start:end] for start, end in zip(self._starts, self._ends, strict=True))
