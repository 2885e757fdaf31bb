"""A field: the records that count together, their scoring, and every metric value, computed once.

If a metric can be computed for all entries at once (`metrics.flat`), its column is; otherwise each entry's value is
computed when it is read. The records are those of a Swiss stage and of the stages it carries points from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from standings.engine.metrics.flat import Flat, Numbers
from standings.engine.metrics.registry import UnknownMetric, find_metric, read_params
from standings.engine.records import NOT_IN_ROUND, Record, RoundRecord
from standings.engine.scoring import Number, Scoring


class Column(dict[str, Number]):
    """One metric with its params over a field: {entry: value}, computed at first access."""

    def __init__(self, field: Field, key: str, params: dict):
        super().__init__()
        self.metric = find_metric(key)
        if self.metric.group:
            raise UnknownMetric(f"{key!r} ranks tied groups and has no value for a single entry.")
        self.params = read_params(self.metric, params)
        self._given = params
        self._field = field

    def __missing__(self, entry: str) -> Number:
        at_drop = self._field.field_at_drop(entry)
        if at_drop is not self._field:
            self[entry] = at_drop.value(self.metric.key, entry, self._given)
        elif self.metric.at_once is not None:
            values, whole = self.comparison
            self[entry] = values[entry] if whole == 1 else Fraction(values[entry], whole)
        else:
            self[entry] = self.metric.function(self._field, entry, **self.params)
        return self[entry]

    @cached_property
    def numbers(self) -> Numbers:
        if self.metric.at_once is not None:
            values = self.metric.at_once(self._field, **self.params)
            return values.replace_at({i: self[entry] for i, entry in self._field.frozen})
        return Numbers.from_values([self[entry] for entry in self._field.records])

    @cached_property
    def comparison(self) -> tuple[Mapping[str, Number], int]:
        """Return (values by entry, common divisor) for comparing entries."""
        if self.metric.at_once is None:
            return self, 1
        return dict(zip(self._field.records, self.numbers.parts, strict=True)), self.numbers.whole

    def exact(self, entry: str) -> Fraction:
        values, whole = self.comparison
        return Fraction(values[entry], whole)


class Field:
    """Records by entry id, their scoring, and the random order ({entry id: place}, for the metric `random`)."""

    def __init__(
        self, records: Mapping[str, Record], scoring: Scoring, lots: Mapping[str, int] | None = None
    ):
        self.records = records
        self.scoring = scoring
        self.lots = lots or {}
        self._columns: dict[tuple, Column] = {}
        self._greatest: dict[str, Number] = {}
        self._earlier: dict[int, Field] = {}

    def column(self, key: str, params: dict | None = None) -> Column:
        """Return the column of a metric, always the same object for the same params. Raises UnknownMetric."""
        params = params or {}
        identity = (key, tuple(sorted((param, repr(value)) for param, value in params.items())))
        if identity not in self._columns:
            self._columns[identity] = Column(self, key, params)
        return self._columns[identity]

    def greatest(self, name: str, read: Callable[[Record], Number | None]) -> Number:
        """Return the greatest value that `read` gives for a record, 0 if there is none; computed once per name."""
        if name not in self._greatest:
            values = (read(record) for record in self.records.values())
            self._greatest[name] = max((value for value in values if value is not None), default=0)
        return self._greatest[name]

    @cached_property
    def flat(self) -> Flat:
        return Flat(self.records, self.scoring, self._alone)

    def _alone(self, rounds: list[RoundRecord]) -> Field:
        return Field({"": Record("", rounds)}, self.scoring)

    @cached_property
    def rounds(self) -> int:
        return max(map(last_round_number, self.records.values()), default=0)

    def field_at_drop(self, entry: str) -> Field:
        """Return the field to read an entry's values from: this one, or that of its last round if it froze then.

        Applies to dropped entries under `frozen_at_drop`. Source: one Pokémon event; the model of one site, likely TOM.
        """
        record = self.records[entry]
        last = last_round_number(record)
        if not (self.scoring.frozen_at_drop and record.left) or last == self.rounds:
            return self
        if last not in self._earlier:
            records = {
                other: replace(
                    record,
                    rounds=[line for line in record.rounds if line.number <= last],
                    left=record.left and last_round_number(record) <= last,
                )
                for other, record in self.records.items()
            }
            self._earlier[last] = Field(records, self.scoring, self.lots)
            self._earlier[last]._earlier = self._earlier  # the same fields, seen from there
        return self._earlier[last]

    @cached_property
    def frozen(self) -> list[tuple[int, str]]:
        """The (position, entry) of entries whose values are frozen at their drop."""
        return [(i, entry) for i, entry in enumerate(self.records) if self.field_at_drop(entry) is not self]

    def every_round(self, entry: str) -> list[RoundRecord]:
        """Return one record per round of the event; rounds the entry has no record of count as unplayed."""
        lines = {line.number: line for line in self.records[entry].rounds}
        absent = RoundRecord(0, NOT_IN_ROUND, None, "", (0, 0, 0))
        numbers = range(1, self.rounds + 1)
        return [lines.get(number) or absent._replace(number=number) for number in numbers]

    @cached_property
    def fore(self) -> Field:
        """The same field, as if every pairing of the last round had been a draw (FIDE, Fore Buchholz)."""
        records = {
            entry: replace(record, rounds=[self._drawn(line) for line in record.rounds])
            for entry, record in self.records.items()
        }
        return Field(records, self.scoring, self.lots)

    def _drawn(self, line: RoundRecord) -> RoundRecord:
        if line.opponent is None or line.number != self.rounds:
            return line
        return line._replace(kind="played", outcome="D", games=(0, 0, 1))

    def value(self, key: str, entry: str, params: dict | None = None) -> Number:
        """Return one exact value. Raises UnknownMetric, and KeyError for an entry without a record."""
        return self.column(key, params)[entry]


def last_round_number(record: Record) -> int:
    return record.rounds[-1].number if record.rounds else 0
