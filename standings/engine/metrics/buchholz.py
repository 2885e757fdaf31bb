"""Buchholz and its family: sums of the opponents' scores by one of four rules.

`fide` (adjusted scores, unplayed rounds against a dummy opponent), `uscf` (an opponent's unplayed rounds count as
draws, own ones as opponents without points), `raw` (scores as they are) and `twixt` (ClineCON's "Median").
"""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.bulk.flat import PLAYED
from standings.engine.metrics.counts import VOLUNTARY
from standings.engine.metrics.params import RULES
from standings.engine.metrics.registry import UnknownMetric, metric
from standings.engine.metrics.sums import Share, opponent_share, twixt_byes, worth_of
from standings.engine.records import FORFEIT_KINDS, RoundRecord
from standings.engine.scoring import Number

REQUESTED = frozenset({"half", "zero", "full"})
CAPPED_SINCE = 2026  # the version of FIDE's rules that caps the dummy opponent of an unplayed round


def tail_of(rounds: list[RoundRecord]) -> int:
    """Index of the first of the voluntarily unplayed rounds at the end, which no played round interrupts."""
    first = len(rounds)
    while first and rounds[first - 1].kind in VOLUNTARY:
        first -= 1
    return first


@metric("score")
def adjusted_score(field, entry, *, rule="fide") -> Number:
    """An entry's score as it counts for its opponents. Raises UnknownMetric for an unknown rule.

    FIDE: requested byes among the voluntarily unplayed rounds at the end count as draws. USCF: every unplayed
    round counts as a draw. Source: FIDE C.07; USCF 34E; ClineCON.
    """
    return sum(value for _, value in adjusted_worths(field, entry, rule))


def adjusted_worths(field, entry, rule="fide") -> list[tuple[RoundRecord, Number]]:
    """What every round of an entry is worth to its opponents."""
    rounds, scoring = field.records[entry].rounds, field.scoring
    if rule == "raw":
        return [(line, scoring.match_points(line)) for line in rounds]
    if rule == "twixt":
        bye_as = twixt_byes(field)
        return [(line, worth_of(field, line, bye_as)) for line in rounds]
    if rule == "uscf":
        return [
            (line, scoring.match_points(line) if line.kind in PLAYED else scoring.draw) for line in rounds
        ]
    if rule != "fide":
        raise UnknownMetric(f"Unknown Buchholz rule {rule!r}. Known rules: {', '.join(RULES)}.")
    tail = tail_of(rounds)
    return [
        (line, scoring.draw if i >= tail and line.kind in REQUESTED else scoring.match_points(line))
        for i, line in enumerate(rounds)
    ]


def opponent_scores(
    field, entry, rule="fide", own_unplayed=None, version=2023, forfeits_as_played=False
) -> list[Share]:
    """Round by round the opponent's score, or what counts instead if nothing was played."""
    scores = field.column("adjusted_score", {"rule": rule})
    rules = (rule, own_unplayed, version, forfeits_as_played)
    return [opponent_score(field, entry, line, scores, *rules) for line in field.records[entry].rounds]


def opponent_score(
    field, entry, line: RoundRecord, scores, rule: str, own_unplayed, version: int, forfeits_as_played: bool
) -> Share:
    """What one round adds; `scores` is the column of adjusted scores by `rule`."""
    by_play = rule in ("fide", "uscf") and not forfeits_as_played
    if line.opponent is not None and not (by_play and line.kind in FORFEIT_KINDS):
        return opponent_share(field, line, scores)
    voluntary = rule == "fide" and line.kind in VOLUNTARY
    if own_unplayed == "exclude":
        return Share(line, None, "no_opponent", voluntary)
    if (own_unplayed or ("zero" if rule == "uscf" else "self")) == "zero":
        return Share(line, 0, "", voluntary, "zero_instead")
    if rule != "fide":
        return Share(line, scores[entry], "", voluntary, "own_score")
    own = field.column("match_points")[entry]
    if version < CAPPED_SINCE:
        return Share(line, own, "", voluntary, "own_score")
    most = half_of_maximum(field) if line.opponent is None else scores[line.opponent]
    instead = "own_score_capped" if most < own else "own_score"
    return Share(line, min(own, most), "", voluntary, instead)


def check_own_unplayed(own_unplayed=None, **others) -> None:
    """Raise UnknownMetric for an unknown `own_unplayed`; `others` are checked where they are used."""
    if own_unplayed not in (None, "self", "zero", "exclude"):
        raise UnknownMetric(f"Unknown own_unplayed {own_unplayed!r} of Buchholz.")


def buchholz_shares(
    field, entry, rule="fide", own_unplayed=None, version=2023, forfeits_as_played=False
) -> list[Share]:
    """What each round adds to Buchholz: the opponent's score, or for an own unplayed round by `own_unplayed`
    the entry's own score (self), 0 (zero) or nothing (exclude). Raises UnknownMetric."""
    check_own_unplayed(own_unplayed=own_unplayed)
    return opponent_scores(field, entry, rule, own_unplayed, version, forfeits_as_played)


def cut_shares(shares: list[Share], cut_low: int = 0, cut_high: int = 0) -> list[Share]:
    """The shares that count, without the lowest and highest; the lowest voluntary one is left out first."""
    counted = [share for share in shares if share.value is not None]
    for _ in range(cut_low):
        pool = [share for share in counted if share.voluntary] or counted
        if pool:
            counted.remove(min(pool, key=_value))
    for _ in range(cut_high):
        if counted:
            counted.remove(max(counted, key=_value))
    return counted


def _value(share: Share) -> Number:
    return share.value or 0


@metric("score")
def buchholz(
    field, entry, *, rule="fide", own_unplayed=None, version=2023, cut_low=0, cut_high=0,
    forfeits_as_played=False,
) -> Number:  # fmt: skip
    """Sum of the opponents' scores by one of the four rules.

    `cut_low` and `cut_high`: how many of the lowest and highest are left out. `own_unplayed`: by default self
    (uscf: zero). `version`: the year of FIDE's rules. Raises UnknownMetric for an unknown rule.
    Source: FIDE C.07, "BH"; ClineCON, "Median"; carddass.com.
    """
    shares = buchholz_shares(field, entry, rule, own_unplayed, version, forfeits_as_played)
    return sum(_value(share) for share in cut_shares(shares, cut_low, cut_high))


@metric("score")
def solkoff(field, entry) -> Number:
    """Buchholz by the USCF's rule; own unplayed rounds add nothing. Source: USCF 34E2."""
    return field.value("buchholz", entry, {"rule": "uscf"})


@metric("score")
def modified_median(field, entry) -> Number:
    """Solkoff with cuts that depend on the own score: above, at or below half of the maximum. Source: USCF 34E1."""
    return field.value("buchholz", entry, {"rule": "uscf"} | median_cuts(field, entry))


def median_cuts(field, entry) -> dict[str, int]:
    """The cuts of the modified median for an entry."""
    return median_cuts_at(field.value("match_points", entry), half_of_maximum(field))


def half_of_maximum(field) -> Fraction:
    """Half of the points that could be won in all rounds."""
    return Fraction(field.rounds) * field.scoring.half_win


def median_cuts_at(score: Number, half: Number) -> dict[str, int]:
    """The lowest is left out from half of the maximum up, the highest from half down."""
    return {"cut_low": int(score >= half), "cut_high": int(score <= half)}


@metric("score")
def fore_buchholz(field, entry, *, cut_low=0, cut_high=0, version=2023, forfeits_as_played=False) -> Number:
    """Buchholz with the last round's pairings as draws; byes stay as they are. Source: FIDE C.07, "FB"."""
    params = {"cut_low": cut_low, "cut_high": cut_high, "version": version}
    return field.fore.value("buchholz", entry, params | {"forfeits_as_played": forfeits_as_played})


@metric("score")
def avg_opp_buchholz(
    field, entry, *, cut_low=0, cut_high=0, version=2023, forfeits_as_played=False
) -> Number:
    """Mean over the rounds played; 0 without any. Source: FIDE C.07, "AOB"."""
    params = {"cut_low": cut_low, "cut_high": cut_high, "version": version}
    column = field.column("buchholz", params | {"forfeits_as_played": forfeits_as_played})
    met = [line.opponent for line in rounds_met(field, entry, forfeits_as_played)]
    return Fraction(sum(column[opponent] for opponent in met), len(met)) if met else 0


def rounds_met(field, entry, forfeits_as_played=False) -> list[RoundRecord]:
    """The rounds played against an opponent, with `forfeits_as_played` forfeits too."""
    kinds = PLAYED | FORFEIT_KINDS if forfeits_as_played else PLAYED
    return [line for line in field.records[entry].rounds if line.kind in kinds]
