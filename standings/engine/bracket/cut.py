"""The cut: who advances from the Swiss rounds to the bracket, and the alternates."""

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple


class Cut(NamedTuple):
    qualifiers: list[str]
    alternates: list[str]


class CutRule(NamedTuple):
    """How many qualify: `size`, at least all with `min_points`; `all_tied`: also everyone tied with the last one."""

    size: int
    min_points: Fraction | None = None
    all_tied: bool = False


def cut(
    order: Iterable[str],
    size: int,
    *,
    passed_over: Collection[str] = (),
    persons: Mapping[str, str] | None = None,
    points: Mapping[str, Fraction] | None = None,
    min_points: Fraction | int | None = None,
    all_tied: bool = False,
) -> Cut:
    """Return the first `size` of `order` (entry ids, best first) that may qualify.

    `passed_over`: dropped, disqualified and house entries. `persons` ({entry: person}): a person takes one spot, by
    the better entry. With `min_points` everyone with at least that many `points` qualifies, and at least `size` in
    all (Limitless, "19 points, 32 players"); with `all_tied` also everyone with the points of the last one. If there
    are fewer than `size`, the bracket has byes.
    """
    persons = persons or {}
    eligible, seen = [], set()
    for entry in order:
        person = persons.get(entry, entry)
        if entry in passed_over or person in seen:
            continue
        seen.add(person)
        eligible.append(entry)
    points = points or {}
    if min_points is not None:
        size = max(size, sum(points.get(entry, 0) >= min_points for entry in eligible))
    if all_tied and 0 < size < len(eligible):
        last = points.get(eligible[size - 1], 0)
        size += sum(points.get(entry, 0) == last for entry in eligible[size:])
    return Cut(eligible[:size], eligible[size:])
