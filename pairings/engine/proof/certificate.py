"""What a round reached, what nobody can go below, and how that is known."""

from __future__ import annotations

from itertools import compress
from operator import not_
from typing import TYPE_CHECKING

from pairings.engine.criteria.labels import share
from pairings.engine.criteria.order import KEPT, LABELS, MAIN, PLACES, Meter
from pairings.engine.field import Field
from pairings.engine.proof.outcome import Outcome
from pairings.engine.types import UNPROVED, Criterion, Proof

if TYPE_CHECKING:
    from pairings.engine.lookahead.rounds_ahead import Ahead
    from pairings.engine.solver.whole_field import Round


def certify(field: Field, meter: Meter, outcome: Outcome, found: Round) -> tuple[Criterion, ...]:
    """One line per criterion, in the ruleset's order. Locked pairs count into value and bound alike."""
    lines: list[Criterion] = []
    sure = True
    for name in meter.order:
        if name == KEPT:
            continue  # between two roads to a re-pairing, and no property of the round
        for part, value in values(field, meter, name, outcome, found):
            zero = (0,) * len(value) if isinstance(value, tuple) else 0
            if sure and name in found.proofs and (name in MAIN or value != zero):
                lines.append(Criterion(part, value, value, True, found.proofs[name]))
            elif value == zero:
                lines.append(Criterion(part, zero, zero, True, Proof("bound")))
            else:
                lines.append(Criterion(part, value, zero, False, UNPROVED))
        if name == "repeats" and found.ahead is not None:
            lines += looking_ahead(field, found.ahead)
            sure = found.ahead.proved
    return tuple(lines)


def looking_ahead(field: Field, ahead: Ahead) -> list[Criterion]:
    """Later planned rounds that need a repeat; in odd fields whether a planned round needs a second bye."""
    numbers = [("later_rounds", ahead.lost)]
    if len(field.ids) % 2:
        numbers.append(("later_byes", int(not ahead.strict)))
    proof = Proof("exhaustive") if ahead.proved else UNPROVED
    return [
        Criterion(name, value, value if ahead.proved else 0, ahead.proved or not value, proof)
        for name, value in numbers
    ]


def values(field: Field, meter: Meter, name: str, outcome: Outcome, found: Round):
    """(name, value) of a criterion over the whole round; the bye has two, the third only orders."""
    if name == "repeats":
        return [(name, len(outcome.repeats))]
    if name == "bye":
        lowest = min(compress(field.points, map(not_, field.house)), default=0) if outcome.over else 0
        return [
            ("second_bye", sum(field.byes[i] for i in outcome.over)),
            ("bye_group", sum(field.points[i] - lowest for i in outcome.over)),
        ]
    if name == "score_difference":
        return [(name, score_difference(field, outcome))]
    if name == "pair_downs":
        return [(name, sum(field.floats(a, b) for a, b in outcome.across))]
    if name in PLACES:
        places = meter.places[name]
        free = sum(places.of_pair(a, b) for a, b in found.pairs)
        return [(name, free + sum(places.of_slot(i) for _, i in found.slots))]
    if name == LABELS:
        return [(name, sum(meter.labels and share(field, a, b) for a, b in outcome.pairs))]
    return [(name, sum(meter.sides.of_pair(name, a, b) for a, b in outcome.pairs))]


def score_difference(field: Field, outcome: Outcome) -> int | tuple[int, ...]:
    """The sum of squared differences; under `protect_top` one sum per score group of the higher player."""
    points = field.points
    if field.policy.objective == "balance":
        return sum((points[a] - points[b]) ** 2 for a, b in outcome.across)
    levels = sorted(set(compress(points, map(not_, field.house))), reverse=True)
    sums = dict.fromkeys(levels, 0)
    for a, b in outcome.across:
        sums[max(points[a], points[b])] += (points[a] - points[b]) ** 2
    return tuple(sums.values())
