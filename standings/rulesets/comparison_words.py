"""A comparison of two rulesets in words: who enters or leaves the cut and why, whose rank changes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from standings.engine.metrics import METRICS
from standings.engine.ranking.chain import RankingStep
from standings.rulesets.comparison import Comparison, CutSwap, DecidingValue, RankChange
from standings.words.formats import format_value
from standings.words.metrics import title_of_step

DATA = {
    "score": gettext_lazy("the points scored in matches"),
    "game_order": gettext_lazy("the order of the games"),
    "first": gettext_lazy("who moved first"),
    "rating": gettext_lazy("ratings"),
    "outside": gettext_lazy("values measured outside the matches"),
}
NO_RANK = "–"


class CutChange(NamedTuple):
    """One player replaced by another in the cut: who and why."""

    sentence: str
    before: str  # what decided the opposite


class RankChangeWords(NamedTuple):
    name: str
    before: str
    after: str


def missing_in_words(missing: list[tuple[RankingStep, str]]) -> str:
    """Explain why an order cannot be used on an event: the first step that lacks data."""
    step, data = missing[0]
    words = _("%(title)s needs %(data)s, which this event does not record.")
    return words % {"title": title_of_step(step), "data": str(DATA[data])}


def cut_changes_in_words(
    comparison: Comparison, names: Mapping[str, str], display: Mapping[str, Any]
) -> list[CutChange]:
    return [
        CutChange(_swap_in_words(swap, comparison.size, names, display), reason_in_words(swap.then, display))
        for swap in comparison.swaps
    ]


def _swap_in_words(swap: CutSwap, size: int, names: Mapping[str, str], display: Mapping[str, Any]) -> str:
    sides = (
        (swap.into, _("%(name)s enters the top %(size)s (rank %(after)s, was %(before)s)")),
        (swap.out, _("%(name)s leaves the top %(size)s (rank %(after)s, was %(before)s)")),
    )
    text = "; ".join(
        words % {**_rank_change(side, names)._asdict(), "size": size} for side, words in sides if side
    )
    reason = reason_in_words(swap.now, display)
    return f"{text}: {reason}." if reason else f"{text}."


def rank_changes_in_words(comparison: Comparison, names: Mapping[str, str]) -> list[RankChangeWords]:
    return [_rank_change(move, names) for move in comparison.moves]


def _rank_change(change: RankChange, names: Mapping[str, str]) -> RankChangeWords:
    before, after = (NO_RANK if rank is None else str(rank) for rank in (change.before, change.after))
    return RankChangeWords(names[change.entry], before, after)


def reason_in_words(value: DecidingValue | None, display: Mapping[str, Any]) -> str:
    """Return what decided, as a fragment: on Opponents' match-win %: 58.33% vs. 58.12% (7/12 : 279/480)."""
    if value is None:
        return ""
    if value.step is None:
        return {
            "stage": _("because of the later stage"),
            "tied": _("they share the rank"),
            "rule": _("by another cut rule"),
        }[value.how]
    unit, title = METRICS[value.step.key].unit, title_of_step(value.step)
    if unit == "order":
        return _("on %(title)s") % {"title": title}
    percent = "%" if unit == "share" else ""
    a, b = (format_value(number, unit, display) + percent for number in (value.above, value.below))
    reason = _("on %(title)s: %(a)s vs. %(b)s") % {"title": title, "a": a, "b": b}
    return f"{reason} ({value.above} : {value.below})" if unit == "share" else reason
