"""The step that put one entry above another: the first at which they differ."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from standings.engine.ranking.rank import Ranking

STEP, STAGE, SHARED = "step", "stage", "shared"


class Between(NamedTuple):
    """Why `above` stands above `below`. `why`: a step, a later stage of the event, or nothing: they share the rank.

    `step` is its place in the ranking; `values` are those of `above` and `below` there (empty unless
    a step decided).
    """

    above: str
    below: str
    why: str
    step: int = 0
    values: tuple[Fraction, ...] = ()


def between(ranking: Ranking, above: str, below: str) -> Between:
    """What separates two entries, `above` standing before `below`. Raises KeyError for one that is not ranked."""
    if ranking.views[above].tier != ranking.views[below].tier:
        return Between(above, below, STAGE)
    mine, theirs = ranking.row(above).values, ranking.row(below).values
    for step in range(len(ranking.steps)):
        if mine[step] != theirs[step]:
            return Between(above, below, STEP, step, (mine[step], theirs[step]))
    return Between(above, below, SHARED)


def neighbours(ranking: Ranking, entry: str) -> tuple[Between | None, Between | None]:
    """What separates an entry from the row above it, and from the row below it; None at either end.

    Raises KeyError for an entry that is not ranked.
    """
    ranking.row(entry)
    order = ranking.order
    at = order.index(entry)
    upper = between(ranking, order[at - 1], entry) if at else None
    lower = between(ranking, entry, order[at + 1]) if at + 1 < len(order) else None
    return upper, lower
