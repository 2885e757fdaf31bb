"""Faults in a profile's tiebreaker order, by the path of the field.

`tournament.rulesets.validate` calls this because it knows no metrics itself: see `standings.apps`. Messages follow the
documented error format of rulesets: English fragments for authors of files, without a period.
"""

from collections.abc import Iterator
from typing import Any

from standings.engine.metrics import METRICS, Metric, UnknownMetric
from standings.engine.metrics.registry import read_params
from tournament.rulesets import needs_scores

Fault = tuple[str, str]
LAST_RESORTS = ("random", "manual")


def validate_chain(profile: dict) -> list[Fault]:
    """Return every fault of `tiebreaks` as (path, message).

    The order must start with points, end with random or manual, and name known metrics with valid params. Head-to-head
    must come after points, and metrics of scores need a ruleset that records scores.
    """
    chain = profile.get("tiebreaks")
    if not isinstance(chain, list) or not chain:
        return [("tiebreaks", "the order is empty")]
    faults: list[Fault] = []
    for i, step in enumerate(chain):
        path = f"tiebreaks[{i}]"
        if not isinstance(step, dict) or not isinstance(step.get("metric"), str):
            faults.append((f"{path}.metric" if isinstance(step, dict) else path, "must name a metric"))
        elif step["metric"] not in METRICS:
            faults.append((f"{path}.metric", f"there is no metric {step['metric']!r}"))
        else:
            faults += _of_step(path, i, step, len(chain), profile)
    return faults


def _of_step(path: str, i: int, step: dict, length: int, profile: dict) -> Iterator[Fault]:
    metric = METRICS[step["metric"]]
    if i == 0 and metric.unit != "points" and metric.key != "match_wins":
        yield f"{path}.metric", "the order must start with points"
    if i == length - 1 and metric.key not in LAST_RESORTS:
        yield (
            f"{path}.metric",
            "the order must end with a random tiebreaker (random) or a manual order (manual)",
        )
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
            choices = f"not one of {', '.join(param.choices)}"
            yield (
                f"{path}.{name}",
                f"{value!r} is {choices if param.kind == 'choice' else 'not a valid value'}",
            )
    for cap in ("cap", "cap_dropped"):
        if "floor" in values and cap in values and values["floor"] > values[cap]:
            yield f"{path}.{cap}", "the maximum (cap) is below the minimum (floor)"
