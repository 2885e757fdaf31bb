"""A field: the records of one session with their scoring, and every metric value computed once.

A column is read in two ways that give the same numbers: one entry, by the metric's function, or all entries at
once (`numbers`), by its form in `metrics.bulk` where it has one.
Metrics see one session at a time: a Swiss stage and the stages it carries from (archive format, `stages`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from standings.engine.metrics.bulk.flat import Flat, Numbers
from standings.engine.metrics.registry import UnknownMetric, metric_of, read_params
from standings.engine.records import Record, RoundRecord
from standings.engine.scoring import Number, Scoring


class Column:
    """One metric with its params over a field; a value is computed when it is first asked for."""

    def __init__(self, field: Field, key: str, params: dict):
        self.metric = metric_of(key)
        if self.metric.group:
            raise UnknownMetric(f"{key!r} ranks tied groups and has no value for a single entry.")
        self.params = read_params(self.metric, params)
        self._field = field
        self._values: dict[str, Number] = {}

    def __getitem__(self, entry: str) -> Number:
        if entry not in self._values:
            self._values[entry] = self._read(entry)
        return self._values[entry]

    def _read(self, entry: str) -> Number:
        """From all values, if these are known; else alone."""
        if self.metric.at_once is None or "numbers" not in self.__dict__:
            return self.metric.function(self._field, entry, **self.params)
        values, whole = self.comparison
        return values[entry] if whole == 1 else Fraction(values[entry], whole)

    @cached_property
    def numbers(self) -> Numbers:
        """The values of all entries, in the order of the field's records."""
        if self.metric.at_once is not None:
            return self.metric.at_once(self._field, **self.params)
        return Numbers.from_values([self[entry] for entry in self._field.records])

    @cached_property
    def comparison(self) -> tuple[Mapping[str, Number], int]:
        """Values by entry for comparisons, and the one number all of them are still to be divided by.

        Integers, where the metric can be computed for all at once; else each entry's when it is asked for.
        """
        if self.metric.at_once is None:
            return self, 1  # type: ignore[return-value]
        return dict(zip(self._field.records, self.numbers.parts, strict=True)), self.numbers.whole

    def exact(self, entry: str) -> Fraction:
        """The value of an entry as the standings show it."""
        values, whole = self.comparison
        return Fraction(values[entry], whole)


class Field:
    """Records by entry id, and the draw of lots ({entry id: place}, for the metric `random`)."""

    def __init__(
        self, records: Mapping[str, Record], scoring: Scoring, lots: Mapping[str, int] | None = None
    ):
        self.records = records
        self.scoring = scoring
        self.lots = lots or {}
        self._columns: dict[tuple, Column] = {}
        self._greatest: dict[str, Number] = {}

    def column(self, key: str, params: dict | None = None) -> Column:
        """The column of a metric; the same object for the same params. Raises UnknownMetric."""
        params = params or {}
        name = (key, tuple(sorted((param, repr(value)) for param, value in params.items())))
        if name not in self._columns:
            self._columns[name] = Column(self, key, params)
        return self._columns[name]

    def greatest(self, name: str, read: Callable[[Record], Number | None]) -> Number:
        """The greatest of what `read` finds in the records, else 0; looked for once under its name."""
        if name not in self._greatest:
            found = (read(record) for record in self.records.values())
            self._greatest[name] = max((value for value in found if value is not None), default=0)
        return self._greatest[name]

    @cached_property
    def flat(self) -> Flat:
        """The rounds of all entries end to end."""
        return Flat(self.records, self.scoring, self._alone)

    def _alone(self, rounds: list[RoundRecord]) -> Field:
        """A field of one entry, called "", with these rounds."""
        return Field({"": Record("", rounds)}, self.scoring)

    @cached_property
    def rounds(self) -> int:
        """How many rounds the session has had: the greatest number anybody has a record of."""
        return max((r.rounds[-1].number for r in self.records.values() if r.rounds), default=0)

    @cached_property
    def fore(self) -> Field:
        """The same session as if its last round, where two were paired, had been drawn (FIDE, Fore Buchholz)."""
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
        """One value, exact. Raises UnknownMetric, and KeyError for an entry without a record."""
        return self.column(key, params)[entry]
