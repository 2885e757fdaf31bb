"""The step that puts one entry above another: the first at which they differ."""

from fractions import Fraction
from typing import NamedTuple

from standings.engine.ranking.rank import Ranking

STEP, STAGE, SHARED = "step", "stage", "shared"


class DecidingStep(NamedTuple):
    """Why `above` stands above `below`. `why`: STEP, STAGE (a later stage of the event) or SHARED (the rank is).

    `step`: the index of the step in the ranking; `values`: those of `above` and `below` there, if a step decided.
    """

    above: str
    below: str
    why: str
    step: int = 0
    values: tuple[Fraction, ...] = ()


def deciding_step_of(ranking: Ranking, above: str, below: str) -> DecidingStep:
    """What separates two entries of which `above` stands before `below`. Raises KeyError for one without a row."""
    if ranking.views[above].tier != ranking.views[below].tier:
        return DecidingStep(above, below, STAGE)
    mine, theirs = ranking.row(above).values, ranking.row(below).values
    for step in range(len(ranking.steps)):
        if mine[step] != theirs[step]:
            return DecidingStep(above, below, STEP, step, (mine[step], theirs[step]))
    return DecidingStep(above, below, SHARED)


def deciding_steps_of(ranking: Ranking, entry: str) -> tuple[DecidingStep | None, DecidingStep | None]:
    """What separates an entry from the row above it and from the row below it; None at either end.

    Raises KeyError for an entry without a row.
    """
    ranking.row(entry)
    order = ranking.order
    at = order.index(entry)
    upper = deciding_step_of(ranking, order[at - 1], entry) if at else None
    lower = deciding_step_of(ranking, entry, order[at + 1]) if at + 1 < len(order) else None
    return upper, lower
