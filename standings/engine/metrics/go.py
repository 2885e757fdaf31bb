"""McMahon scores and the sums of opponents' scores built on them. Source of all: EGF tournament system rules.

An unpaired round has no opponent; with `unpaired` "start" it adds the entry's own starting score, as if the
opponent had that score (McMahon), with "zero" nothing (Swiss).
"""

from __future__ import annotations

from fractions import Fraction

from standings.engine.metrics.registry import UnknownMetric, metric, round_metric
from standings.engine.scoring import Number

PART = {"W": Fraction(1), "D": Fraction(1, 2), "L": Fraction(0)}  # of a win, by outcome


@metric("points")
def mms(field, entry, *, start=0) -> Number:
    """The starting score, `start` if the entry has none, and the points of every round. Source: EGF."""
    return start_of(field, entry, start) + field.scoring.points(field.records[entry])


def start_of(field, entry, start: Number = 0) -> Number:
    """The starting score of an entry; `start` if it has none."""
    return field.records[entry].start or start


@round_metric("score")
def sos(field, entry, line, *, unpaired="zero", start=0) -> Number:
    """Sum of opponents' scores. Raises UnknownMetric for another `unpaired`. Source: EGF."""
    if unpaired not in ("zero", "start"):
        raise UnknownMetric(f"Unknown way to count an unpaired round: {unpaired!r}.")
    if line.opponent is not None:
        return field.value("mms", line.opponent, {"start": start})
    return start_of(field, entry, start) if unpaired == "start" else 0


@round_metric("score")
def sosos(field, entry, line, *, unpaired="zero", start=0) -> Number | None:
    """Sum of opponents' sums; an unpaired round adds nothing here. Source: EGF."""
    if line.opponent is None:
        return None
    return field.value("sos", line.opponent, {"unpaired": unpaired, "start": start})


@round_metric("score")
def sodos(field, entry, line, *, start=0) -> Number | None:
    """Sum of defeated opponents' scores, as in Sonneborn-Berger. Source: EGF."""
    if line.opponent is None:
        return None
    return PART[line.outcome] * field.value("mms", line.opponent, {"start": start})
