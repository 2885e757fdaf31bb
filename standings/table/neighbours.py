"""Why a player stands there, in words: what separates a row from the one above and the one below."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from standings.engine.ranking.deciding_step import SHARED, STEP, DecidingStep, deciding_steps_of
from standings.table.cache import RankedEvent
from standings.table.sheet import columns_of


@dataclass(frozen=True, slots=True)
class Neighbour:
    """What separates a row from its neighbour `code`: the row stands `below` it, or above it.

    `mine` and `theirs`: the two values in the deciding column; without such a column `reason` says why.
    """

    code: str
    name: str
    below: bool
    reason: str = ""
    slug: str = ""
    column: str = ""
    mine: str = ""
    theirs: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        if self.reason:
            return self.reason
        words = (
            _("Below %(name)s on %(column)s: %(mine)s vs. %(theirs)s.")
            if self.below
            else _("Above %(name)s on %(column)s: %(mine)s vs. %(theirs)s.")
        )
        values = {"name": self.name, "column": self.column, "mine": self.mine, "theirs": self.theirs}
        return words % values


def neighbours_of(ranked_event: RankedEvent, code: str) -> list[Neighbour]:
    """The row above and the row below, with what separates each, in words."""
    upper, lower = deciding_steps_of(ranked_event.ranking, code)
    above = [_neighbour(ranked_event, upper, upper.above, below=True)] if upper else []
    return above + ([_neighbour(ranked_event, lower, lower.below, below=False)] if lower else [])


def _neighbour(ranked_event: RankedEvent, step: DecidingStep, code: str, *, below: bool) -> Neighbour:
    name = ranked_event.names[code]
    if step.why == SHARED:
        words = _("Tied with %(name)s on everything: the rank is shared.")
    elif below:
        words = _("Below %(name)s: only one of the two is in the later stage.")
    else:
        words = _("Above %(name)s: only one of the two is in the later stage.")
    if step.why != STEP:
        return Neighbour(code, name, below, words % {"name": name})
    column = columns_of(ranked_event.ranking, all_of_them=True)[step.step]
    values = step.values[::-1] if below else step.values
    mine, theirs = (ranked_event.format(value, column.unit) for value in values)
    if mine == theirs:
        mine, theirs = (f"{text} ({value})" for text, value in zip((mine, theirs), values, strict=True))
    return Neighbour(code, name, below, "", column.slug, column.title, mine, theirs)
