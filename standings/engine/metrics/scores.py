"""What needs the points made inside matches: spreads, quotients, shares, victory points."""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.registry import metric
from standings.engine.scoring import Number

GIVEN = frozenset({"bye", "awarded", "full"})  # byes worth a win


def scores_of(field, entry) -> list[tuple[Fraction, Fraction]]:
    """(made, conceded) of every round played to a recorded score."""
    return [line.score for line in field.records[entry].rounds if line.score and line.kind == "played"]


@metric("spread", "Spread", "points made − points conceded, over all matches", "score", scores=True)
def spread(field, entry, *, cap=None, bye=0, forfeit_loss=0, forfeit_win=None) -> Number:
    """Sum of margins, each at most `cap` either way; a bye worth a win gives `bye`, a forfeit its own value.

    A forfeit won is worth a bye unless `forfeit_win` says otherwise; missed rounds are forfeits lost.
    Source: WESPA and NASPA rules, from memory; the cap from Scrabble Malaysia.
    """
    fixed = dict.fromkeys(GIVEN, bye) | {"forfeit_win": bye if forfeit_win is None else forfeit_win}
    fixed |= dict.fromkeys(("forfeit_loss", "no_show", "missed"), forfeit_loss)
    total = sum(fixed.get(line.kind, 0) for line in field.records[entry].rounds)
    for made, conceded in scores_of(field, entry):
        margin = made - conceded
        total += margin if cap is None else max(-cap, min(cap, margin))
    return total


@metric("score_quotient", "Quotient", "points made ÷ points conceded", "score", scores=True)
def score_quotient(field, entry) -> Number:
    """Points made over points conceded; who conceded nothing keeps the points made. Source: CBAI."""
    scores = scores_of(field, entry)
    made = sum((made for made, _ in scores), Fraction(0))
    conceded = sum((conceded for _, conceded in scores), Fraction(0))
    return made / conceded if conceded else made


@metric(
    "mov_share", "Margin of victory", "mean over the matches of own points ÷ all points", "share", scores=True
)
def mov_share(field, entry, *, bye="average", forfeit_win=1, forfeit_loss=0) -> Number:
    """Mean share of the points of a match; a bye counts as the average of the others, or as `bye`.

    A match without any points is shared half and half. Source: Legion on gameuplink.
    """
    shares: list[Number] = []
    for line in field.records[entry].rounds:
        if line.kind == "played" and line.score:
            made, conceded = line.score
            shares.append(Fraction(made) / (made + conceded) if made + conceded else Fraction(1, 2))
        elif line.kind == "forfeit_win":
            shares.append(forfeit_win)
        elif line.kind in ("forfeit_loss", "no_show", "missed"):
            shares.append(forfeit_loss)
        elif line.kind in GIVEN and bye not in ("average", "exclude"):
            shares.append(0 if bye == "zero" else bye)
    return Fraction(sum(shares)) / len(shares) if shares else 0


@metric(
    "pooled_opp_points_pct",
    "Opponents' points %",
    "opponents' points together ÷ number of opponents ÷ the most they could have",
    "share",
)
def pooled_opp_points_pct(field, entry, *, max_per_round=None) -> Number:
    """All opponents' points over their number and over all their possible points (it divides twice).

    `max_per_round`: by default what winning a round gives. Source: Melee, "Two-game matches".
    """
    most = field.scoring.win if max_per_round is None else max_per_round
    met = [field.records[line.opponent] for line in field.records[entry].rounds if line.opponent is not None]
    possible = most * sum(len(record.rounds) for record in met)
    if not possible:
        return 0
    return Fraction(sum(map(field.scoring.points, met)), len(met)) / possible


def own_score(field, entry) -> Number:
    """All points made in matches, with those staff recorded for a bye or a forfeit."""
    return sum(line.score[0] for line in field.records[entry].rounds if line.score)


@metric("victory_points", "Victory points", "victory points made in all matches", "points", scores=True)
def victory_points(field, entry) -> Number:
    """Sum of the own score of every round that has one. Source: CBAI, Swiss teams."""
    return own_score(field, entry)


@metric("battle_points", "Battle points", "battle points made in all matches", "score", scores=True)
def battle_points(field, entry) -> Number:
    """Sum of the own score of every round that has one. Source: Games Workshop, organised play."""
    return own_score(field, entry)
