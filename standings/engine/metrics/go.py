"""McMahon scores and the sums of opponents' scores built on them. Source of all: EGF tournament system rules.

An unpaired round has no opponent. With `unpaired` "start" it adds the entry's own starting score, as if the opponent
had that score (McMahon); with "zero" it adds nothing (Swiss).
"""

from fractions import Fraction

from standings.engine.metrics.registry import metric, round_metric
from standings.engine.metrics.terms import NO_ROUND, Term
from standings.engine.scoring import Number

PART = {"W": Fraction(1), "D": Fraction(1, 2), "L": Fraction(0)}  # of a win, by outcome


def mms_terms(field, entry, start=0) -> list[Term]:
    record = field.records[entry]
    points = [Term(line, field.scoring.match_points(line)) for line in record.rounds]
    return [Term(NO_ROUND, record.start or start, label="start"), *points]


@metric("points", terms=mms_terms)
def mms(field, entry, *, start=0) -> Number:
    """The starting score (`start` if the entry has none) plus the points of every round. Source: EGF."""
    record = field.records[entry]
    return (record.start or start) + field.scoring.points(record)


@round_metric("score", inner="mms")
def sos(field, entry, line, *, unpaired="zero", start=0) -> Number | Term:
    """Sum of opponents' scores. Source: EGF."""
    if line.opponent is not None:
        return field.value("mms", line.opponent, {"start": start})
    return Term(line, field.records[entry].start or start, "own_start") if unpaired == "start" else 0


@round_metric("score", inner="sos")
def sosos(field, entry, line, *, unpaired="zero", start=0) -> Number | None:
    """Sum of the opponents' SOS; an unpaired round adds nothing here. Source: EGF."""
    if line.opponent is None:
        return None
    return field.value("sos", line.opponent, {"unpaired": unpaired, "start": start})


@round_metric("score", inner="mms")
def sodos(field, entry, line, *, start=0) -> Term | None:
    """Sum of defeated opponents' scores, as in Sonneborn-Berger. Source: EGF."""
    if line.opponent is None:
        return None
    part, score = PART[line.outcome], field.value("mms", line.opponent, {"start": start})
    return Term(line, part * score, times=(part, score))
