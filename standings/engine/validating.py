"""What is wrong with the order of tiebreaks of a profile, said by the path of the field.

Complements `tournament.rulesets.validate`, which knows no metrics.
"""

from __future__ import annotations

from collections.abc import Iterator

from standings.engine.metrics import METRICS, Metric, UnknownMetric, buchholz, meetings
from standings.engine.metrics.registry import prepared

Fault = tuple[str, str]
LAST_RESORTS = ("random", "manual")
# Words a param may be; a param not named here is checked by its kind alone.
WORDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("head_to_head", "mode"): tuple(meetings.MODES),
    ("head_to_head", "on"): ("match_points", "victory_points"),
    ("buchholz", "rule"): buchholz.RULES,
    ("buchholz", "own_unplayed"): ("self", "zero", "exclude"),
    ("adjusted_score", "rule"): buchholz.RULES,
    ("sos", "unpaired"): ("zero", "start"),
    ("sosos", "unpaired"): ("zero", "start"),
    ("kts_number", "mode"): ("truncate", "half_up"),
    ("game_win_pct", "mode"): ("points", "wins"),
    ("opp_game_win_pct", "mode"): ("points", "wins"),
} | {
    (key, "mode"): ("points", "wins", "wins_half_draws")
    for key in ("match_win_pct", "opp_match_win_pct", "opp_opp_match_win_pct")
}


def records_scores(profile: dict) -> bool:
    """Whether the points made inside matches are asked for: as `records_scores` says, else if needed."""
    said = profile.get("records_scores")
    if isinstance(said, bool):
        return said
    return any(needs_scores(step) for step in profile["tiebreaks"])


def needs_scores(step: dict) -> bool:
    """Whether a step of the order looks at the points made inside matches."""
    metric = METRICS.get(step["metric"])
    on = (step.get("params") or {}).get("on")
    return metric is not None and (metric.scores or on == "victory_points")


def validate_chain(profile: dict) -> list[Fault]:
    """Every fault of `tiebreaks` as (path, message); an empty list means a sound order.

    It starts with points and ends with random or manual, names known metrics with params they know, comes to
    head-to-head only after points, and to scores only where they are recorded.
    """
    chain = profile.get("tiebreaks")
    if not isinstance(chain, list) or not chain:
        return [("tiebreaks", "the order is empty")]
    faults: list[Fault] = []
    for i, step in enumerate(chain):
        path = f"tiebreaks[{i}]"
        if not isinstance(step, dict) or not isinstance(step.get("metric"), str):
            faults.append((path, "names a metric"))
        elif step["metric"] not in METRICS:
            faults.append((f"{path}.metric", f"there is no metric {step['metric']!r}"))
        else:
            faults += _of_step(path, i, step, len(chain), profile)
    return faults


def _of_step(path: str, i: int, step: dict, length: int, profile: dict) -> Iterator[Fault]:
    metric = METRICS[step["metric"]]
    if i == 0 and metric.unit != "points" and metric.key != "match_wins":
        yield f"{path}.metric", "the order starts with points"
    if i == length - 1 and metric.key not in LAST_RESORTS:
        yield f"{path}.metric", "the order ends with random or manual"
    if i < length - 1 and metric.key == "random":
        yield f"{path}.metric", "nothing can follow: a draw of lots leaves no ties"
    if metric.group and i == 0:
        yield f"{path}.metric", "head-to-head comes only after points"
    if profile.get("records_scores") is False and needs_scores(step):
        yield f"{path}.metric", "needs scores, and the ruleset records none"
    params = step.get("params") or {}
    if not isinstance(params, dict):
        yield f"{path}.params", "is an object"
        return
    yield from _of_params(f"{path}.params", metric, params)


def _of_params(path: str, metric: Metric, params: dict) -> Iterator[Fault]:
    for name, value in params.items():
        words = WORDS.get((metric.key, name))
        if name not in metric.params:
            yield f"{path}.{name}", f"{metric.key} knows no such parameter"
        elif value is not None and words and value not in words:
            yield f"{path}.{name}", f"{value!r} is none of {', '.join(words)}"
        elif not _readable(metric, name, value):
            yield f"{path}.{name}", f"{value!r} is no value of it"
    for cap in ("cap", "cap_dropped"):
        both = [params.get("floor"), params.get(cap)]
        if None in both or not all(_readable(metric, name, params[name]) for name in ("floor", cap)):
            continue
        floor, most = prepared(metric, {"floor": both[0], cap: both[1]}).values()
        if floor > most:
            yield f"{path}.{cap}", "the cap is below the floor"


def _readable(metric: Metric, name: str, value) -> bool:
    try:
        prepared(metric, {name: value})
    except (UnknownMetric, ValueError, TypeError, KeyError, AttributeError, ZeroDivisionError):
        return False
    return True
