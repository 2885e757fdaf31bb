"""Where a value comes from: the very terms that were added and divided, nothing computed another way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

from standings.engine.chain import Step
from standings.engine.field import Field
from standings.engine.metrics import UnknownMetric, buchholz, metric_of, percentages, sums
from standings.engine.metrics.registry import prepared
from standings.engine.ranking import Ranking
from standings.engine.records import Record, RoundRecord


@dataclass(slots=True)
class Line:
    """What one round gives. `value` None: left out, `note` says why.

    `record`: the opponent's wins, losses, draws. `changed_from`: the opponent's own share before floor, cap
    or rounding changed it.
    """

    round: int
    opponent: str | None
    value: Fraction | None
    note: str = ""
    record: tuple[int, int, int] | None = None
    changed_from: Fraction | None = None


@dataclass(slots=True)
class Explanation:
    """A value of one entry: the lines, their `total`, what it is `divided_by` (or None), the exact `result`.

    `changed_from`: the share before a floor or cap changed it; `notes` are plain sentences.
    """

    entry: str
    metric: str
    title: str
    formula: str
    unit: str
    lines: list[Line] = field(default_factory=list)
    total: Fraction | None = None
    divided_by: Fraction | None = None
    changed_from: Fraction | None = None
    result: Fraction = Fraction(0)
    notes: list[str] = field(default_factory=list)


def explain(ranking: Ranking, entry: str, metric: str | int) -> Explanation:
    """The explanation of one value of a ranking; `metric` is a column's key (its first one) or its position.

    Raises KeyError for an entry that is not ranked, UnknownMetric for a metric that is no column.
    """
    if isinstance(metric, str):
        if metric not in ranking.columns:
            raise UnknownMetric(f"{metric!r} is no column of this ranking.")
        metric = ranking.columns.index(metric)
    row, view, step = ranking.row(entry), ranking.views[entry], ranking.steps[metric]
    if metric_of(step.key).group:
        return _explain_place(row.values[metric], entry, step)
    told = explain_value(view.then if metric else view.now, entry, step)
    assert told.result == row.values[metric]
    if metric and view.then is not view.now:
        told.notes.append("frozen at the end of the last stage this entry played in")
    return told


def _explain_place(place: Fraction, entry: str, step: Step) -> Explanation:
    """The explanation of a step that orders tied groups: the value is a place inside such a group."""
    known = metric_of(step.key)
    told = Explanation(entry, step.key, step.title, known.formula, known.unit, result=place)
    told.notes.append("the place among those who were tied before this step")
    return told


def explain_value(source: Field, entry: str, step: Step) -> Explanation:
    """The explanation of one value of a field. Raises as `Field.value`."""
    known = metric_of(step.key)
    if known.group:
        raise UnknownMetric(f"{step.key!r} orders tied groups; it has no value of one entry.")
    result = Fraction(source.value(step.key, entry, step.params))
    told = Explanation(entry, step.key, step.title, known.formula, known.unit, result=result)
    tell = EXPLAINERS.get(step.key)
    if tell is not None:
        tell(told, source, entry, prepared(known, step.params))
    return told


def wins_losses_draws(record: Record) -> tuple[int, int, int]:
    """An entry's rounds won, lost and drawn, byes included."""
    outcomes = [line.outcome for line in record.rounds]
    return outcomes.count("W"), outcomes.count("L"), outcomes.count("D")


def _line(source: Field, line: RoundRecord, value, note: str = "") -> Line:
    record = None if line.opponent is None else wins_losses_draws(source.records[line.opponent])
    value = None if value is None else Fraction(value)
    return Line(line.number, line.opponent, value, note or ("" if line.opponent else line.kind), record)


def _sum(told: Explanation) -> None:
    told.total = sum((line.value for line in told.lines if line.value is not None), Fraction(0))


def _per_round(value_of: Callable) -> Callable:
    """An explainer for sums over the entry's own rounds."""

    def tell(told, source, entry, params):
        told.lines = [_line(source, line, value_of(source, line)) for line in source.records[entry].rounds]
        _sum(told)

    return tell


def _own_share(ratio: Callable, value_of: Callable) -> Callable:
    """An explainer for an entry's own percentage."""

    def tell(told, source, entry, params):
        kept = {k: params[k] for k in ("mode", "include_byes", "count_no_show_tables") if k in params}
        part, whole = ratio(source, entry, **kept)
        rounds = percentages.counted(
            source, entry, params.get("include_byes", True), params.get("count_no_show_tables", True)
        )
        for line in source.records[entry].rounds:
            if line in rounds:
                told.lines.append(_line(source, line, value_of(source, line, params.get("mode", "points"))))
            else:
                told.lines.append(_line(source, line, None, "not counted here"))
        told.total, told.divided_by = Fraction(part), Fraction(whole)
        if whole and Fraction(part, whole) != told.result:
            told.changed_from = Fraction(part, whole)
        elif not whole:
            told.notes.append("nothing played yet")

    return tell


def _opponents_share(ratio: Callable | None) -> Callable:
    """An explainer for a mean over opponents; `ratio` gives an opponent's share before floor and cap."""

    def tell(told, source, entry, params):
        base = percentages.base_column(source, told.metric, params)
        kept = {
            k: base.params[k] for k in ("mode", "include_byes", "count_no_show_tables") if k in base.params
        }
        for term in percentages.terms_of(source, entry, told.metric, params):
            line = _line(source, term.round, term.value, term.left_out)
            if ratio and line.opponent is not None and line.value is not None:
                part, whole = ratio(source, line.opponent, **kept)
                raw = Fraction(part, whole) if whole else None
                line.changed_from = raw if raw != line.value else None
            told.lines.append(line)
        _sum(told)
        told.divided_by = Fraction(sum(line.value is not None for line in told.lines)) or None
        if told.divided_by is None:
            told.notes.append("no opponent yet")

    return tell


def _cumulative(told, source, entry, params):
    rounds = source.records[entry].rounds
    worth = [sums.worth(source, line, params.get("bye_as") or {}) for line in rounds]
    skipped = params.get("cut", 0)
    for i, (line, running) in enumerate(zip(rounds, accumulate(worth), strict=True)):
        told.lines.append(_line(source, line, None if i < skipped else running, "cut" if i < skipped else ""))
    _sum(told)
    if told.total != told.result:
        told.notes.append(f"{told.total - told.result} taken off for wins nobody played for")


def _buchholz(told, source, entry, params):
    kept = {k: v for k, v in params.items() if k not in ("cut_low", "cut_high")}
    shares = buchholz.buchholz_shares(source, entry, **kept)
    kept_shares = buchholz.after_cuts(
        shares, **{k: params[k] for k in ("cut_low", "cut_high") if k in params}
    )
    for share in shares:
        cut = share.value is not None and share not in kept_shares
        told.lines.append(
            _line(source, share.round, None if cut else share.value, "cut" if cut else share.left_out)
        )
    _sum(told)


def _opponents_cumulative(told, source, entry, params):
    shares = sums.cumulative_shares(source, entry, params.get("bye_as"))
    told.lines = [_line(source, share.round, share.value, share.left_out) for share in shares]
    _sum(told)


def _match_points(source: Field, line: RoundRecord):
    return source.scoring.match_points(line)


def _game_points(source: Field, line: RoundRecord):
    return source.scoring.game_points(line)


def _match_part(source: Field, line: RoundRecord, mode: str):
    """What a round adds to the part of a match-win percentage."""
    if mode == "points":
        return _match_points(source, line)
    half = Fraction(1, 2) if mode == "wins_half_draws" else 0
    return {"W": 1, "D": half, "L": 0}[line.outcome]


def _game_part(source: Field, line: RoundRecord, mode: str):
    """What a round adds to the part of a game-win percentage."""
    return _game_points(source, line) if mode == "points" else line.games[0]


EXPLAINERS: dict[str, Callable] = {
    "match_points": _per_round(_match_points),
    "game_points": _per_round(_game_points),
    "match_wins": _per_round(lambda source, line: line.outcome == "W"),
    "game_wins": _per_round(lambda source, line: line.games[0]),
    "match_win_pct": _own_share(percentages.match_ratio, _match_part),
    "game_win_pct": _own_share(percentages.game_ratio, _game_part),
    "opp_match_win_pct": _opponents_share(percentages.match_ratio),
    "opp_game_win_pct": _opponents_share(percentages.game_ratio),
    "opp_opp_match_win_pct": _opponents_share(None),
    "cumulative": _cumulative,
    "buchholz": _buchholz,
    "cumulative_opposition": _opponents_cumulative,
}
