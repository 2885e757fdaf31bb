"""The certificate: what a round reached, what no round can go below, and how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING

from pairings.engine.criteria.labels import share_label
from pairings.engine.criteria.order import LABELS, MAIN, NEW_TABLES, TARGETS, Meter
from pairings.engine.field import Field
from pairings.engine.proof.outcome import Outcome
from pairings.engine.types import UNPROVEN, Criterion, Proof, Value

if TYPE_CHECKING:
    from pairings.engine.lookahead.feasible import Feasibility
    from pairings.engine.solver.whole_field import Solution


def certify(field: Field, meter: Meter, outcome: Outcome, solution: Solution) -> tuple[Criterion, ...]:
    """One line per criterion, in the ruleset's order. Locked pairs count into value and bound alike."""
    lines: list[Criterion] = []
    certain = True
    for name in meter.order:
        if name == NEW_TABLES:
            continue  # a property of a repair, not of the round
        for part, value in values_of(field, meter, name, outcome, solution):
            zero = (0,) * len(value) if isinstance(value, tuple) else 0
            if certain and name in solution.proofs and (name in MAIN or value != zero):
                lines.append(Criterion(part, value, value, True, solution.proofs[name]))
            elif value == zero:
                lines.append(Criterion(part, zero, zero, True, Proof("bound")))
            else:
                lines.append(Criterion(part, value, zero, False, UNPROVEN))
        if name == "repeats" and solution.feasibility is not None:
            lines += feasibility_lines(field, solution.feasibility)
            certain = solution.feasibility.proven
    return tuple(lines)


def feasibility_lines(field: Field, feasibility: Feasibility) -> list[Criterion]:
    """Later planned rounds that need a rematch; in odd fields whether a planned round needs a second bye."""
    values = [("later_rounds", feasibility.lost)]
    if len(field.ids) % 2:
        values.append(("later_byes", int(not feasibility.strict)))
    proven = feasibility.proven
    proof = Proof("exhaustive") if proven else UNPROVEN
    return [
        Criterion(name, value, value if proven else 0, proven or not value, proof) for name, value in values
    ]


def values_of(
    field: Field, meter: Meter, name: str, outcome: Outcome, solution: Solution
) -> Iterator[tuple[str, Value]]:
    """(name, value) of a criterion over the whole round; the bye has two, its rank only orders."""
    if name == "repeats":
        yield name, len(outcome.repeats)
    elif name == "bye":
        lowest = min(compress(field.points, map(not_, field.house)), default=0) if outcome.alone else 0
        yield "second_bye", sum(field.byes[i] for i in outcome.alone)
        yield "bye_group", sum(field.points[i] - lowest for i in outcome.alone)
    elif name == "score_difference":
        yield name, score_difference(field, outcome)
    elif name == "pair_downs":
        yield name, sum(field.repeat_floats(a, b) for a, b in outcome.across)
    elif name in TARGETS:
        target = meter.targets[name]
        distance = sum(target.pair_distance(a, b) for a, b in solution.pairs)
        yield name, distance + sum(target.slot_distance(i) for _, i in solution.slots)
    elif name == LABELS:
        yield name, sum(meter.labels and share_label(field, a, b) for a, b in outcome.pairs)
    else:
        yield name, sum(meter.sides.pair_cost(name, a, b) for a, b in outcome.pairs)


def score_difference(field: Field, outcome: Outcome) -> Value:
    """The sum of squared differences; under `protect_top` one sum per score group of the higher player."""
    points = field.points
    if field.policy.objective == "balance":
        return sum((points[a] - points[b]) ** 2 for a, b in outcome.across)
    levels = sorted(set(compress(points, map(not_, field.house))), reverse=True)
    sums = dict.fromkeys(levels, 0)
    for a, b in outcome.across:
        sums[max(points[a], points[b])] += (points[a] - points[b]) ** 2
    return tuple(sums.values())
