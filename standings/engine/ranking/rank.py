"""Ranking: entries ordered by a chain of metrics, compared exactly, and what decided each place."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from standings.engine.field import Field
from standings.engine.metrics.registry import METRICS, metric_of, read_params
from standings.engine.ranking.board import Board, Values, View
from standings.engine.ranking.chain import RankingStep, chain_of
from standings.engine.records import Record, group_by_value
from standings.engine.scoring import Scoring
from tournament.event.lots import lots_of


class RankingRow(NamedTuple):
    """A row of the standings; values are exact, in the order of the ranking's steps.

    The value of a step that orders tied groups (head-to-head) is the place inside the group that was tied.
    """

    rank: int
    entry: str
    values: Sequence[Fraction]
    # The key of the metric that put it below the row above ("stage" if a later Swiss stage did); None for the
    # first row and for a row that shares its rank.
    decided_by: str | None


class Ranking:
    """Rows best first, the steps they were compared by, and the fields the values came from."""

    def __init__(self, steps: Sequence[RankingStep], rows: list[RankingRow], views: Mapping[str, View]):
        self.steps = tuple(steps)
        self.rows = rows
        self.views = dict(views)
        self._by_entry = {row.entry: row for row in rows}

    def __iter__(self) -> Iterator[RankingRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, entry: str) -> bool:
        return entry in self._by_entry

    def row(self, entry: str) -> RankingRow:
        return self._by_entry[entry]

    @property
    def columns(self) -> list[str]:
        return [step.key for step in self.steps]

    @property
    def order(self) -> list[str]:
        """Entry ids, best first; those of equal rank by id."""
        return [row.entry for row in self.rows]


def slugs_of(keys: Sequence[str]) -> list[str]:
    """Return a name for each step of a ranking: its metric's key, with "-2" for the second step of a metric."""
    times = [keys[: place + 1].count(key) for place, key in enumerate(keys)]
    return [f"{key}-{time}" if time > 1 else key for key, time in zip(keys, times, strict=True)]


def rank(
    records: Mapping[str, Record] | Iterable[Record],
    profile: dict,
    *,
    chain: Sequence[RankingStep] | None = None,
    seed: str | None = None,
    team: bool = False,
    ranked: Iterable[str] | None = None,
) -> Ranking:
    """Rank records that count together by the profile's tiebreakers, or by `chain`.

    `seed`: of the random order, in hex. `ranked`: ids that get a row, by default all but house opponents; all
    records count for their opponents. Raises UnknownMetric and UnknownScoring.
    """
    if not isinstance(records, Mapping):
        records = {record.entry: record for record in records}
    steps = chain_of(profile, team) if chain is None else chain
    lots = lots_of(seed, {entry: record.lot for entry, record in records.items()})
    field = Field(records, Scoring(profile), lots)
    if ranked is None:
        ranked = [entry for entry, record in records.items() if not record.house]
    return rank_views({entry: View(field, field.at_drop_of(entry)) for entry in ranked}, steps)


def rank_views(views: Mapping[str, View], steps: Sequence[RankingStep]) -> Ranking:
    """Rank entries whose values may come from different fields.

    Tied groups are split step by step, so each row knows what decided it; a rank is shared only by entries tied
    at every step. The first step (points) is read in `now`, the others in `then`. A step at which no one is tied
    is only computed when its values are read, so the records must not change afterwards.
    """
    board = Board(views, steps)
    groups: list[TieGroup] = []
    for tier in sorted({view.tier for view in views.values()}):
        members = sorted(entry for entry, view in views.items() if view.tier == tier)
        groups.append(TieGroup("stage" if groups else None, members))
    for i in range(len(steps)):
        if any(len(group.members) > 1 for group in groups):
            groups = _split(groups, board, i)
    rows, place = [], 1
    for decided_by, members in groups:
        for entry in members:
            decided = decided_by if entry == members[0] else None
            rows.append(RankingRow(place, entry, Values(board, entry), decided))
        place += len(members)
    return Ranking(steps, rows, views)


class TieGroup(NamedTuple):
    decided_by: str | None
    members: list[str]


def _split(groups: list[TieGroup], board: Board, i: int) -> list[TieGroup]:
    step = board.steps[i]
    parts_of = _as_a_whole(board, i) if METRICS[step.key].group else _by_value(board, i)
    split = []
    for group in groups:
        if len(group.members) == 1:
            split.append(group)
            continue
        parts = parts_of(group.members)
        split.append(TieGroup(group.decided_by, parts[0]))
        split += [TieGroup(step.key, part) for part in parts[1:]]
    return split


def _by_value(board: Board, i: int) -> Callable[[list[str]], list[list[str]]]:
    return partial(group_by_value, value_of=board.comparison(i), descending=not board.steps[i].ascending)


def _as_a_whole(board: Board, i: int) -> Callable[[list[str]], list[list[str]]]:
    """Return a function that splits a tied group, best first; an entry's value is its place in the group."""
    step, known = board.steps[i], metric_of(board.steps[i].key)
    params = read_params(known, step.params)

    def parts_of(members: list[str]) -> list[list[str]]:
        parts = known.function(Tied(board.views, members), members, **params)
        if step.ascending != known.ascending:
            parts.reverse()
        board.places[i].update({entry: place for place, part in enumerate(parts, start=1) for entry in part})
        return parts

    return parts_of


class Tied:
    """Records of tied entries, in the form group metrics take."""

    def __init__(self, views: Mapping[str, View], members: Sequence[str]):
        self.records = {entry: views[entry].then.records[entry] for entry in members}
        self.scoring = views[members[0]].then.scoring


STEP, STAGE, SHARED = "step", "stage", "shared"


class DecidingStep(NamedTuple):
    """Why `above` stands above `below`."""

    above: str
    below: str
    why: str  # STEP, STAGE (a later stage of the event) or SHARED (the rank is)
    step: int = 0  # the index of the step in the ranking
    values: tuple[Fraction, ...] = ()  # those of `above` and `below` there, if a step decided


def deciding_step_of(ranking: Ranking, above: str, below: str) -> DecidingStep:
    """Return the tiebreaker that separates `above` from `below`. Raises KeyError if either has no row."""
    if ranking.views[above].tier != ranking.views[below].tier:
        return DecidingStep(above, below, STAGE)
    mine, theirs = ranking.row(above).values, ranking.row(below).values
    for step in range(len(ranking.steps)):
        if mine[step] != theirs[step]:
            return DecidingStep(above, below, STEP, step, (mine[step], theirs[step]))
    return DecidingStep(above, below, SHARED)


def deciding_steps_of(ranking: Ranking, entry: str) -> tuple[DecidingStep | None, DecidingStep | None]:
    """Return the tiebreakers that separate an entry from the rows above and below it; None at either end.

    Raises KeyError for an entry without a row.
    """
    ranking.row(entry)
    order = ranking.order
    at = order.index(entry)
    upper = deciding_step_of(ranking, order[at - 1], entry) if at else None
    lower = deciding_step_of(ranking, entry, order[at + 1]) if at + 1 < len(order) else None
    return upper, lower
