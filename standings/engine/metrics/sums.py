"""Cumulative scores of an entry and of its opponents, and the value of a round in such sums.

A bye can have another value here than in the score. ClineCON counts an involuntary bye as 1 point for the entry and as
half a win for its opponents, and a voluntary one as nothing.
"""

from collections.abc import Mapping
from itertools import accumulate
from operator import mul

from standings.engine.metrics.flat import Numbers
from standings.engine.metrics.registry import term_metric
from standings.engine.metrics.terms import NO_ROUND, Term
from standings.engine.records import RoundRecord
from standings.engine.scoring import Number

UNPLAYED_WINS = frozenset({"bye", "awarded", "full", "forfeit_win"})


def round_worth(field, line: RoundRecord, bye_as: Mapping[str, Number]) -> Number:
    """Return a round's match points, or a bye's value in `bye_as`; "awarded" follows "bye" unless given."""
    kind = "bye" if line.kind == "awarded" and "awarded" not in bye_as else line.kind
    if kind in bye_as and line.opponent is None:
        return bye_as[kind]
    return field.scoring.match_points(line)


def twixt_byes(field) -> dict[str, Number]:
    """Return the values of byes in opponents' tiebreaks at ClineCON: half a win, or nothing if voluntary."""
    return {"bye": field.scoring.half_win, "half": 0, "zero": 0, "full": 0}


def _cumulatives(field, cut=0, deduct_unplayed_wins=False, bye_as=None) -> Numbers:
    flat = field.flat
    worths = flat.values_of_rounds(lambda alone, line: round_worth(alone, line, bye_as or {}))
    totals = [sum(list(accumulate(own))[cut:]) for own in flat.parts(worths.parts)]
    if deduct_unplayed_wins:
        won_unplayed = [line.kind in UNPLAYED_WINS for line in flat.examples]
        wins = list(map(mul, worths.parts, map(won_unplayed.__getitem__, flat.sorts)))
        totals = [total - sum(own) for total, own in zip(totals, flat.parts(wins), strict=True)]
    return Numbers(totals, worths.whole)


@term_metric("score", at_once=_cumulatives)
def cumulative(field, entry, *, cut=0, deduct_unplayed_wins=False, bye_as=None) -> list[Term]:
    """Sum of the running scores after each round of the record.

    `cut`: how many of the first running scores are dropped; `deduct_unplayed_wins`: without the points of unplayed wins
    (USCF); `bye_as`: values of byes by kind. Source: ClineCON, "Cumulative".
    """
    rounds = field.records[entry].rounds
    worths = [round_worth(field, line, bye_as or {}) for line in rounds]
    running = zip(rounds, accumulate(worths), strict=True)
    terms = [
        Term(line, None, "cut") if i < cut else Term(line, score) for i, (line, score) in enumerate(running)
    ]
    wins = [worth for line, worth in zip(rounds, worths, strict=True) if line.kind in UNPLAYED_WINS]
    if deduct_unplayed_wins and sum(wins):
        terms.append(Term(NO_ROUND, -sum(wins), label="unplayed_wins"))
    return terms


def _oppositions(field, bye_as=None) -> Numbers:
    column, flat = _cumulative_column(field, bye_as), field.flat
    met, _ = flat.values_met(column.numbers, lambda entry, line: [opponent_term(field, line, column)])
    return flat.totals(met)


@term_metric("score", inner="cumulative", at_once=_oppositions)
def cumulative_opposition(field, entry, *, bye_as=None) -> list[Term]:
    """Sum of the opponents' cumulative scores, their byes worth `bye_as`. Source: ClineCON."""
    column = _cumulative_column(field, bye_as)
    return [opponent_term(field, line, column) for line in field.records[entry].rounds]


def _cumulative_column(field, bye_as):
    return field.column("cumulative", {"bye_as": bye_as} if bye_as else {})


def opponent_term(field, line: RoundRecord, scores) -> Term:
    """Return the opponent's value in `scores`; for a house opponent by the ruleset's `house_contribution`."""
    if line.opponent is None:
        return Term(line, None, "no_opponent")
    contribution = field.scoring.house_contribution
    if field.records[line.opponent].house and contribution != "own":
        return (
            Term(line, None, "house_left_out") if contribution == "exclude" else Term(line, 0, "house_zero")
        )
    return Term(line, scores[line.opponent])
