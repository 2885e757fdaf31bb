"""The register of metrics: a key, what it means in words, and the function that computes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from standings.engine.scoring import exact

# Parameters that are exact numbers, written as strings in a profile.
EXACT_PARAMS = frozenset(
    {"floor", "cap", "cap_dropped", "empty", "limit", "decay", "max_per_round", "forfeit_win", "forfeit_loss",
     "start", "missing"}
)  # fmt: skip
BYE_WORDS = ("exclude", "zero", "average")


class UnknownMetric(ValueError):
    """A metric, or a parameter of one, that is not known here; the message names it."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A way to measure an entry. `unit`: points, games, share (0 to 1), score, count or order.

    `ascending`: lower is better unless a ruleset says otherwise. `games`: events without games to compare skip
    it. `scores`: needs the points made inside matches. `group`: the function orders a whole tied group,
    `function(field, members, **params) -> list of groups, best first`, instead of measuring one entry.
    """

    key: str
    title: str
    formula: str
    unit: str
    function: Callable
    params: frozenset[str]
    ascending: bool = False
    games: bool = False
    scores: bool = False
    group: bool = False

    @property
    def source(self) -> str:
        """Who wrote the rule: what the function's own description says after "Source:"."""
        told = " ".join((self.function.__doc__ or "").split())
        return told.partition("Source: ")[2].rstrip(".")


METRICS: dict[str, Metric] = {}


def metric(
    key: str, title: str, formula: str, unit: str, *, params: frozenset[str] | None = None,
    ascending: bool = False, games: bool = False, scores: bool = False, group: bool = False,
):  # fmt: skip
    """Register the decorated function under `key`; `params` default to its keyword-only arguments."""

    def register(function):
        named = params
        if named is None:
            signature = inspect.signature(function).parameters.values()
            named = frozenset(p.name for p in signature if p.kind is p.KEYWORD_ONLY)
        METRICS[key] = Metric(key, title, formula, unit, function, named, ascending, games, scores, group)
        return function

    return register


def metric_of(key: str) -> Metric:
    """The metric of that key. Raises UnknownMetric naming it."""
    if key not in METRICS:
        raise UnknownMetric(f"Unknown metric {key!r}.")
    return METRICS[key]


def prepared(metric: Metric, params: dict) -> dict:
    """The params with their exact numbers read. Raises UnknownMetric for one the metric does not know."""
    for name in params:
        if name not in metric.params:
            raise UnknownMetric(f"Metric {metric.key!r} knows no parameter {name!r}.")
    return {name: _read(name, value) for name, value in params.items() if value is not None}


def _read(name, value):
    if name in EXACT_PARAMS:
        return exact(value)
    if name == "bye" and isinstance(value, dict):
        return {"value": exact(value["value"]), "count": int(value.get("count", 1))}
    if name == "bye" and value not in BYE_WORDS:
        return exact(value)
    if name == "bye_as":
        return {kind: exact(worth) for kind, worth in value.items()}
    return value
