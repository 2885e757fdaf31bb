"""Where an entry's own value and the one counted elsewhere in the same standings differ, and why.

"Own value 60%; counted for opponents 50%, the byes left out" (rules, contradictions 3 and 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from standings.engine.explanation.parts import inner_steps
from standings.engine.field import Field
from standings.engine.metrics import metric_of
from standings.engine.metrics.registry import prepared
from standings.engine.ranking.chain import Step

FOR_OPPONENTS, OWN = "opponents", "own"


class Counted(NamedTuple):
    """Another value of the same metric: `where` it counts, the exact `value`, and `why` it differs, in words."""

    where: str
    value: Fraction
    why: list[str]


def counted_elsewhere(
    field: Field, entry: str, step: Step, own: Step, chain: Sequence[Step]
) -> list[Counted]:
    """Other values of the step's metric in the same standings.

    `own`: the metric as the ruleset counts it for the entry itself; `chain`: the order of the standings, in
    which others' columns may count it another way.
    """
    mine = field.value(step.key, entry, step.params)
    others = [(OWN, own)] + [
        (FOR_OPPONENTS, s) for outer in chain for s in _inside(outer) if s.key == step.key
    ]
    found: list[Counted] = []
    for where, other in others:
        value = field.value(other.key, entry, other.params)
        if value != mine and all(value != known.value for known in found):
            found.append(Counted(where, Fraction(value), differences(step, other)))
    return found


def _inside(step: Step) -> list[Step]:
    found = inner_steps(step)
    return found + [deeper for inner in found for deeper in _inside(inner)]


def differences(step: Step, other: Step) -> list[str]:
    """What the other way of counting does that this one does not, in words."""
    metric = metric_of(step.key)
    mine, theirs = (_whole(s) for s in (step, other))
    said = {
        ("include_byes", False): "byes left out",
        ("include_byes", True): "byes counted",
        ("count_no_show_tables", False): "double no-shows left out",
        ("count_no_show_tables", True): "double no-shows counted",
        ("floor", None): "without a minimum",
        ("cap", None): "without a maximum",
    }
    words = []
    for name in metric.params:
        if mine[name] != theirs[name]:
            known = said.get((name, theirs[name]))
            words.append(known or NAMES.get(name, "{name}: {value}").format(name=name, value=theirs[name]))
    return words


NAMES = {"floor": "with a minimum of {value}", "cap": "at most {value}", "mode": "counted by {value}"}


def _whole(step: Step) -> dict:
    metric = metric_of(step.key)
    return {name: param.default for name, param in metric.params.items()} | prepared(metric, step.params)
