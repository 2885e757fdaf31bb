"""McMahon scores and the sums of opponents' scores built on them. Source of all: EGF tournament system rules.

An unpaired round has no opponent; with `unpaired` "start" it adds the entry's own score at the start, as if
somebody of that score had been met (McMahon), with "zero" nothing (Swiss).
"""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.registry import UnknownMetric, metric
from standings.engine.scoring import Number


@metric("mms", "McMahon score", "score at the start + points", "points")
def mms(field, entry, *, start=0) -> Number:
    """The start score, `start` where the entry has none, and the points of every round. Source: EGF."""
    return (field.records[entry].start or start) + field.scoring.points(field.records[entry])


@metric("sos", "SOS", "sum of the opponents' McMahon scores", "score")
def sos(field, entry, *, unpaired="zero", start=0) -> Number:
    """Sum of opponents' scores. Raises UnknownMetric for another `unpaired`. Source: EGF."""
    if unpaired not in ("zero", "start"):
        raise UnknownMetric(f"Unknown way {unpaired!r} to count an unpaired round.")
    column = field.column("mms", {"start": start})
    own = (field.records[entry].start or start) if unpaired == "start" else 0
    rounds = field.records[entry].rounds
    return sum(own if line.opponent is None else column[line.opponent] for line in rounds)


@metric("sosos", "SOSOS", "sum of the opponents' SOS", "score")
def sosos(field, entry, *, unpaired="zero", start=0) -> Number:
    """Sum of opponents' sums; an unpaired round adds nothing here. Source: EGF."""
    column = field.column("sos", {"unpaired": unpaired, "start": start})
    return sum(column[line.opponent] for line in field.records[entry].rounds if line.opponent is not None)


@metric("sodos", "SODOS", "sum of the McMahon scores of those defeated, half of those drawn with", "score")
def sodos(field, entry, *, start=0) -> Number:
    """Sum of defeated opponents' scores, as in Sonneborn-Berger. Source: EGF."""
    column = field.column("mms", {"start": start})
    parts = {"W": Fraction(1), "D": Fraction(1, 2), "L": Fraction(0)}
    rounds = field.records[entry].rounds
    return sum(parts[line.outcome] * column[line.opponent] for line in rounds if line.opponent is not None)
