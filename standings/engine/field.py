"""A field: the records of one session with their scoring, and every metric value computed once.

Metrics see one session at a time: a Swiss stage and the stages it carries from (archive format, `stages`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from standings.engine.metrics.registry import UnknownMetric, metric_of, prepared
from standings.engine.records import Record, RoundRecord
from standings.engine.scoring import Number, Scoring


class Column:
    """One metric with its params over a field; a value is computed when it is first asked for."""

    __slots__ = ("_field", "_values", "metric", "params")

    def __init__(self, field: Field, key: str, params: dict):
        self.metric = metric_of(key)
        if self.metric.group:
            raise UnknownMetric(f"{key!r} orders tied groups; it has no value of one entry.")
        self.params = prepared(self.metric, params)
        self._field = field
        self._values: dict[str, Number] = {}

    def __getitem__(self, entry: str) -> Number:
        if entry not in self._values:
            self._values[entry] = self.metric.function(self._field, entry, **self.params)
        return self._values[entry]


class Field:
    """Records by entry id, and the draw of lots ({entry id: place}, for the metric `random`)."""

    def __init__(
        self, records: Mapping[str, Record], scoring: Scoring, lots: Mapping[str, int] | None = None
    ):
        self.records = records
        self.scoring = scoring
        self.lots = lots or {}
        self._columns: dict[tuple, Column] = {}

    def column(self, key: str, params: dict | None = None) -> Column:
        """The column of a metric; the same object for the same params. Raises UnknownMetric."""
        params = params or {}
        name = (key, tuple(sorted((param, repr(value)) for param, value in params.items())))
        if name not in self._columns:
            self._columns[name] = Column(self, key, params)
        return self._columns[name]

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
