"""Metrics of the points scored in matches: spreads, quotients, shares, victory points."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.percentages import HALF, Ratio, Ratios, sum_ratios
from standings.engine.metrics.registry import metric, round_metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number

GIVEN = frozenset({"bye", "awarded", "full"})  # byes worth a win
LOST_UNPLAYED = frozenset({"forfeit_loss", "no_show", "missed"})


@round_metric("score")
def spread(field, entry, line, *, cap=None, bye=0, forfeit_loss=0, forfeit_win=None) -> Number | None:
    """Sum of margins, each at most `cap` either way; a bye worth a win adds `bye`, a forfeit its own value.

    A forfeit win adds the same as a bye unless `forfeit_win` is given; a missed round counts as a forfeit loss.
    Source: WESPA and NASPA rules, from memory; the cap from Scrabble Malaysia.
    """
    if line.kind == "played":
        return margin(line) if cap is None or not line.score else max(-cap, min(cap, margin(line)))
    if line.kind in LOST_UNPLAYED:
        return forfeit_loss
    if line.kind == "forfeit_win":
        return bye if forfeit_win is None else forfeit_win
    return bye if line.kind in GIVEN else None


def margin(line: RoundRecord) -> Number | None:
    """Points scored − points conceded in a round played to a recorded score, None otherwise."""
    return line.score[0] - line.score[1] if line.score else None


def score_ratios(field, entry) -> Ratios:
    """Points scored and conceded in every round played to a recorded score, as part and whole."""
    rounds = field.records[entry].rounds
    return [(line, Ratio(*line.score)) for line in rounds if line.score and line.kind == "played"]


@metric("score")
def score_quotient(field, entry) -> Number:
    """Points scored ÷ points conceded; the points scored if nothing was conceded. Source: CBAI."""
    scored, conceded = sum_ratios(score_ratios(field, entry))
    return Fraction(scored) / conceded if conceded else scored


@metric("share")
def mov_share(field, entry, *, bye="average", forfeit_win=1, forfeit_loss=0) -> Number:
    """Mean share of the points of a match; a bye counts as the average of the others, or as `bye`.

    A match without any points counts as one half. Source: Legion on gameuplink.
    """
    rounds = field.records[entry].rounds
    shares = [match_share(line, bye, forfeit_win, forfeit_loss) for line in rounds]
    counting = [share for share in shares if share is not None]
    return Fraction(sum(counting)) / len(counting) if counting else 0


def match_share(line: RoundRecord, bye="average", forfeit_win=1, forfeit_loss=0) -> Number | None:
    """The share of one round in the margin of victory; None if it is left out."""
    if line.kind == "played" and line.score:
        scored, conceded = line.score
        return Fraction(scored) / (scored + conceded) if scored + conceded else HALF
    if line.kind == "forfeit_win":
        return forfeit_win
    if line.kind in LOST_UNPLAYED:
        return forfeit_loss
    if line.kind not in GIVEN or bye in ("average", "exclude"):
        return None
    return 0 if bye == "zero" else bye


@metric("share")
def pooled_opp_points_pct(field, entry, *, max_per_round=None) -> Number:
    """All opponents' points ÷ number of opponents ÷ all their possible points (it divides twice).

    `max_per_round`: by default the points of a win. Source: Melee, "Two-game matches".
    """
    ratios = pooled_ratios(field, entry, max_per_round)
    points, possible = sum_ratios(ratios)
    return Fraction(points, len(ratios)) / possible if possible else 0


def pooled_ratios(field, entry, max_per_round=None) -> Ratios:
    """Every opponent's points, as part of the most it could have."""
    most = field.scoring.win if max_per_round is None else max_per_round
    met = [line for line in field.records[entry].rounds if line.opponent is not None]
    records = [(line, field.records[line.opponent]) for line in met]
    return [(line, Ratio(field.scoring.points(them), most * len(them.rounds))) for line, them in records]


@round_metric("points")
def victory_points(field, entry, line) -> Number | None:
    """Sum of the own scores of all rounds that have one, also of a bye or forfeit for which staff entered it.

    Source: CBAI, Swiss teams.
    """
    return line.score[0] if line.score else None


@round_metric("score")
def battle_points(field, entry, line) -> Number | None:
    """Sum of the own scores of all rounds that have one. Source: Games Workshop, organised play."""
    return line.score[0] if line.score else None
