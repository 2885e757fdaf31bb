"""Sums over rounds and over opponents' scores: cumulative scores and Buchholz.

A bye may be worth another number here than in the score: ClineCON counts an involuntary bye as 1 point for
the entry and as half a win where opponents look at it, and a voluntary one as nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from standings.engine.metrics.registry import UnknownMetric, metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number

UNPLAYED_WINS = frozenset({"bye", "awarded", "full", "forfeit_win"})


class Share(NamedTuple):
    """What one round adds to a sum over opponents. `left_out` says in words why it adds nothing (None)."""

    round: RoundRecord
    value: Number | None
    left_out: str = ""


def worth(field, line: RoundRecord, bye_as: Mapping[str, Number]) -> Number:
    """Match points of a round with byes revalued; an awarded bye follows `bye` unless it is named."""
    kind = "bye" if line.kind == "awarded" and "awarded" not in bye_as else line.kind
    if kind in bye_as and line.opponent is None:
        return bye_as[kind]
    return field.scoring.match_points(line)


def seen_in_twixt(field) -> dict[str, Number]:
    """Byes as opponents' tiebreaks see them at ClineCON: involuntary half a win, voluntary nothing."""
    return {"bye": field.scoring.half_win, "half": 0, "zero": 0, "full": 0}


@metric("cumulative", "Cumulative", "score after round 1 + score after round 2 + …", "score")
def cumulative(field, entry, *, cut=0, deduct_unplayed_wins=False, bye_as=None) -> Number:
    """Sum of the running scores after each round of the record.

    `cut` drops the first so many running scores; `deduct_unplayed_wins` takes off the points of each win
    nobody played for (USCF); `bye_as` revalues byes by kind. Source: ClineCON, "Cumulative".
    """
    rounds = field.records[entry].rounds
    points = [worth(field, line, bye_as or {}) for line in rounds]
    total = sum(list(accumulate(points))[cut:])
    if deduct_unplayed_wins:
        total -= sum(p for p, line in zip(points, rounds, strict=True) if line.kind in UNPLAYED_WINS)
    return total


def cumulative_shares(field, entry, bye_as=None) -> list[Share]:
    """What each round gives to the cumulative of opponents."""
    column = field.column("cumulative", {"bye_as": bye_as} if bye_as else {})
    return [
        Share(line, None, "no opponent") if line.opponent is None else _seen(field, line, column)
        for line in field.records[entry].rounds
    ]


@metric("cumulative_opposition", "Cumulative of opponents", "sum of the opponents' cumulatives", "score")
def cumulative_opposition(field, entry, *, bye_as=None) -> Number:
    """Sum of the opponents' cumulative scores, their byes worth `bye_as`. Source: ClineCON."""
    return sum(share.value for share in cumulative_shares(field, entry, bye_as) if share.value is not None)


def _seen(field, line: RoundRecord, scores) -> Share:
    """The opponent's entry in `scores`; a house opponent by the ruleset's `house_contribution`."""
    contribution = field.scoring.house_contribution
    if field.records[line.opponent].house and contribution != "own":
        return Share(line, 0) if contribution == "zero" else Share(line, None, "house opponent, not counted")
    return Share(line, scores[line.opponent])


class _Scores:
    """Opponents' scores as a rule of Buchholz sees them, by entry id."""

    def __init__(self, field, rule: str):
        if rule not in ("raw", "twixt"):
            raise UnknownMetric(f"Unknown metric 'buchholz' with the rule {rule!r}.")
        self._field = field
        self._bye_as = seen_in_twixt(field) if rule == "twixt" else {}

    def __getitem__(self, entry: str) -> Number:
        return sum(worth(self._field, line, self._bye_as) for line in self._field.records[entry].rounds)


def buchholz_shares(field, entry, rule="fide", own_unplayed="self") -> list[Share]:
    """What each round gives to Buchholz: the opponent's score, or for an own unplayed round what
    `own_unplayed` says: the entry's own score (self), 0 (zero) or nothing (exclude)."""
    if own_unplayed not in ("self", "zero", "exclude"):
        raise UnknownMetric(f"Unknown own_unplayed {own_unplayed!r} of Buchholz.")
    scores = _Scores(field, rule)
    shares = []
    for line in field.records[entry].rounds:
        if line.opponent is not None:
            shares.append(_seen(field, line, scores))
        elif own_unplayed == "exclude":
            shares.append(Share(line, None, "no opponent"))
        else:
            shares.append(Share(line, scores[entry] if own_unplayed == "self" else 0))
    return shares


@metric("buchholz", "Buchholz", "sum of the opponents' scores", "score")
def buchholz(field, entry, *, rule="fide", own_unplayed="self", cut_low=0, cut_high=0) -> Number:
    """Sum of the opponents' scores, without the `cut_low` lowest and the `cut_high` highest.

    Rules known: `raw` (scores as they stand) and `twixt` (ClineCON's "Median": byes as in `seen_in_twixt`).
    Raises UnknownMetric for another. Source: ClineCON, "Median".
    """
    shares = buchholz_shares(field, entry, rule, own_unplayed)
    values = sorted(share.value for share in shares if share.value is not None)
    return sum(values[cut_low : max(len(values) - cut_high, cut_low)])
