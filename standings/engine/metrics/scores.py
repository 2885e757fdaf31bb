"""Metrics of the points scored in matches: spreads, quotients, shares, victory points."""

from fractions import Fraction

from standings.engine.metrics.percentages import HALF
from standings.engine.metrics.registry import (
    Term,
    count_values,
    round_metric,
    sum_wholes,
    term_metric,
    total_of,
)
from standings.engine.scoring import Number

GIVEN = frozenset({"bye", "awarded", "full"})  # byes worth a win
LOST_UNPLAYED = frozenset({"forfeit_loss", "no_show", "missed"})


@round_metric("score")
def spread(field, entry, line, *, cap=None, bye=0, forfeit_loss=0, forfeit_win=None) -> Number | Term | None:
    """Sum of margins, each at most `cap` either way; a bye worth a win adds `bye`, a forfeit its own value.

    A `cap` per round is a tuple, whose last value applies to all later rounds. A forfeit win adds the same as a bye
    unless `forfeit_win` is given; a missed round counts as a forfeit loss. Source: WESPA and NASPA rules, from memory;
    the cap from Scrabble Malaysia, by round from events' own rules.
    """
    if line.kind == "played":
        margin = line.score[0] - line.score[1] if line.score else None
        most = cap[min(line.number, len(cap)) - 1] if isinstance(cap, tuple) else cap
        if margin is None or most is None or abs(margin) <= most:
            return margin
        return Term(line, most if margin > 0 else -most, "capped", before=margin)
    if line.kind in LOST_UNPLAYED:
        return forfeit_loss
    if line.kind == "forfeit_win":
        return bye if forfeit_win is None else forfeit_win
    return bye if line.kind in GIVEN else None


@round_metric("score")
def margin_of_victory(
    field, entry, line, *, even=200, bye=300, forfeit_win=None, forfeit_loss=0
) -> Number | Term | None:
    """Sum of `even` plus or minus the margin of each match; byes and forfeits as in the spread.

    A draw without points counts as `even`. Source: Fantasy Flight Games, X-Wing; real events.
    """
    margin = spread(field, entry, line, bye=bye, forfeit_win=forfeit_win, forfeit_loss=forfeit_loss)
    if line.kind != "played":
        return margin
    if margin is None:
        return even if line.outcome == "D" else None
    return even + margin


def _quotient(terms, field, entry, params) -> Number:
    scored, conceded = total_of(terms), sum_wholes(terms)
    return Fraction(scored) / conceded if conceded else scored


@term_metric("score", combine=_quotient, divisor="wholes")
def score_quotient(field, entry) -> list[Term]:
    """Points scored ÷ points conceded; the points scored if nothing was conceded. Source: CBAI."""
    return [
        Term(line, line.score[0], of=line.score[1])
        if line.score and line.kind == "played"
        else Term(line, None, "no_score")
        for line in field.records[entry].rounds
    ]


@round_metric("share", divisor="rounds")
def mov_share(field, entry, line, *, bye="average", forfeit_win=1, forfeit_loss=0) -> Number | Term | None:
    """Mean share of the points of a match; a bye counts as the average of the other rounds, or as `bye`.

    A match without any points counts as one half. Source: Legion on gameuplink.
    """
    if line.kind == "played" and line.score:
        scored, conceded = line.score
        return Fraction(scored) / (scored + conceded) if scored + conceded else HALF
    if line.kind == "forfeit_win":
        return forfeit_win
    if line.kind in LOST_UNPLAYED:
        return forfeit_loss
    if line.kind in GIVEN and bye != "exclude":
        return Term(line, None, "as_average") if bye == "average" else 0 if bye == "zero" else bye
    return Term(line, None, "left_out")


def _divide_twice(terms, field, entry, params) -> Number:
    possible = sum_wholes(terms)
    return Fraction(total_of(terms), count_values(terms)) / possible if possible else 0


@term_metric("share", combine=_divide_twice, divisor="wholes", inner="match_points")
def pooled_opp_points_pct(field, entry, *, max_per_round=None) -> list[Term]:
    """All opponents' points ÷ number of opponents ÷ all their possible points (it divides twice).

    `max_per_round`: by default the points of a win. Source: Melee, "Two-game matches".
    """
    most = field.scoring.win if max_per_round is None else max_per_round
    terms = []
    for line in field.records[entry].rounds:
        if line.opponent is None:
            terms.append(Term(line, None, "no_opponent"))
        else:
            opponent = field.records[line.opponent]
            terms.append(Term(line, field.scoring.points(opponent), of=most * len(opponent.rounds)))
    return terms


@round_metric("points")
def victory_points(field, entry, line) -> Number | None:
    """Sum of the own scores of all rounds that have one, including a bye or forfeit for which staff entered one.

    Source: CBAI, Swiss teams.
    """
    return line.score[0] if line.score else None


@round_metric("score")
def battle_points(field, entry, line) -> Number | None:
    """Sum of the own scores of all rounds that have one. Source: Games Workshop, organised play."""
    return line.score[0] if line.score else None
