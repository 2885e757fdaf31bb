"""Sonneborn-Berger and Koya: own results weighed by the opponents' scores."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from standings.engine.metrics.buchholz import opponent_scores
from standings.engine.metrics.registry import metric, round_metric
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number


class Part(NamedTuple):
    """One round of Sonneborn-Berger: the opponent's score and the own result in parts of a win times it.

    `instead`: what stands for the opponent's score where nothing was played.
    """

    round: RoundRecord
    opponent: Number
    value: Number
    voluntary: bool
    instead: str = ""


def parts_of(field, entry, version=2023, forfeits_as_played=False) -> list[Part]:
    """Every round's part; an unplayed round weighs the score of its dummy opponent."""
    parts = []
    for share in opponent_scores(field, entry, version=version, forfeits_as_played=forfeits_as_played):
        if share.value is not None:
            value = result(field, share.round) * share.value
            parts.append(Part(share.round, share.value, value, share.voluntary, share.instead))
    return parts


def result(field, line: RoundRecord) -> Fraction:
    """What a round gave, in parts of a win."""
    return Fraction(field.scoring.match_points(line)) / field.scoring.win


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
    "scores of opponents beaten + half the scores of opponents drawn",
    "score",
)
def sonneborn_berger(field, entry, *, cut_low=0, version=2023, forfeits_as_played=False) -> Number:
    """Sum over the rounds of result × opponent's score, the result in parts of a win.

    `cut_low` leaves out so many lowest-scored opponents; `forfeits_as_played` is for round robins.
    Source: FIDE C.07, "SB".
    """
    parts = parts_of(field, entry, version, forfeits_as_played)
    return sum(part.value for part in after_cut(parts, cut_low))


def after_cut(parts: list[Part], cut_low: int = 0) -> list[Part]:
    """The parts that count, without so many of the lowest."""
    for _ in range(cut_low):
        parts = without_lowest(parts)
    return parts


@round_metric(
    "koya", "Koya", "points scored against opponents with at least half of the maximum score", "score"
)
def koya(field, entry, line, *, limit=None, forfeits_as_played=True) -> Number | None:
    """Points made against opponents with at least `limit` points, by default half of rounds × win.

    A round-robin tiebreak: forfeits count as games unless `forfeits_as_played` is false. Source: FIDE C.07, "KS".
    """
    if line.opponent is None or (line.kind in FORFEIT_KINDS and not forfeits_as_played):
        return None
    reached = field.value("match_points", line.opponent) >= koya_limit(field, limit)
    return field.scoring.match_points(line) if reached else None


def koya_limit(field, limit: Number | None = None) -> Number:
    """What an opponent must have reached: `limit`, else half of what could be won."""
    return Fraction(field.rounds) * field.scoring.half_win if limit is None else limit
