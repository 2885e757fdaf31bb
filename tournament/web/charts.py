"""Pictures of numbers as inline SVG: from values to places, in shares of the width and height. Plain functions.

A picture has its numbers as a table beside it; places are rounded texts, and nothing is computed from them.
"""

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

# Minutes between the ticks of a time axis.
STEPS = (1, 2, 5, 10, 15, 20, 30, 60, 120, 240, 480, 1440, 2880, 10080)
MOST_TICKS = 6


class Tick(NamedTuple):
    """A mark at an axis: its place in percent, and its label."""

    at: str
    label: str


class Bar(NamedTuple):
    """A part of a stacked bar: where it begins and how wide it is, in percent; `kind`: a CSS class."""

    kind: str
    at: str
    width: str
    middle: str
    label: str


class Line(NamedTuple):
    """A line: its points in a box of 1000 by 1000; `kind`: a CSS class."""

    kind: str
    points: str


def percent(value: float, most: float) -> str:
    """The place of a value on an axis from 0 to `most`: "37.5%"."""
    return f"{100 * value / most if most else 0:.2f}%"


def steps(entered: Sequence[float], total: int, most: float) -> str:
    """Points of a line that goes up by one part of `total` at each of these times, on an axis up to `most`.

    It begins at time 0 and goes straight from one to the next.
    """
    places = [(0.0, 0), *((max(at, 0.0), number) for number, at in enumerate(entered, start=1))]
    return points((at / most, number / total) for at, number in places) if most and total else ""


def points(shares: Iterable[tuple[float, float]]) -> str:
    """An SVG list of points of (share of the width from the left, share of the height from below)."""
    return " ".join(f"{1000 * x:.1f},{1000 - 1000 * y:.1f}" for x, y in shares)


def time_ticks(start: dt.datetime, minutes: float) -> list[tuple[float, dt.datetime]]:
    """(minutes from the start, time) of the round times of day in that span: at most six."""
    step = next((step for step in STEPS if minutes / step <= MOST_TICKS), STEPS[-1])
    midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
    since = (start - midnight) / dt.timedelta(minutes=1)
    first = math.ceil(since / step) * step
    count = math.floor((since + minutes - first) / step) + 1
    moments = ((first + number * step, midnight) for number in range(max(count, 0)))
    return [(at - since, day + dt.timedelta(minutes=at)) for at, day in moments]


def count_ticks(most: int) -> list[int]:
    """Whole numbers from 0 to `most`, about five, `most` always among them."""
    step = max(math.ceil(most / 4), 1)
    return [*range(0, max(most - step // 2, 1), step), most] if most else [0]


def stacked(parts: Sequence[tuple[str, float]], most: float) -> list[Bar]:
    """The parts of one bar, (kind, length) each, on an axis up to `most`; those of no length are left out."""
    bars, at = [], 0.0
    for kind, length in parts:
        if length > 0 and most:
            label = str(round(length)) if length >= most / 30 else ""
            bars.append(
                Bar(kind, percent(at, most), percent(length, most), percent(at + length / 2, most), label)
            )
        at += length
    return bars
