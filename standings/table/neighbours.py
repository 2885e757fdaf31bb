"""Why a player stands there, in words: the step that separates a row from the one above and the one below."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from standings.engine.ranking.deciding_step import SHARED, STAGE, DecidingStep, deciding_steps_of
from standings.table.cache import RankedEvent
from standings.table.sheet import columns_of


@dataclass(slots=True)
class Neighbour:
    """What separates a row from the one above or below, `code`: `where` it stands, and by which column.

    `mine` and `theirs` are the two values; without a deciding column `where` says all.
    """

    where: str
    code: str
    slug: str = ""
    column: str = ""
    mine: str = ""
    theirs: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        if not self.slug:
            return self.where
        return _("%(where)s on %(column)s: %(mine)s vs. %(theirs)s.") % {
            "where": self.where, "column": self.column, "mine": self.mine, "theirs": self.theirs,
        }  # fmt: skip


def neighbours_of(ranked_event: RankedEvent, code: str) -> list[Neighbour]:
    """What separates a row from the one above it and the one below it, in words."""
    upper, lower = deciding_steps_of(ranked_event.ranking, code)
    found = []
    if upper is not None:
        found.append(_neighbour(ranked_event, upper, upper.above, _("Below %(name)s"), (1, 0)))
    if lower is not None:
        found.append(_neighbour(ranked_event, lower, lower.below, _("Above %(name)s"), (0, 1)))
    return found


def _neighbour(
    ranked_event: RankedEvent, step: DecidingStep, other: str, words: str, order: tuple[int, int]
) -> Neighbour:
    where = words % {"name": ranked_event.names.get(other, other)}
    if step.why == STAGE:
        return Neighbour(_("%(where)s: only one of the two is in the later stage.") % {"where": where}, other)
    if step.why == SHARED:
        level = _("Tied with %(name)s on everything: the rank is shared.")
        return Neighbour(level % {"name": ranked_event.names.get(other, other)}, other)
    column = columns_of(ranked_event.ranking, all_of_them=True)[step.step]
    values = [step.values[place] for place in order]
    mine, theirs = (ranked_event.format(value, column.unit) for value in values)
    if mine == theirs:
        mine, theirs = (f"{text} ({value})" for text, value in zip((mine, theirs), values, strict=True))
    return Neighbour(where, other, column.slug, column.title, mine, theirs)
