"""Match points before a round. The standings app computes them and registers its function."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from tournament.event.types import Event

PointsBefore = Callable[[Event, int], Mapping[str, Fraction]]
_compute: PointsBefore


def register_points(compute: PointsBefore) -> None:
    global _compute
    _compute = compute


def points_before(event: Event, number: int) -> Mapping[str, Fraction]:
    """Return {code: match points brought into round `number`}; into a bracket round, the Swiss points."""
    return _compute(event, number)
