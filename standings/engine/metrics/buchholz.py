"""Buchholz and its family: sums of the opponents' scores as four rules see them.

`fide` (adjusted scores, unplayed rounds against a dummy), `uscf` (an opponent's unplayed rounds are draws, own
ones opponents without points), `raw` (scores as they stand) and `twixt` (ClineCON's "Median").
"""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.counts import VOLUNTARY
from standings.engine.metrics.registry import UnknownMetric, metric
from standings.engine.metrics.sums import Share, seen, seen_in_twixt, worth
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number

RULES = ("fide", "uscf", "raw", "twixt")
PLAYED = frozenset({"played", "double_loss"})
REQUESTED = frozenset({"half", "zero", "full"})
CAPPED_SINCE = 2026  # the version of FIDE's rules that caps the dummy opponent of an unplayed round


def tail_of(rounds: list[RoundRecord]) -> int:
    """Index of the first round of the unbroken end of voluntarily unplayed rounds."""
    first = len(rounds)
    while first and rounds[first - 1].kind in VOLUNTARY:
        first -= 1
    return first


@metric("adjusted_score", "Adjusted score", "the score as opponents' sums see it", "score")
def adjusted_score(field, entry, *, rule="fide") -> Number:
    """An entry's score where it counts for others. Raises UnknownMetric for an unknown rule.

    FIDE: requested byes in the unbroken end of voluntarily unplayed rounds are draws. USCF: every unplayed
    round is a draw. Source: FIDE C.07; USCF 34E; ClineCON.
    """
    rounds, scoring = field.records[entry].rounds, field.scoring
    if rule == "raw":
        return scoring.points(field.records[entry])
    if rule == "twixt":
        bye_as = seen_in_twixt(field)
        return sum(worth(field, line, bye_as) for line in rounds)
    if rule == "uscf":
        return sum(scoring.match_points(line) if line.kind in PLAYED else scoring.draw for line in rounds)
    if rule != "fide":
        raise UnknownMetric(f"Unknown rule {rule!r} of Buchholz; known are {', '.join(RULES)}.")
    tail = tail_of(rounds)
    return sum(
        scoring.draw if i >= tail and line.kind in REQUESTED else scoring.match_points(line)
        for i, line in enumerate(rounds)
    )


def opponent_score(field, entry, line: RoundRecord, rule="fide", own_unplayed=None, version=2023,
                   forfeits_as_played=False) -> Share:  # fmt: skip
    """The score of the opponent of one round, or what stands for it where nothing was played."""
    scores = field.column("adjusted_score", {"rule": rule})
    by_play = rule in ("fide", "uscf") and not forfeits_as_played
    if line.opponent is not None and not (by_play and line.kind in FORFEIT_KINDS):
        return seen(field, line, scores)
    voluntary = rule == "fide" and line.kind in VOLUNTARY
    if own_unplayed == "exclude":
        return Share(line, None, "no opponent", voluntary)
    if (own_unplayed or ("zero" if rule == "uscf" else "self")) == "zero":
        return Share(line, 0, "", voluntary)
    if rule != "fide":
        return Share(line, scores[entry], "", voluntary)
    own = field.scoring.points(field.records[entry])
    if version >= CAPPED_SINCE:
        half = Fraction(field.rounds) * field.scoring.half_win
        own = min(own, half if line.opponent is None else scores[line.opponent])
    return Share(line, own, "", voluntary)


def buchholz_shares(
    field, entry, rule="fide", own_unplayed=None, version=2023, forfeits_as_played=False
) -> list[Share]:
    """What each round gives to Buchholz: the opponent's score, or for an own unplayed round what
    `own_unplayed` says: the entry's own score (self), 0 (zero) or nothing (exclude)."""
    if own_unplayed not in (None, "self", "zero", "exclude"):
        raise UnknownMetric(f"Unknown own_unplayed {own_unplayed!r} of Buchholz.")
    rounds = field.records[entry].rounds
    return [
        opponent_score(field, entry, line, rule, own_unplayed, version, forfeits_as_played) for line in rounds
    ]


def after_cuts(shares: list[Share], cut_low: int = 0, cut_high: int = 0) -> list[Share]:
    """The shares that count, without the lowest and highest; the lowest voluntary one goes before others."""
    kept = [share for share in shares if share.value is not None]
    for _ in range(cut_low):
        pool = [share for share in kept if share.voluntary] or kept
        if pool:
            kept.remove(min(pool, key=_value))
    for _ in range(cut_high):
        if kept:
            kept.remove(max(kept, key=_value))
    return kept


def _value(share: Share) -> Number:
    return share.value or 0


@metric("buchholz", "Buchholz", "sum of the opponents' scores", "score")
def buchholz(
    field, entry, *, rule="fide", own_unplayed=None, version=2023, cut_low=0, cut_high=0,
    forfeits_as_played=False,
) -> Number:  # fmt: skip
    """Sum of the opponents' scores by one of the four rules, without the lowest and highest so many.

    `own_unplayed` is self (uscf: zero) unless given; `version` is the year of FIDE's rules. Raises
    UnknownMetric for an unknown rule. Source: FIDE C.07, "BH"; ClineCON, "Median"; carddass.com.
    """
    shares = buchholz_shares(field, entry, rule, own_unplayed, version, forfeits_as_played)
    return sum(_value(share) for share in after_cuts(shares, cut_low, cut_high))


@metric("solkoff", "Solkoff", "sum of the opponents' scores, unplayed rounds of theirs worth a draw", "score")
def solkoff(field, entry) -> Number:
    """Buchholz by the USCF's rule; own unplayed rounds add nothing. Source: USCF 34E2."""
    return field.value("buchholz", entry, {"rule": "uscf"})


@metric(
    "modified_median",
    "Modified median",
    "Solkoff without the lowest (score above half), highest (below half) or both (half)",
    "score",
)
def modified_median(field, entry) -> Number:
    """Solkoff with a cut that depends on the own score against half of what could be won. Source: USCF 34E1."""
    score, half = field.scoring.points(field.records[entry]), Fraction(field.rounds) * field.scoring.half_win
    cuts = {"cut_low": int(score >= half), "cut_high": int(score <= half)}
    return field.value("buchholz", entry, {"rule": "uscf"} | cuts)


@metric("fore_buchholz", "Fore Buchholz", "Buchholz as if the last round had been drawn everywhere", "score")
def fore_buchholz(field, entry, *, cut_low=0, cut_high=0, version=2023, forfeits_as_played=False) -> Number:
    """Buchholz with the last round's played games and forfeits as draws; byes stay. Source: FIDE C.07, "FB"."""
    params = {"cut_low": cut_low, "cut_high": cut_high, "version": version}
    return field.fore.value("buchholz", entry, params | {"forfeits_as_played": forfeits_as_played})


@metric("avg_opp_buchholz", "Average opponents' Buchholz", "mean Buchholz of the opponents played", "score")
def avg_opp_buchholz(
    field, entry, *, cut_low=0, cut_high=0, version=2023, forfeits_as_played=False
) -> Number:
    """Mean over the rounds played; 0 without any. Source: FIDE C.07, "AOB"."""
    params = {"cut_low": cut_low, "cut_high": cut_high, "version": version}
    column = field.column("buchholz", params | {"forfeits_as_played": forfeits_as_played})
    counted = PLAYED | FORFEIT_KINDS if forfeits_as_played else PLAYED
    met = [line.opponent for line in field.records[entry].rounds if line.kind in counted]
    return Fraction(sum(column[opponent] for opponent in met), len(met)) if met else 0
