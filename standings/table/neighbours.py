"""What separates a row of the standings from the rows above and below it."""

from __future__ import annotations

from dataclasses import dataclass

from standings.engine.ranking.deciding_step import STEP, DecidingStep, deciding_steps_of
from standings.table.cache import RankedEvent
from standings.table.sheet import columns_of
from standings.words.neighbours import neighbour_in_words


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The row of `code` beside another row: what separates them, as a sentence.

    `is_below`: it stands below that row. `slug` and `column`: the deciding column, empty if none decides;
    `mine` and `theirs`: the two rows' values there.
    """

    code: str
    name: str
    is_below: bool
    sentence: str
    slug: str = ""
    column: str = ""
    mine: str = ""
    theirs: str = ""


def neighbours_of(ranked_event: RankedEvent, code: str) -> list[Neighbour]:
    """What separates a row from the one above it and the one below it. Raises KeyError without a row."""
    steps = deciding_steps_of(ranked_event.ranking, code)
    return [neighbour_of(ranked_event, step, code) for step in steps if step is not None]


def neighbour_of(ranked_event: RankedEvent, step: DecidingStep, code: str) -> Neighbour:
    """The other row of the two that a step separates, beside that of `code`."""
    is_below = step.above == code
    other = step.below if is_below else step.above
    name = ranked_event.names.get(other, other)
    if step.why != STEP:
        return Neighbour(other, name, is_below, neighbour_in_words(name, is_below, step.why))
    column = columns_of(ranked_event.ranking, all_of_them=True)[step.step]
    values = step.values if is_below else step.values[::-1]
    mine, theirs = (ranked_event.format(value, column.unit) for value in values)
    if mine == theirs:
        mine, theirs = (f"{text} ({value})" for text, value in zip((mine, theirs), values, strict=True))
    sentence = neighbour_in_words(name, is_below, step.why, column.title, mine, theirs)
    return Neighbour(other, name, is_below, sentence, column.slug, column.title, mine, theirs)
