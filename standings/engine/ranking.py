"""Ranking: entries ordered by a chain of metrics, compared exactly, and what decided each place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from standings.engine.chain import Step, chain_of
from standings.engine.field import Field
from standings.engine.lots import draw
from standings.engine.metrics.registry import METRICS, metric_of, prepared
from standings.engine.records import Record
from standings.engine.scoring import Number, Scoring


class Row(NamedTuple):
    """A line of the standings; values are exact, in the order of the ranking's steps.

    The value of a step that orders tied groups (head-to-head) is the place inside the group that was tied.

    `decided_by`: key of the metric that put it below the row above ("stage" where a later Swiss stage did);
    None for the first row and for a row that shares its rank.
    """

    rank: int
    entry: str
    values: tuple[Fraction, ...]
    decided_by: str | None


class View(NamedTuple):
    """Where an entry's values are read: points in `now`, tiebreaks in `then` (the same unless frozen).

    `tier`: a lower tier stands above all of a higher one (a later Swiss that does not carry points).
    """

    now: Field
    then: Field
    tier: int = 0


class Ranking:
    """Rows best first, the steps they were compared by, and the fields the values came from."""

    def __init__(self, steps: Sequence[Step], rows: list[Row], views: Mapping[str, View]):
        self.steps = tuple(steps)
        self.rows = rows
        self.views = dict(views)
        self._by_entry = {row.entry: row for row in rows}

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, entry: str) -> bool:
        return entry in self._by_entry

    def row(self, entry: str) -> Row:
        """The row of an entry. Raises KeyError where it is not ranked."""
        return self._by_entry[entry]

    @property
    def columns(self) -> list[str]:
        """The metrics' keys, in order."""
        return [step.key for step in self.steps]

    @property
    def order(self) -> list[str]:
        """Entry ids, best first; those of equal rank by id."""
        return [row.entry for row in self.rows]


def rank(
    records: Mapping[str, Record] | Iterable[Record],
    profile: dict,
    *,
    chain: Sequence[Step] | None = None,
    seed: str | None = None,
    team: bool = False,
    ranked: Iterable[str] | None = None,
) -> Ranking:
    """Rank the records of one session by the profile's tiebreaks, or by `chain`.

    `seed`: hex, for the draw of lots. `ranked`: who gets a row; by default everybody but house opponents.
    All records feed their opponents' values. Raises UnknownMetric and UnknownScoring.
    """
    if not isinstance(records, Mapping):
        records = {record.entry: record for record in records}
    steps = chain_of(profile, team) if chain is None else chain
    lots = draw(seed, {entry: record.lot for entry, record in records.items()})
    field = Field(records, Scoring(profile), lots)
    if ranked is None:
        ranked = [entry for entry, record in records.items() if not record.house]
    return rank_views({entry: View(field, field) for entry in ranked}, steps)


def rank_views(views: Mapping[str, View], steps: Sequence[Step]) -> Ranking:
    """Rank entries whose values may come from different fields.

    Tied groups are split step by step, so each place knows what decided it; equal ranks are shared only where
    every step ties. The first step (points) is read in `now`, the others in `then`.
    """
    values = {entry: _values(entry, view, steps) for entry, view in views.items()}
    groups: list[tuple[str | None, list[str]]] = []
    for tier in sorted({view.tier for view in views.values()}):
        members = sorted(entry for entry, view in views.items() if view.tier == tier)
        groups.append(("stage" if groups else None, members))
    for i, step in enumerate(steps):
        split = _split_group if METRICS[step.key].group else _split
        groups = [part for group in groups for part in split(group, values, i, step, views)]
    rows, place = [], 1
    for decided_by, members in groups:
        for entry in members:
            decided = decided_by if entry == members[0] else None
            rows.append(Row(place, entry, tuple(map(Fraction, values[entry])), decided))
        place += len(members)
    return Ranking(steps, rows, views)


def _values(entry: str, view: View, steps: Sequence[Step]) -> list[Number]:
    """The values of an entry; 1 for now where a step orders groups."""
    return [
        1 if METRICS[step.key].group else (view.then if i else view.now).value(step.key, entry, step.params)
        for i, step in enumerate(steps)
    ]


def _split_group(group, values, i: int, step: Step, views):
    """A tied group ordered as a whole; each entry's value becomes its place in that order."""
    decided_by, members = group
    if len(members) == 1:
        return [group]
    known = metric_of(step.key)
    parts = known.function(_Meeting(views, members), members, **prepared(known, step.params))
    if step.ascending != known.ascending:
        parts.reverse()
    for place, part in enumerate(parts, start=1):
        for entry in part:
            values[entry][i] = place
    return [(step.key if n else decided_by, part) for n, part in enumerate(parts)]


class _Meeting:
    """A tied group's records as a metric of groups sees them, each from the field its entry is read in."""

    def __init__(self, views: Mapping[str, View], members: Sequence[str]):
        self.records = {entry: views[entry].then.records[entry] for entry in members}
        self.scoring = views[members[0]].then.scoring


def _split(group, values, i: int, step: Step, views):
    """A tied group split by one step; the first part keeps what decided the group, others get the step."""
    decided_by, members = group
    if len(members) == 1:
        return [group]
    parts: dict[Number, list[str]] = {}
    for entry in members:
        parts.setdefault(values[entry][i], []).append(entry)
    best_first = sorted(parts, reverse=not step.ascending)
    return [(step.key if n else decided_by, parts[value]) for n, value in enumerate(best_first)]
