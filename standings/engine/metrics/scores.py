"""What needs the points made inside matches: spreads, quotients, shares, victory points."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.percentages import HALF, Ratio, sum_ratios
from standings.engine.metrics.registry import metric, round_metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number

GIVEN = frozenset({"bye", "awarded", "full"})  # byes worth a win
LOST_UNPLAYED = frozenset({"forfeit_loss", "no_show", "missed"})


@round_metric("score")
def spread(field, entry, line, *, cap=None, bye=0, forfeit_loss=0, forfeit_win=None) -> Number | None:
    """Sum of margins, each at most `cap` either way; a bye worth a win gives `bye`, a forfeit its own value.

    A forfeit won is worth a bye unless `forfeit_win` says otherwise; missed rounds are forfeits lost.
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
    """Points made less points conceded of a round played to a recorded score."""
    return line.score[0] - line.score[1] if line.score else None


def score_ratios(field, entry) -> list[tuple[RoundRecord, Ratio]]:
    """Points made and conceded in every round played to a recorded score."""
    rounds = field.records[entry].rounds
    return [(line, Ratio(*line.score)) for line in rounds if line.score and line.kind == "played"]


@metric("score")
def score_quotient(field, entry) -> Number:
    """Points made over points conceded; who conceded nothing keeps the points made. Source: CBAI."""
    made, conceded = sum_ratios(part for _, part in score_ratios(field, entry))
    return Fraction(made) / conceded if conceded else made


@metric("share")
def mov_share(field, entry, *, bye="average", forfeit_win=1, forfeit_loss=0) -> Number:
    """Mean share of the points of a match; a bye counts as the average of the others, or as `bye`.

    A match without any points is shared half and half. Source: Legion on gameuplink.
    """
    rounds = field.records[entry].rounds
    shares = [match_share(line, bye, forfeit_win, forfeit_loss) for line in rounds]
    counting = [share for share in shares if share is not None]
    return Fraction(sum(counting)) / len(counting) if counting else 0


def match_share(line: RoundRecord, bye="average", forfeit_win=1, forfeit_loss=0) -> Number | None:
    """The share one round gives to the margin of victory; None where it is left out."""
    if line.kind == "played" and line.score:
        made, conceded = line.score
        return Fraction(made) / (made + conceded) if made + conceded else HALF
    if line.kind == "forfeit_win":
        return forfeit_win
    if line.kind in LOST_UNPLAYED:
        return forfeit_loss
    if line.kind not in GIVEN or bye in ("average", "exclude"):
        return None
    return 0 if bye == "zero" else bye


@metric("share")
def pooled_opp_points_pct(field, entry, *, max_per_round=None) -> Number:
    """All opponents' points over their number and over all their possible points (it divides twice).

    `max_per_round`: by default what winning a round gives. Source: Melee, "Two-game matches".
    """
    parts = pooled_ratios(field, entry, max_per_round)
    points, possible = sum_ratios(part for _, part in parts)
    return Fraction(points, len(parts)) / possible if possible else 0


def pooled_ratios(field, entry, max_per_round=None) -> list[tuple[RoundRecord, Ratio]]:
    """Every opponent's points and the most they could have had."""
    most = field.scoring.win if max_per_round is None else max_per_round
    met = [line for line in field.records[entry].rounds if line.opponent is not None]
    records = [(line, field.records[line.opponent]) for line in met]
    return [(line, Ratio(field.scoring.points(them), most * len(them.rounds))) for line, them in records]


@round_metric("points")
def victory_points(field, entry, line) -> Number | None:
    """Sum of the own score of every round that has one, also where staff recorded it for a bye or a forfeit.

    Source: CBAI, Swiss teams.
    """
    return line.score[0] if line.score else None


@round_metric("score")
def battle_points(field, entry, line) -> Number | None:
    """Sum of the own score of every round that has one. Source: Games Workshop, organised play."""
    return line.score[0] if line.score else None
