"""Where a value comes from: the very terms that were added and divided, nothing computed another way."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation import explainers, opponents, shares
from standings.engine.explanation.inner_values import inner_field_of, inner_steps
from standings.engine.explanation.meetings import explain_meeting
from standings.engine.explanation.types import Explanation
from standings.engine.field import Field
from standings.engine.metrics import UnknownMetric, metric_of
from standings.engine.metrics.registry import read_params
from standings.engine.ranking.chain import RankingStep
from standings.engine.ranking.rank import Ranking


def explain(ranking: Ranking, entry: str, metric: str | int) -> Explanation:
    """The explanation of one value of a ranking; `metric` is a column's key (its first one) or its position.

    Raises KeyError for an entry that is not ranked, UnknownMetric for a metric that is no column.
    """
    index = _index(ranking, metric)
    row, view, step = ranking.row(entry), ranking.views[entry], ranking.steps[index]
    if metric_of(step.key).group:
        return explain_meeting(ranking, entry, index)
    explanation = explain_value(view.then if index else view.now, entry, step)
    assert explanation.result == row.values[index]
    if index and view.then is not view.now:
        explanation.note("frozen", round=view.then.rounds)
    return explanation


def inner_step_of(ranking: Ranking, entry: str, metric: str | int, key: str) -> tuple[RankingStep, Field]:
    """How `key` is counted inside a value of an entry, and where it is read. Raises as `explain_inside`."""
    index = _index(ranking, metric)
    view = ranking.views[entry]
    open_steps = [(ranking.steps[index], view.then if index else view.now)]
    for step, field in open_steps:
        for inner in inner_steps(step):
            inside = inner_field_of(step, field)
            if inner.key == key:
                return inner, inside
            open_steps.append((inner, inside))
    raise UnknownMetric(f"{ranking.columns[index]!r} is not computed from {key!r}.")


def explain_value(source: Field, entry: str, step: RankingStep) -> Explanation:
    """The explanation of one value of a field. Raises as `Field.value`."""
    metric = metric_of(step.key)
    if metric.group:
        raise UnknownMetric(f"{step.key!r} ranks tied groups and has no value for a single entry.")
    result = Fraction(source.value(step.key, entry, step.params))
    explanation = Explanation(entry, step, result=result)
    explainer_of(step.key)(explanation, source, entry, read_params(metric, step.params))
    return explanation


def explainer_of(key: str) -> Callable:
    """The function that explains values of that metric."""
    return shares.explainer_of(key) or EXPLAINERS.get(key) or explainers.of_rounds


def _index(ranking: Ranking, metric: str | int) -> int:
    if isinstance(metric, int):
        return metric
    if metric not in ranking.columns:
        raise UnknownMetric(f"{metric!r} is not a column of these standings.")
    return ranking.columns.index(metric)


EXPLAINERS: dict[str, Callable] = {
    "cumulative": explainers.cumulative,
    "cumulative_opposition": opponents.cumulative_opposition,
    "buchholz": opponents.buchholz_sum,
    "fore_buchholz": opponents.buchholz_sum,
    "solkoff": opponents.solkoff,
    "modified_median": opponents.modified_median,
    "avg_opp_buchholz": opponents.avg_opp_buchholz,
    "adjusted_score": opponents.adjusted_score,
    "sonneborn_berger": opponents.sonneborn_berger,
    "mms": explainers.mms,
    "recency_cumulative": explainers.recency_cumulative,
    "kts_number": explainers.kts_number,
    "avg_rating_opponents": opponents.avg_rating_opponents,
    "random": explainers.random,
    "manual": explainers.manual,
    "external_value": explainers.external_value,
} | dict.fromkeys(("rating", "seed", "late_flag"), explainers.attribute)
