"""Means over opponents of what is no win percentage: points a round, points, losses, recent success."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.percentages import counted, mean_metric
from standings.engine.metrics.registry import metric
from standings.engine.scoring import Number


@metric("points_per_round", "Points per round", "match points ÷ rounds, missed rounds not counted", "points")
def points_per_round(field, entry) -> Number:
    """Match points over the rounds of the record; a missed round adds to neither.

    Source: Null Signal Organized Play Policies, "Strength of Schedule".
    """
    rounds = [line for line in field.records[entry].rounds if line.kind != "missed"]
    if not rounds:
        return 0
    return Fraction(sum(map(field.scoring.match_points, rounds)), len(rounds))


@metric("match_loss_pct", "Match-loss %", "matches lost ÷ matches with an opponent", "share", ascending=True)
def match_loss_pct(field, entry, *, empty=None, count_no_show_tables=True) -> Number:
    """Share of the matches against somebody that were lost. Source: Flesh and Blood tiebreaker policy 2022."""
    rounds = counted(field, entry, False, count_no_show_tables)
    met = [line for line in rounds if line.opponent is not None]
    if not met:
        return 0 if empty is None else empty
    return Fraction(sum(line.outcome == "L" for line in met), len(met))


@metric(
    "recency_cumulative",
    "Cumulative tiebreak",
    "round by round: what there was × the decay + the points so far",
    "score",
)
def recency_cumulative(field, entry, *, decay=Fraction(1, 4), byes=True, normalise=False) -> Number:
    """Running points in which late rounds weigh most; every round of the event takes a step.

    With `byes` false a bye adds nothing to the running points; `normalise` divides by the value of winning
    every round. Source: Flesh and Blood tiebreaker policy 2022, "CTB".
    """
    points: dict[int, Number] = {}
    for line in field.records[entry].rounds:
        if byes or not line.is_bye:
            points[line.number] = points.get(line.number, 0) + field.scoring.match_points(line)
    value = _recency([points.get(number, 0) for number in range(1, field.rounds + 1)], decay)
    if not normalise:
        return value
    best = _recency([field.scoring.win] * field.rounds, decay)
    return Fraction(value) / best if best else 0


def _recency(points: list[Number], decay: Number) -> Number:
    running: Number = 0
    value: Number = 0
    for gained in points:
        running += gained
        value = value * decay + running
    return value


mean_metric(
    "strength_of_schedule", "points_per_round", "Strength of schedule",
    "mean over the opponents of their points per round", "Null Signal Organized Play Policies, 1.1.6",
    unit="points",
)  # fmt: skip
mean_metric(
    "ext_strength_of_schedule", "strength_of_schedule", "Extended strength of schedule",
    "mean over the opponents of their strength of schedule", "Null Signal Organized Play Policies, 1.1.6",
    unit="points",
)  # fmt: skip
mean_metric(
    "opp_match_loss_pct", "match_loss_pct", "Opponents' match-loss %", "mean match-loss % of the opponents",
    "Flesh and Blood tiebreaker policy 2022", ascending=True,
)  # fmt: skip
mean_metric(
    "opp_recency_cumulative", "recency_cumulative", "Opponents' cumulative tiebreak",
    "mean of the opponents' cumulative tiebreaks", "Flesh and Blood tiebreaker policy 2022", unit="score",
)  # fmt: skip
