"""Explanations of values, from the same terms that the values were computed from; nothing is recomputed."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from standings.engine.explanation.explainers import (
    EXPLAINERS,
    SUM,
    Explanation,
    explain_head_to_head,
    find_inner_field,
    inner_steps,
    to_fraction,
)
from standings.engine.field import Field
from standings.engine.metrics import UnknownMetric, find_metric
from standings.engine.metrics.registry import read_params
from standings.engine.metrics.terms import Note, term_divisor, total_of
from standings.engine.ranking.rank import Ranking, RankingStep


def explain(ranking: Ranking, entry: str, metric: str | int) -> Explanation:
    """Explain one value. `metric`: a column's key (its first column) or position. Raises KeyError, UnknownMetric."""
    index = _index(ranking, metric)
    row, view, step = ranking.row(entry), ranking.views[entry], ranking.steps[index]
    if find_metric(step.key).group:
        return explain_head_to_head(ranking, entry, index)
    explanation = explain_value((view.then if index else view.now).field_at_drop(entry), entry, step)
    assert explanation.result == row.values[index]
    if index and view.then is not view.now:
        at_drop = view.now.field_at_drop(entry) is not view.now
        explanation.note("frozen_at_drop" if at_drop else "frozen", round=view.then.rounds)
    return explanation


def find_inner_step(ranking: Ranking, entry: str, metric: str | int, key: str) -> tuple[RankingStep, Field]:
    """Return the step and field that compute `key` inside a value of an entry. Raises like `explain`."""
    index = _index(ranking, metric)
    view = ranking.views[entry]
    open_steps = [(ranking.steps[index], view.then if index else view.now)]
    for step, field in open_steps:
        for inner in inner_steps(step):
            inside = find_inner_field(step, field)
            if inner.key == key:
                return inner, inside
            open_steps.append((inner, inside))
    raise UnknownMetric(f"{ranking.columns[index]!r} is not computed from {key!r}.")


def explain_value(source: Field, entry: str, step: RankingStep) -> Explanation:
    """Return the explanation of one value of a field. Raises like `Field.value`.

    A value frozen at the player's drop is explained as of then. Its lines have no links, because this field may have
    other values by now.
    """
    if (at_drop := source.field_at_drop(entry)) is not source:
        explanation = explain_value(at_drop, entry, step)
        for line in explanation.lines:
            line.inner = None
        explanation.note("frozen_at_drop", round=at_drop.rounds)
        return explanation
    metric = find_metric(step.key)
    explanation = Explanation(entry, step, result=Fraction(source.value(step.key, entry, step.params)))
    params = read_params(metric, step.params)
    if metric.terms is not None:
        terms = metric.terms(source, entry, **params)
        inside = find_inner_field(step, source)
        for term in terms:
            explanation.add(inside, term)
        explanation.how, explanation.total = SUM, Fraction(total_of(terms))
        explanation.divided_by = to_fraction(term_divisor(terms, metric.divisor)) or None
    if step.key in EXPLAINERS:
        EXPLAINERS[step.key](explanation, source, entry, params)
    return explanation


def _index(ranking: Ranking, metric: str | int) -> int:
    if isinstance(metric, int):
        return metric
    if metric not in ranking.columns:
        raise UnknownMetric(f"{metric!r} is not a column of these standings.")
    return ranking.columns.index(metric)


FOR_OPPONENTS, OWN = "opponents", "own"

# Notes by value, if they need no number.
CODES = {
    ("include_byes", False): "byes_left_out",
    ("include_byes", True): "byes_counted",
    ("count_no_show_tables", False): "no_shows_left_out",
    ("count_no_show_tables", True): "no_shows_counted",
    ("count_missed_rounds", False): "missed_left_out",
    ("count_missed_rounds", True): "missed_counted",
    ("floor", None): "no_minimum",
    ("cap", None): "no_maximum",
}


class OtherValue(NamedTuple):
    """Another value of the same metric: where it is used, the exact value, and why it differs."""

    where: str
    value: Fraction
    reasons: list[Note]


def other_values(
    field: Field, entry: str, step: RankingStep, own: RankingStep, chain: Sequence[RankingStep]
) -> list[OtherValue]:
    """List other values of the step's metric in the same standings.

    `own`: the metric with the ruleset's settings for the entry itself; `chain`: the order of the standings, in which
    other columns may compute it differently.
    """
    mine = field.value(step.key, entry, step.params)
    others = [(OWN, own)] + [
        (FOR_OPPONENTS, s) for outer in chain for s in _inside(outer) if s.key == step.key
    ]
    values: list[OtherValue] = []
    for where, other in others:
        value = field.value(other.key, entry, other.params)
        if value != mine and all(value != known.value for known in values):
            values.append(OtherValue(where, Fraction(value), differences(step, other)))
    return values


def _inside(step: RankingStep) -> list[RankingStep]:
    steps = inner_steps(step)
    return steps + [deeper for inner in steps for deeper in _inside(inner)]


def differences(step: RankingStep, other: RankingStep) -> list[Note]:
    mine, theirs = _params(step), _params(other)
    return [
        Note(CODES[name, value])
        if (name, value) in CODES
        else Note("counted_with", {"metric": step.key, "name": name, "value": value})
        for name, value in theirs.items()
        if mine[name] != value
    ]


def _params(step: RankingStep) -> dict[str, Any]:
    metric = find_metric(step.key)
    return {name: param.default for name, param in metric.params.items()} | read_params(metric, step.params)
