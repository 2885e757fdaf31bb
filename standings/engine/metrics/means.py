"""Points per round, loss percentages and the cumulative tiebreaker, and their means over opponents."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from standings.engine.metrics.percentages import Ratio, Ratios, mean_metric, share_rounds, sum_ratios
from standings.engine.metrics.registry import metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number


@metric("points")
def points_per_round(field, entry) -> Number:
    """Match points ÷ rounds; a missed round adds to neither.

    Source: Null Signal Organized Play Policies, "Strength of Schedule".
    """
    points, rounds = sum_ratios(point_ratios(field, entry))
    return Fraction(points, rounds) if rounds else 0


def point_ratios(field, entry) -> Ratios:
    """The match points of every round that counts, each as a part of 1 round."""
    rounds = [line for line in field.records[entry].rounds if line.kind != "missed"]
    return [(line, Ratio(field.scoring.match_points(line), 1)) for line in rounds]


@metric("share", ascending=True)
def match_loss_pct(field, entry, *, empty=None, count_no_show_tables=True) -> Number:
    """Share of the matches with an opponent that were lost. Source: Flesh and Blood tiebreaker policy 2022."""
    lost, met = sum_ratios(loss_ratios(field, entry, count_no_show_tables))
    if not met:
        return 0 if empty is None else empty
    return Fraction(lost, met)


def loss_ratios(field, entry, count_no_show_tables=True) -> Ratios:
    """1 of 1 for every match with an opponent that was lost, 0 of 1 for the others."""
    rounds = share_rounds(field, entry, False, count_no_show_tables)
    return [(line, Ratio(int(line.outcome == "L"), 1)) for line in rounds if line.opponent is not None]


@metric("score")
def recency_cumulative(field, entry, *, decay=Fraction(1, 4), byes=True, normalise=False) -> Number:
    """Running points in which late rounds weigh most; every round of the event is a step.

    With `byes` false a bye adds nothing to the running points; `normalise` divides by the value of winning
    every round. Source: Flesh and Blood tiebreaker policy 2022, "CTB".
    """
    steps = recency_steps(field, entry, decay, byes)
    value = steps[-1].value if steps else 0
    return Fraction(value) / recency_best(field, decay) if normalise and steps else value


class RecencyStep(NamedTuple):
    """A round of the event: the points so far, and the value with them."""

    number: int
    running: Number
    value: Number


def recency_steps(field, entry, decay=Fraction(1, 4), byes=True) -> list[RecencyStep]:
    """Every round of the event: the value before × the decay + the points so far."""
    points: dict[int, Number] = {}
    for line in field.records[entry].rounds:
        points[line.number] = points.get(line.number, 0) + recency_points(field, line, byes)
    return steps_from([points.get(number, 0) for number in range(1, field.rounds + 1)], decay)


def recency_points(field, line: RoundRecord, byes: bool = True) -> Number:
    """The points a round adds to the running points."""
    return field.scoring.match_points(line) if byes or not line.is_bye else 0


def recency_best(field, decay=Fraction(1, 4)) -> Number:
    """The value of winning every round of the event."""
    return steps_from([field.scoring.win] * field.rounds, decay)[-1].value


def steps_from(points: list[Number], decay: Number) -> list[RecencyStep]:
    """The steps from the points scored in each round of the event."""
    running: Number = 0
    value: Number = 0
    steps = []
    for number, gained in enumerate(points, start=1):
        running += gained
        value = value * decay + running
        steps.append(RecencyStep(number, running, value))
    return steps


mean_metric(
    "strength_of_schedule", "points_per_round", "Null Signal Organized Play Policies, 1.1.6", unit="points"
)
mean_metric(
    "ext_strength_of_schedule",
    "strength_of_schedule",
    "Null Signal Organized Play Policies, 1.1.6",
    unit="points",
)
mean_metric("opp_match_loss_pct", "match_loss_pct", "Flesh and Blood tiebreaker policy 2022", ascending=True)
mean_metric(
    "opp_recency_cumulative", "recency_cumulative", "Flesh and Blood tiebreaker policy 2022", unit="score"
)
