"""Where an entry's own value and the one counted elsewhere in the same standings differ, and why.

A player's own match-win percentage may count byes that are left out where opponents look at it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from standings.engine.explanation.types import inner_steps
from standings.engine.field import Field
from standings.engine.metrics import metric_of
from standings.engine.metrics.registry import read_params
from standings.engine.metrics.terms import Note
from standings.engine.ranking.chain import RankingStep

FOR_OPPONENTS, OWN = "opponents", "own"

# Notes on values that need no number.
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
    """Another value of the same metric: `where` it counts, the exact `value`, and why it differs."""

    where: str
    value: Fraction
    reasons: list[Note]


def other_values(
    field: Field, entry: str, step: RankingStep, own: RankingStep, chain: Sequence[RankingStep]
) -> list[OtherValue]:
    """Other values of the step's metric in the same standings.

    `own`: the metric as the ruleset counts it for the entry itself; `chain`: the order of the standings, in
    which others' columns may count it another way.
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
    """What the other way of counting does that this one does not, one note a parameter."""
    mine, theirs = _params(step), _params(other)
    return [_difference(step.key, name, value) for name, value in theirs.items() if mine[name] != value]


def _difference(key: str, name: str, value: Any) -> Note:
    if (name, value) in CODES:
        return Note(CODES[name, value])
    return Note("counted_with", {"metric": key, "name": name, "value": value})


def _params(step: RankingStep) -> dict[str, Any]:
    """All params of a step, defaults included."""
    metric = metric_of(step.key)
    return {name: param.default for name, param in metric.params.items()} | read_params(metric, step.params)
