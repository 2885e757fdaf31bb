"""Sonneborn-Berger and Koya: own results weighed by the opponents' scores."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from standings.engine.metrics.buchholz import opponent_score
from standings.engine.metrics.registry import metric
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number


class Part(NamedTuple):
    """One round of Sonneborn-Berger: the opponent's score and the own result in parts of a win times it."""

    round: RoundRecord
    opponent: Number
    value: Number
    voluntary: bool


def parts_of(field, entry, version=2023, forfeits_as_played=False) -> list[Part]:
    """Every round's part; an unplayed round weighs the score of its dummy opponent."""
    parts = []
    for line in field.records[entry].rounds:
        share = opponent_score(field, entry, line, version=version, forfeits_as_played=forfeits_as_played)
        if share.value is not None:
            result = Fraction(field.scoring.match_points(line)) / field.scoring.win
            parts.append(Part(line, share.value, result * share.value, share.voluntary))
    return parts


def without_lowest(parts: list[Part]) -> list[Part]:
    """Without the part of the lowest-scored opponent, or a voluntary one that gives at least as much."""
    if not parts:
        return parts
    lowest = min(parts, key=lambda part: (part.opponent, part.value))
    voluntary = [part for part in parts if part.voluntary and part.value >= lowest.value]
    gone = min(voluntary, key=lambda part: part.value) if voluntary else lowest
    return [part for part in parts if part is not gone]


@metric(
    "sonneborn_berger",
    "Sonneborn-Berger",
    "scores of those beaten + half the scores of those drawn with",
    "score",
)
def sonneborn_berger(field, entry, *, cut_low=0, version=2023, forfeits_as_played=False) -> Number:
    """Sum over the rounds of result × opponent's score, the result in parts of a win.

    `cut_low` leaves out so many lowest-scored opponents; `forfeits_as_played` is for round robins.
    Source: FIDE C.07, "SB".
    """
    parts = parts_of(field, entry, version, forfeits_as_played)
    for _ in range(cut_low):
        parts = without_lowest(parts)
    return sum(part.value for part in parts)


@metric("koya", "Koya", "points against opponents who reached half of the possible points", "score")
def koya(field, entry, *, limit=None, forfeits_as_played=True) -> Number:
    """Points made against opponents with at least `limit` points, by default half of rounds × win.

    A round-robin tiebreak: forfeits count as games unless `forfeits_as_played` is false. Source: FIDE C.07, "KS".
    """
    if limit is None:
        limit = Fraction(field.rounds) * field.scoring.half_win
    column = field.column("match_points")
    return sum(
        field.scoring.match_points(line)
        for line in field.records[entry].rounds
        if line.opponent is not None
        and (forfeits_as_played or line.kind not in FORFEIT_KINDS)
        and column[line.opponent] >= limit
    )
