from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext_lazy, ngettext_lazy

from pairings.engine import Change
from standings.words.formats import format_number
from tournament.event.pairing_record import Value

# Criteria whose values are points × unit, or squares of them.
POINTS = {"bye_group": 1, "score_difference": 2}

CRITERIA = {
    "repeats": gettext_lazy("rematches"),
    "second_bye": gettext_lazy("second byes"),
    "bye_group": gettext_lazy("points above the lowest score group for the bye"),
    "bye_rank": gettext_lazy("ranks above last place for the bye"),
    "score_difference": gettext_lazy("sum of squared score differences"),
    "pair_downs": gettext_lazy("repeat pair-downs and pair-ups"),
    "fold": gettext_lazy("places away from the fold (top half vs. bottom half)"),
    "adjacent": gettext_lazy("places away from the adjacent rank"),
    "not_same_side_all_rounds": gettext_lazy("players on the same side every round"),
    "later_rounds": gettext_lazy("later rounds that need a rematch"),
    "later_byes": gettext_lazy("second byes in planned rounds"),
    "labels_apart": gettext_lazy("pairs sharing a label"),
    "side_limits": gettext_lazy("players on one side too often"),
    "alternate_sides": gettext_lazy("players who do not alternate"),
}


AMOUNTS: dict[str, Any] = {
    "repeats": ngettext_lazy("%(amount)s rematch", "%(amount)s rematches", "count"),
    "second_bye": ngettext_lazy("%(amount)s second bye", "%(amount)s second byes", "count"),
    "bye_group": ngettext_lazy(
        "%(amount)s point above the lowest score group for the bye",
        "%(amount)s points above the lowest score group for the bye",
        "count",
    ),
    "bye_rank": ngettext_lazy(
        "%(amount)s rank above last place for the bye",
        "%(amount)s ranks above last place for the bye",
        "count",
    ),
    "score_difference": ngettext_lazy(
        "%(amount)s point of squared score difference",
        "%(amount)s points of squared score difference",
        "count",
    ),
    "pair_downs": ngettext_lazy(
        "%(amount)s repeat pair-down or pair-up", "%(amount)s repeat pair-downs or pair-ups", "count"
    ),
    "labels_apart": ngettext_lazy(
        "%(amount)s pair sharing a label", "%(amount)s pairs sharing a label", "count"
    ),
    "not_same_side_all_rounds": ngettext_lazy(
        "%(amount)s player on the same side every round",
        "%(amount)s players on the same side every round",
        "count",
    ),
    "side_limits": ngettext_lazy(
        "%(amount)s player on one side too often", "%(amount)s players on one side too often", "count"
    ),
    "alternate_sides": ngettext_lazy(
        "%(amount)s player who does not alternate", "%(amount)s players who do not alternate", "count"
    ),
    "fold": ngettext_lazy(
        "%(amount)s place away from the fold (top half vs. bottom half)",
        "%(amount)s places away from the fold (top half vs. bottom half)",
        "count",
    ),
    "adjacent": ngettext_lazy(
        "%(amount)s place away from the adjacent rank",
        "%(amount)s places away from the adjacent rank",
        "count",
    ),
    "later_rounds": ngettext_lazy(
        "%(amount)s later round with a rematch", "%(amount)s later rounds with a rematch", "count"
    ),
    "later_byes": ngettext_lazy(
        "%(amount)s second bye in a planned round", "%(amount)s second byes in planned rounds", "count"
    ),
}


def criterion_value_words(criterion: str, value: Value, unit: int) -> str:
    """Return a value in points; a value by score group is listed from the top."""
    power = unit ** POINTS.get(criterion, 0)
    numbers = [value] if isinstance(value, int) else value
    return ", ".join(format_number(Fraction(number, power)) for number in numbers)


def costs_and_savings(changes: Iterable[Change], unit: int) -> tuple[str, str]:
    """Return what gets worse and what gets better, most important first: "1 rematch, 1 second bye"; "" if nothing."""
    costs: list[str] = []
    savings: list[str] = []
    for change in changes:
        by = difference_of(change.before, change.after)
        (costs if by > 0 else savings).append(amount_words(change.criterion, abs(by), unit))
    return ", ".join(costs), ", ".join(savings)


def change_words(criterion: str, before: Value, after: Value, unit: int) -> str:
    """Return a change such as "+9 points of squared score difference" or "−1 rematch"."""
    by = difference_of(before, after)
    return f"{'+' if by > 0 else '−'}{amount_words(criterion, abs(by), unit)}"


def difference_of(before: Value, after: Value) -> int:
    """Return how much a value grew; for values by score group, in the first group that differs."""
    old, new = ([value] if isinstance(value, int) else list(value) for value in (before, after))
    return next((n - o for o, n in zip(old, new, strict=True) if n != o), 0)


def amount_words(criterion: str, units: int, unit: int) -> str:
    amount = criterion_value_words(criterion, units, unit)
    return str(AMOUNTS[criterion] % {"amount": amount, "count": 1 if amount == "1" else 2})
