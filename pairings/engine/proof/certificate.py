"""The certificate: what a round reached, what no round can go below, and how that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairings.engine.criteria.order import MAIN, NEW_TABLES, Meter
from pairings.engine.criteria.outcome import Outcome
from pairings.engine.field import Field
from pairings.engine.types import UNPROVEN, Criterion, Proof

if TYPE_CHECKING:
    from pairings.engine.lookahead.feasible import Feasibility
    from pairings.engine.solver.whole_field import Solution


def certify(meter: Meter, outcome: Outcome, solution: Solution) -> tuple[Criterion, ...]:
    """One line per criterion, in the ruleset's order. Locked pairs count into value and bound alike."""
    lines: list[Criterion] = []
    certain = True
    for name in meter.order:
        if name == NEW_TABLES:
            continue  # a property of a repair, not of the round
        for part, value in meter.round_costs(name, outcome):
            zero = (0,) * len(value) if isinstance(value, tuple) else 0
            bound, proof = value, Proof("bound")
            if certain and name in solution.proofs and (name in MAIN or value != zero):
                proof = solution.proofs[name]
            elif value != zero:
                bound, proof = zero, UNPROVEN
            lines.append(Criterion(part, value, bound, value == bound, proof))
        if name == "repeats" and solution.feasibility is not None:
            lines += feasibility_lines(meter.field, solution.feasibility)
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
