"""Rank entries by a chain of metrics, compared exactly, and record what decided each place; check such a chain."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, NamedTuple

from standings.engine.field import Column, Field
from standings.engine.metrics import METRICS, Metric, UnknownMetric, find_metric
from standings.engine.metrics.registry import read_params
from standings.engine.records import Record, group_by_value
from standings.engine.scoring import Number, Scoring
from tournament.event.lots import compute_lots
from tournament.rulesets import needs_scores
from tournament.rulesets.fide import FIDE_METRICS

LATE = "late_flag"


@dataclass(frozen=True)
class RankingStep:
    key: str
    params: dict = field(default_factory=dict)
    ascending: bool = False  # lower is better
    label: str = ""  # the publisher's own name for it


def build_chain(profile: dict, team: bool = False) -> list[RankingStep]:
    """Return the profile's tiebreakers as steps, without those that do not apply to the event. Raises UnknownMetric.

    If late players rank below those on time (`late_entry.rank_below_on_time`), that step comes right after the points.
    """
    skips = skips_games(profile, team)
    steps = parse_steps(profile["tiebreaks"], profile)
    late = (profile.get("late_entry") or {}).get("rank_below_on_time")
    if late and LATE not in [step.key for step in steps]:
        steps.insert(1, _step({"metric": LATE}, profile))
    return [step for step in steps if not (skips and find_metric(step.key).games)]


def list_skipped_steps(profile: dict, team: bool = False) -> list[RankingStep]:
    skips = skips_games(profile, team)
    return [s for s in parse_steps(profile["tiebreaks"], profile) if skips and find_metric(s.key).games]


def skips_games(profile: dict, team: bool = False) -> bool:
    """Whether game metrics are skipped: in single-game events, and in team events if the ruleset says so.

    Source: Carde.io (teams use match results only); MTR 3.1 (not all tiebreakers in single-game matches).
    """
    return profile.get("best_of_swiss") == 1 or (team and profile.get("team_ignores_games", True))


def parse_steps(tiebreaks: Iterable[dict], profile: dict | None = None) -> list[RankingStep]:
    """Return steps from [{metric, params?, order?, label?}]; missing params come from the profile, if any."""
    return [_step(entry, profile) for entry in tiebreaks]


def build_step(key: str, profile: dict) -> RankingStep:
    """Return the step of a metric with the profile's settings, even if its order does not contain it."""
    for step in parse_steps(profile["tiebreaks"], profile):
        if step.key == key:
            return step
    return _step({"metric": key}, profile)


def _step(entry: dict, profile: dict | None) -> RankingStep:
    metric = find_metric(entry["metric"])
    given = entry.get("params") or {}
    params = {**_defaults(metric.key, profile), **given} if profile else dict(given)
    ascending = entry["order"] == "asc" if entry.get("order") else metric.ascending
    return RankingStep(metric.key, params, ascending, entry.get("label") or "")


# {end of a metric's key: {param: field of the profile's `percentages` that sets it}}.
SHARES = {
    "match_win_pct": {
        "mode": "match_mode", "floor": "match_floor", "cap": "match_cap", "cap_dropped": "match_cap_dropped",
        "count_missed_rounds": "count_missed_rounds",
    },
    "game_win_pct": {"mode": "game_mode", "floor": "game_floor"},
}  # fmt: skip
OWN = {"include_byes": "own_include_byes", "count_no_show_tables": "count_no_show_tables"}
OF_OPPONENTS = OWN | {"include_byes": "opp_include_byes", "bye": "bye_as_opponent"}


def _defaults(key: str, profile: dict) -> dict:
    if key in FIDE_METRICS and profile.get("fide_version"):
        return {"version": profile["fide_version"]}
    shares = profile.get("percentages") or {}
    own = next((fields for end, fields in SHARES.items() if key.endswith(end)), None)
    if own is None:
        return {}
    fields = own | (OF_OPPONENTS if key.startswith("opp_") else OWN)
    if key == "game_win_pct" and not shares.get("floor_own_gw"):
        del fields["floor"]
    given = {param: shares.get(field) for param, field in fields.items() if param in METRICS[key].params}
    return {param: value for param, value in given.items() if value is not None}


class View(NamedTuple):
    """An entry's value sources: points in `now`, tiebreaks in `then` (a different field only if frozen at the drop)."""

    now: Field
    then: Field
    # Entries of a lower tier rank above all of a higher one (a later Swiss stage without carried points).
    tier: int = 0


class Board:
    """Entries compared step by step. `places`: per step that orders tied groups, {entry: place in its group}."""

    def __init__(self, views: Mapping[str, View], steps: Sequence[RankingStep]):
        self.views = views
        self.steps = tuple(steps)
        self.places: list[dict[str, int]] = [{} for _ in steps]
        self.readers = [self._reader(i) for i in range(len(steps))]
        self._fields = [{getattr(view, place): None for view in views.values()} for place in ("now", "then")]

    def comparison(self, i: int) -> Callable[[str], Number]:
        """Return a function from entry to the number compared in step `i`; all numbers have one denominator."""
        columns = self._columns(i)
        if len(columns) == 1:
            return columns.popitem()[1].comparison[0].__getitem__
        common = lcm(*(column.comparison[1] for column in columns.values()))
        factors = {field: common // column.comparison[1] for field, column in columns.items()}

        def scaled(entry: str) -> Number:
            field = self._field(i, entry)
            return columns[field].comparison[0][entry] * factors[field]

        return scaled

    def _reader(self, i: int) -> Callable[[str], Fraction]:
        if METRICS[self.steps[i].key].group:
            return lambda entry: Fraction(self.places[i].get(entry, 1))
        columns: dict[Field, Column] = {}

        def read(entry: str) -> Fraction:
            if not columns:
                columns.update(self._columns(i))
            return columns[self._field(i, entry)].exact(entry)

        return read

    def _field(self, i: int, entry: str) -> Field:
        return self.views[entry].then if i else self.views[entry].now

    def _columns(self, i: int) -> dict[Field, Column]:
        step = self.steps[i]
        return {field: field.column(step.key, step.params) for field in self._fields[i > 0]}


class Values(Sequence):
    """An entry's exact values in step order, computed when read. Compares, hashes and prints like a tuple."""

    __slots__ = ("_board", "_entry")

    def __init__(self, board: Board, entry: str):
        self._board, self._entry = board, entry

    def __len__(self) -> int:
        return len(self._board.steps)

    def __getitem__(self, i):
        return tuple(self)[i] if isinstance(i, slice) else self._board.readers[i](self._entry)

    def __iter__(self) -> Iterator[Fraction]:
        return (read(self._entry) for read in self._board.readers)

    def __eq__(self, other) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, tuple | Values) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class RankingRow(NamedTuple):
    """A row of the standings. Values are exact and in step order; for head-to-head, the place inside the tied group."""

    rank: int
    entry: str
    values: Sequence[Fraction]
    # The key of the metric that put it below the row above ("stage" if a later Swiss stage did). None for the
    # first row and for a row that shares its rank.
    decided_by: str | None


class Ranking:
    """Rows best first, the steps they were compared by, and the views their values come from."""

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


def list_slugs(keys: Sequence[str]) -> list[str]:
    """Return a unique name per step: its metric's key, with "-2" for the second step of the same metric."""
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
    """Rank records that count together, by the profile's tiebreakers or `chain`. Raises UnknownMetric, UnknownScoring.

    `seed`: of the random order, in hex. `ranked`: ids that get a row, by default all but house opponents.
    """
    if not isinstance(records, Mapping):
        records = {record.entry: record for record in records}
    steps = build_chain(profile, team) if chain is None else chain
    lots = compute_lots(seed, {entry: record.lot for entry, record in records.items()})
    field = Field(records, Scoring(profile), lots)
    if ranked is None:
        ranked = [entry for entry, record in records.items() if not record.house]
    return rank_views({entry: View(field, field.field_at_drop(entry)) for entry in ranked}, steps)


def rank_views(views: Mapping[str, View], steps: Sequence[RankingStep]) -> Ranking:
    """Rank entries whose values may come from different fields.

    Tied groups are split step by step, so each row knows what decided it. A step that is not needed to break ties is
    computed when its values are read, so the records must not change afterwards.
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
    if METRICS[step.key].group:
        split_group = _as_a_whole(board, i)
    else:
        split_group = partial(group_by_value, key=board.comparison(i), descending=not step.ascending)
    split = []
    for group in groups:
        if len(group.members) == 1:
            split.append(group)
            continue
        parts = split_group(group.members)
        split.append(TieGroup(group.decided_by, parts[0]))
        split += [TieGroup(step.key, part) for part in parts[1:]]
    return split


def _as_a_whole(board: Board, i: int) -> Callable[[list[str]], list[list[str]]]:
    """Return a function that splits a tied group, best part first, and sets each entry's value to its part's place."""
    step, known = board.steps[i], find_metric(board.steps[i].key)
    params = read_params(known, step.params)

    def split_by_step(members: list[str]) -> list[list[str]]:
        parts = known.function(Tied(board.views, members), members, **params)
        if step.ascending != known.ascending:
            parts.reverse()
        board.places[i].update({entry: place for place, part in enumerate(parts, start=1) for entry in part})
        return parts

    return split_by_step


class Tied:
    """Records of tied entries, in the form group metrics take."""

    def __init__(self, views: Mapping[str, View], members: Sequence[str]):
        self.records = {entry: views[entry].then.records[entry] for entry in members}
        self.scoring = views[members[0]].then.scoring


STEP, STAGE, SHARED = "step", "stage", "shared"


class DecidingStep(NamedTuple):
    """The reason why `above` is listed above `below`: a step, a stage, or a shared rank."""

    above: str
    below: str
    why: str  # STEP, STAGE (a later stage of the event) or SHARED (the rank is)
    step: int = 0  # the index of the step in the ranking
    values: tuple[Fraction, ...] = ()  # those of `above` and `below` there, if a step decided


def find_deciding_step(ranking: Ranking, above: str, below: str) -> DecidingStep:
    """Return the tiebreaker that separates `above` from `below`. Raises KeyError if either has no row."""
    if ranking.views[above].tier != ranking.views[below].tier:
        return DecidingStep(above, below, STAGE)
    mine, theirs = ranking.row(above).values, ranking.row(below).values
    for step in range(len(ranking.steps)):
        if mine[step] != theirs[step]:
            return DecidingStep(above, below, STEP, step, (mine[step], theirs[step]))
    return DecidingStep(above, below, SHARED)


def find_deciding_steps(ranking: Ranking, entry: str) -> tuple[DecidingStep | None, DecidingStep | None]:
    """Return the tiebreakers between an entry and its neighbors; None at either end. Raises KeyError if unranked."""
    ranking.row(entry)
    order = ranking.order
    at = order.index(entry)
    upper = find_deciding_step(ranking, order[at - 1], entry) if at else None
    lower = find_deciding_step(ranking, entry, order[at + 1]) if at + 1 < len(order) else None
    return upper, lower


Fault = tuple[str, str]
LAST_RESORTS = ("random", "manual")


def validate_chain(profile: dict) -> list[Fault]:
    """Return every fault of `tiebreaks` as (path, message), in English for authors of files, without a period."""
    chain = profile.get("tiebreaks")
    if not isinstance(chain, list) or not chain:
        return [("tiebreaks", "the order is empty")]
    faults: list[Fault] = []
    for i, step in enumerate(chain):
        faults += _of_step(f"tiebreaks[{i}]", i, step, len(chain), profile)
    return faults


def _of_step(path: str, i: int, step: Any, length: int, profile: dict) -> Iterator[Fault]:
    if not isinstance(step, dict) or not isinstance(step.get("metric"), str):
        yield f"{path}.metric" if isinstance(step, dict) else path, "must name a metric"
        return
    metric = METRICS.get(step["metric"])
    if metric is None:
        yield f"{path}.metric", f"there is no metric {step['metric']!r}"
        return
    if i == 0 and metric.unit != "points" and metric.key != "match_wins":
        yield f"{path}.metric", "the order must start with points"
    if i == length - 1 and metric.key not in LAST_RESORTS:
        last = "the order must end with a random tiebreaker (random) or a manual order (manual)"
        yield f"{path}.metric", last
    if i < length - 1 and metric.key == "random":
        yield f"{path}.metric", "nothing can follow a random tiebreaker: it leaves no ties"
    if metric.group and i == 0:
        yield f"{path}.metric", "head-to-head must come after points"
    params = step.get("params") or {}
    if not isinstance(params, dict):
        yield f"{path}.params", "must be an object"
        return
    if profile.get("records_scores") is False and needs_scores(step):
        yield f"{path}.metric", "needs scores, but this ruleset does not record them"
    yield from _of_params(f"{path}.params", metric, params)


def _of_params(path: str, metric: Metric, params: dict) -> Iterator[Fault]:
    values: dict[str, Any] = {}
    for name, value in params.items():
        param = metric.params.get(name)
        if param is None:
            yield f"{path}.{name}", f"{metric.key} has no such parameter"
            continue
        try:
            values |= read_params(metric, {name: value})
        except UnknownMetric:
            valid = f"one of {', '.join(param.choices)}" if param.kind == "choice" else "a valid value"
            yield f"{path}.{name}", f"{value!r} is not {valid}"
    for cap in ("cap", "cap_dropped"):
        if "floor" in values and cap in values and values["floor"] > values[cap]:
            yield f"{path}.{cap}", "the maximum (cap) is below the minimum (floor)"
