"""Cumulative scores, of an entry and of its opponents, and what a round is worth in such sums.

A bye may have another value here than in the score: ClineCON counts an involuntary bye as 1 point for the entry
and as half a win for its opponents, and a voluntary one as nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import NamedTuple

from standings.engine.metrics.registry import metric
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number

UNPLAYED_WINS = frozenset({"bye", "awarded", "full", "forfeit_win"})


class Share(NamedTuple):
    """What one round adds to a sum over opponents. `left_out`: the code of why it adds nothing (None).

    `voluntary`: an unplayed round of the entry's own choice, which FIDE's cuts remove first. `instead`: the
    code of what counts instead of an opponent's score. Codes: `standings.words.explanation`.
    """

    round: RoundRecord
    value: Number | None
    left_out: str = ""
    voluntary: bool = False
    instead: str = ""


def worth_of(field, line: RoundRecord, bye_as: Mapping[str, Number]) -> Number:
    """Match points of a round, or of a bye its value in `bye_as`; "awarded" follows "bye" unless given."""
    kind = "bye" if line.kind == "awarded" and "awarded" not in bye_as else line.kind
    if kind in bye_as and line.opponent is None:
        return bye_as[kind]
    return field.scoring.match_points(line)


def twixt_byes(field) -> dict[str, Number]:
    """Values of byes in opponents' tiebreaks at ClineCON: involuntary half a win, voluntary nothing."""
    return {"bye": field.scoring.half_win, "half": 0, "zero": 0, "full": 0}


@metric("score")
def cumulative(field, entry, *, cut=0, deduct_unplayed_wins=False, bye_as=None) -> Number:
    """Sum of the running scores after each round of the record.

    `cut`: how many of the first running scores are left out; `deduct_unplayed_wins`: without the points of
    unplayed wins (USCF); `bye_as`: values of byes by kind. Source: ClineCON, "Cumulative".
    """
    total = sum(share.value for share in running_shares(field, entry, cut, bye_as) if share.value is not None)
    return total - unplayed_wins(field, entry, bye_as) if deduct_unplayed_wins else total


def running_shares(field, entry, cut=0, bye_as=None) -> list[Share]:
    """The running score after each round; the first `cut` are left out."""
    rounds = field.records[entry].rounds
    running = accumulate(worth_of(field, line, bye_as or {}) for line in rounds)
    return [
        Share(line, None, "cut") if i < cut else Share(line, score)
        for i, (line, score) in enumerate(zip(rounds, running, strict=True))
    ]


def unplayed_wins(field, entry, bye_as=None) -> Number:
    """The points of all unplayed wins."""
    rounds = field.records[entry].rounds
    return sum(worth_of(field, line, bye_as or {}) for line in rounds if line.kind in UNPLAYED_WINS)


def cumulative_shares(field, entry, bye_as=None) -> list[Share]:
    """What each round adds to the cumulative of opponents."""
    column = field.column("cumulative", {"bye_as": bye_as} if bye_as else {})
    return [
        Share(line, None, "no_opponent") if line.opponent is None else opponent_share(field, line, column)
        for line in field.records[entry].rounds
    ]


@metric("score")
def cumulative_opposition(field, entry, *, bye_as=None) -> Number:
    """Sum of the opponents' cumulative scores, their byes worth `bye_as`. Source: ClineCON."""
    return sum(share.value for share in cumulative_shares(field, entry, bye_as) if share.value is not None)


def opponent_share(field, line: RoundRecord, scores) -> Share:
    """The opponent's value in `scores`; that of a house opponent by the ruleset's `house_contribution`."""
    contribution = field.scoring.house_contribution
    if field.records[line.opponent].house and contribution != "own":
        if contribution == "exclude":
            return Share(line, None, "house_left_out")
        return Share(line, 0, instead="house_zero")
    return Share(line, scores[line.opponent])
