"""The pairing certificate and the costs of a round, in words."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.text import capfirst, get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from pairings.engine.compare import Change
from pairings.engine.types import Proof
from pairings.request.pairing_request import PairDown, proof_from_json
from tournament.event.formats import format_number
from tournament.event.pairing_record import CriterionLine, Value
from tournament.event.table_plan import TablePlan


def shorten_list(items: Sequence[str], most: int = 8) -> str:
    """Join the first items and say how many more there are."""
    if len(items) > most:
        values = {"items": ", ".join(items[:most]), "more": len(items) - most}
        return _("%(items)s and %(more)s more") % values
    return ", ".join(items)


def tables_words(tables: Sequence[int | None], plan: TablePlan) -> str:
    """Return "tables 4 and 7" or "table 4 and the bye"; None is the bye."""
    numbers = [plan.name(table) for table in tables if table]
    parts = []
    if numbers:
        text = ngettext("table %(tables)s", "tables %(tables)s", len(numbers))
        parts.append(text % {"tables": get_text_list(numbers, _("and"))})
    if None in tables:
        parts.append(_("the bye"))
    return get_text_list(parts, _("and"))


def pairs_words(pairs: Iterable[Sequence[str | None]], names: Mapping[str, str]) -> str:
    """Return "Ada – Bo, Cleo – bye"; None in a pair is the bye."""
    texts = (f"{names.get(str(a), a)} – {names.get(b, b) if b else _('bye')}" for a, b in pairs)
    return ", ".join(texts)


# Criteria whose values are points × unit, or squares of that.
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
    """Return a value in points; per-group values are listed from the top."""
    power = unit ** POINTS.get(criterion, 0)
    numbers = [value] if isinstance(value, int) else value
    return ", ".join(format_number(Fraction(number, power)) for number in numbers)


def costs_and_savings(changes: Iterable[Change], unit: int) -> tuple[str, str]:
    """Return (what gets worse, what gets better), most important first: "1 rematch, 1 second bye"; "" if nothing."""
    costs: list[str] = []
    savings: list[str] = []
    for change in changes:
        by = first_difference(change.before, change.after)
        (costs if by > 0 else savings).append(amount_words(change.criterion, abs(by), unit))
    return ", ".join(costs), ", ".join(savings)


def change_words(criterion: str, before: Value, after: Value, unit: int) -> str:
    """Return a change such as "+9 points of squared score difference" or "−1 rematch"."""
    by = first_difference(before, after)
    return f"{'+' if by > 0 else '−'}{amount_words(criterion, abs(by), unit)}"


def first_difference(before: Value, after: Value) -> int:
    """Return by how much a value grew. If there is one per score group, compare the first group that differs."""
    old, new = ([value] if isinstance(value, int) else list(value) for value in (before, after))
    return next((n - o for o, n in zip(old, new, strict=True) if n != o), 0)


def amount_words(criterion: str, units: int, unit: int) -> str:
    amount = criterion_value_words(criterion, units, unit)
    return str(AMOUNTS[criterion] % {"amount": amount, "count": 1 if amount == "1" else 2})


# Sentences for the value 0, and for any other value.
KEPT = {
    "repeats": gettext_lazy("No rematches."),
    "second_bye": gettext_lazy("No one has a second bye."),
    "bye_group": gettext_lazy("The bye is in the lowest score group."),
    "score_difference": gettext_lazy("Everyone plays within their score group."),
    "pair_downs": gettext_lazy("No one is paired down or up again."),
    "fold": gettext_lazy("Top half plays bottom half, in order."),
    "adjacent": gettext_lazy("Adjacent players in the standings play each other."),
    "not_same_side_all_rounds": gettext_lazy("No one moves first, or second, in every round."),
    "later_rounds": gettext_lazy("All later planned rounds can still be played without rematches."),
    "labels_apart": gettext_lazy("No two players with the same label are paired."),
    "side_limits": gettext_lazy("No one is on one side too often."),
    "alternate_sides": gettext_lazy("Everyone who moved first now moves second, and the other way around."),
}
# By default, a value is said as an amount.
GIVEN_UP: dict[str, Any] = {
    "repeats": ngettext_lazy(
        "%(value)s rematch; no pairing has fewer.", "%(value)s rematches; no pairing has fewer.", "value"
    ),
    "second_bye": gettext_lazy("A second bye could not be avoided."),
    "bye_group": gettext_lazy("The bye is above the lowest score group: no one there can take it."),
    "score_difference": "",
    "fold": gettext_lazy("Top half plays bottom half, as close to in order as possible."),
    "adjacent": gettext_lazy("Adjacent players in the standings play each other as far as possible."),
    "later_byes": gettext_lazy("A second bye in a planned round cannot be ruled out."),
}
# The same if a house opponent plays instead of the bye.
KEPT_BY_HOUSE = {
    "second_bye": gettext_lazy("No one plays a house opponent or gets a bye a second time."),
    "bye_group": gettext_lazy("The house opponent plays someone in the lowest score group."),
}
GIVEN_UP_BY_HOUSE = {
    "second_bye": gettext_lazy(
        "The player who meets the house opponent already had a house opponent or a bye. It could not be avoided."
    ),
    "bye_group": gettext_lazy(
        "The house opponent plays someone above the lowest score group: no one there can."
    ),
}
PROOFS: dict[str, Any] = {
    "kernel": ngettext_lazy(
        "exact matching on a kernel of %(size)s player",
        "exact matching on a kernel of %(size)s players",
        "size",
    ),
    "bound": gettext_lazy("meets the lower bound"),
    "whole_graph": gettext_lazy("exact matching on the whole graph"),
    "blocks": gettext_lazy("exact matching of every block of score groups"),
    "exhaustive": gettext_lazy("exhaustive search"),
    "branches": gettext_lazy("exact search that keeps later rounds possible"),
    "none": gettext_lazy("best found, not proven"),
}
# By whether the value is proven.
BEST_AROUND = {
    True: ngettext_lazy(
        "proven best around %(count)s locked table", "proven best around %(count)s locked tables", "count"
    ),
    False: ngettext_lazy(
        "best found around %(count)s locked table", "best found around %(count)s locked tables", "count"
    ),
}


def certificate_words(
    certificate: Sequence[CriterionLine],
    pair_downs: Sequence[PairDown],
    *,
    rematches: int,
    locked: int = 0,
    by_hand: bool = False,
    same_label: int | None = None,
    past_limit: int | None = None,
    house: bool = False,
) -> str:
    """Return the whole certificate as one sentence. `locked`: tables that were locked before pairing.

    `same_label`, `past_limit`: pairs sharing a label, and players with one side too often (None: as in the
    certificate).
    """
    if not certificate:
        return _("This round was paired elsewhere, so it has no certificate.")
    lines = {line.criterion: line for line in certificate}
    if same_label is None:
        same_label = sum_value(lines["labels_apart"].value) if "labels_apart" in lines else 0
    if past_limit is None or "side_limits" not in lines:
        past_limit = sum_value(lines["side_limits"].value) if "side_limits" in lines else 0
    parts = [
        ngettext("%(count)s rematch", "%(count)s rematches", rematches) % {"count": rematches}
        if rematches
        else _("no rematches"),
        pair_downs_words(pair_downs) if pair_downs else _("everyone plays within their score group"),
    ]
    if "bye_group" in lines and sum_value(lines["bye_group"].value):
        parts.append(
            _("the house opponent plays someone above the lowest score group")
            if house
            else _("the bye is above the lowest score group")
        )
    if same_label:
        text = ngettext("%(count)s pair sharing a label", "%(count)s pairs sharing a label", same_label)
        parts.append(text % {"count": same_label})
    if past_limit:
        parts.append(AMOUNTS["side_limits"] % {"amount": past_limit, "count": past_limit})
    main = ["repeats", "second_bye", "bye_group", "score_difference", "side_limits"]
    main += ["labels_apart"] * bool(same_label)
    proven = all(lines[name].optimal for name in main if name in lines)
    parts.append(_("edited by hand after pairing") if by_hand else _best_words(proven, locked))
    return capfirst("; ".join(parts)) + "."


def _best_words(proven: bool, locked: int) -> str:
    if not locked:
        return _("proven optimal") if proven else _("best found, not proven optimal")
    return str(BEST_AROUND[proven] % {"count": locked})


def criterion_words(
    line: CriterionLine, pair_downs: Sequence[PairDown], alone: bool, house: bool = False
) -> str:
    """Return a certificate line as a sentence; "" if it does not apply. `alone`: whether someone has no opponent."""
    name, total = line.criterion, sum_value(line.value)
    if name in ("second_bye", "bye_group") and not (alone or house):
        return ""
    if name == "score_difference" and pair_downs:
        text = _("%(pairs)s; proven minimal.") if line.optimal else _("%(pairs)s.")
        return text % {"pairs": capfirst(pair_downs_words(pair_downs))}
    sentences = GIVEN_UP if total else KEPT
    if house and name in KEPT_BY_HOUSE:
        sentences = GIVEN_UP_BY_HOUSE if total else KEPT_BY_HOUSE
    if total and name not in sentences:
        return f"{amount_words(name, total, unit=1)}." if name in AMOUNTS else ""
    return str(sentences.get(name, "") % {"value": total})


def sum_value(value: Value) -> int:
    return sum(value) if isinstance(value, tuple) else value


def pair_downs_words(pair_downs: Sequence[PairDown]) -> str:
    pairs = shorten_list([_("%(a)s vs. %(b)s") % {"a": a, "b": b} for a, b in pair_downs], most=6)
    text = ngettext("%(count)s pair-down (%(pairs)s)", "%(count)s pair-downs (%(pairs)s)", len(pair_downs))
    return text % {"count": len(pair_downs), "pairs": pairs}


def certificate_rows(certificate: Iterable[CriterionLine], unit: int) -> list[tuple[str, str, str, str]]:
    """Return (criterion, value, bound, proof) per line, in points. `unit`: the number of engine units in a point."""
    return [
        (
            str(CRITERIA.get(line.criterion, line.criterion)),
            criterion_value_words(line.criterion, line.value, unit),
            criterion_value_words(line.criterion, line.bound, unit),
            proof_words(proof_from_json(line.proof, line.size)),
        )
        for line in certificate
    ]


def proof_words(proof: Proof) -> str:
    return str(PROOFS[proof.code] % {"size": proof.size}) if proof.code in PROOFS else proof.code
