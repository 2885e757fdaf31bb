"""The engine's numbers in the organizer's words: the certificate, costs, and what was changed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from pairings.engine import Change, Proof
from pairings.question.codes import proof_from_json
from standings.words.formats import format_number
from tournament.event.pairing_record import CriterionLine, Edit, PairingRecord, Value

MOST_NAMED = 6
# Criteria whose values are points × unit, or squares of them.
POINTS = {"bye_group": 1, "score_difference": 2}

CLEAN = {
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
    "side_limits": gettext_lazy("No one is on the same side 3 times in a row."),
    "alternate_sides": gettext_lazy("Everyone who moved first now moves second, and the other way around."),
}
FORCED: dict[str, Any] = {
    "repeats": ngettext_lazy(
        "%(value)s rematch; no pairing has fewer.",
        "%(value)s rematches; no pairing has fewer.",
        "value",
    ),
    "second_bye": gettext_lazy("A second bye could not be avoided."),
    "bye_group": gettext_lazy("The bye is above the lowest score group: no one there can take it."),
    "pair_downs": gettext_lazy("Repeat pair-downs or pair-ups: %(value)s."),
    "fold": gettext_lazy("Top half plays bottom half, as close to in order as possible."),
    "adjacent": gettext_lazy("Adjacent players in the standings play each other as far as possible."),
    "not_same_side_all_rounds": ngettext_lazy(
        "%(value)s player moves first, or second, in every round.",
        "%(value)s players move first, or second, in every round.",
        "value",
    ),
    "later_rounds": ngettext_lazy(
        "%(value)s later planned round cannot be played without rematches.",
        "%(value)s later planned rounds cannot be played without rematches.",
        "value",
    ),
    "later_byes": gettext_lazy("A second bye in a planned round cannot be ruled out."),
    "labels_apart": ngettext_lazy(
        "%(value)s pair shares a label.",
        "%(value)s pairs share a label.",
        "value",
    ),
    "side_limits": ngettext_lazy(
        "%(value)s player is on one side too often.",
        "%(value)s players are on one side too often.",
        "value",
    ),
    "alternate_sides": ngettext_lazy(
        "%(value)s player has the same side again.",
        "%(value)s players have the same side again.",
        "value",
    ),
}
# Instead of the bye, (clean, forced).
HOUSE = {
    "second_bye": (
        gettext_lazy("No one plays a house opponent or gets a bye a second time."),
        gettext_lazy(
            "The player who meets the house opponent already had a house opponent or a bye. It could not be avoided."
        ),
    ),
    "bye_group": (
        gettext_lazy("The house opponent plays someone in the lowest score group."),
        gettext_lazy("The house opponent plays someone above the lowest score group: no one there can."),
    ),
}
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
PROOF = {
    "bound": gettext_lazy("meets the lower bound"),
    "whole_graph": gettext_lazy("exact matching on the whole graph"),
    "blocks": gettext_lazy("exact matching of every block of score groups"),
    "exhaustive": gettext_lazy("exhaustive search"),
    "branches": gettext_lazy("exact search that keeps later rounds possible"),
    "none": gettext_lazy("best found, not proven"),
}


def is_nothing(value: Value) -> bool:
    """Whether a certificate's value says that nothing had to be given up."""
    return not any(value) if isinstance(value, tuple) else not value


def sentence_of(
    line: CriterionLine, across: Sequence[tuple[str, str]], alone: bool, house: bool = False
) -> str:
    """One line of the certificate in plain words; "" where it says nothing about this round.

    `across`: the points of each pair across scores; `alone`: whether somebody has no opponent; `house`: whether
    a house opponent plays instead of the bye.
    """
    name, value = line.criterion, line.value
    if house and name in HOUSE:
        return str(HOUSE[name][not is_nothing(value)])
    if name in ("second_bye", "bye_group") and not alone:
        return ""
    if name == "score_difference" and across:
        said = _("%(pairs)s; proven minimal.") if line.optimal else _("%(pairs)s.")
        return said % {"pairs": capital(across_words(across))}
    known = CLEAN if is_nothing(value) else FORCED
    return str(known.get(name, "") % {"value": total_of(value)})


def total_of(value: Value) -> int:
    """A criterion's value, those of all score groups together."""
    return sum(value) if isinstance(value, tuple) else value


def capital(text: str) -> str:
    """With a capital at its head."""
    return text[:1].upper() + text[1:]


def across_words(across: Sequence[tuple[str, str]]) -> str:
    """How many pairs meet across scores, and which scores."""
    shown = ", ".join(_("%(a)s vs. %(b)s") % {"a": a, "b": b} for a, b in across[:MOST_NAMED])
    return ngettext("%(count)s pair-down (%(pairs)s)", "%(count)s pair-downs (%(pairs)s)", len(across)) % {
        "count": len(across),
        "pairs": shown + (" …" if len(across) > MOST_NAMED else ""),
    }


def in_one_sentence(
    certificate: Sequence[CriterionLine],
    across: Sequence[tuple[str, str]],
    repeats: int,
    locked: int,
    by_hand: bool,
    alike: int | None = None,
    house: bool = False,
) -> str:
    """The whole certificate: what the round gives up, and whether that is proved to be the least.

    `alike`: how many pairs have a label in common that should not; None: as the certificate has it.
    `house`: whether a house opponent plays instead of the bye.
    """
    if not certificate:
        return _("This round was paired elsewhere, so it has no certificate.")
    parts = (
        [ngettext("%(count)s rematch", "%(count)s rematches", repeats) % {"count": repeats}]
        if repeats
        else []
    )
    parts = parts or [_("no rematches")]
    parts.append(across_words(across) if across else _("everyone plays within their score group"))
    lines = {line.criterion: line for line in certificate}
    if "bye_group" in lines and not is_nothing(lines["bye_group"].value):
        parts.append(
            _("the house opponent plays someone above the lowest score group")
            if house
            else _("the bye is above the lowest score group")
        )
    counted = ["repeats", "second_bye", "bye_group", "score_difference"]
    if alike is None:
        alike = total_of(lines["labels_apart"].value) if "labels_apart" in lines else 0
    if alike:
        parts.append(
            ngettext("%(count)s pair sharing a label", "%(count)s pairs sharing a label", alike)
            % {"count": alike}
        )
        counted.append("labels_apart")
    main = [lines[name] for name in counted if name in lines]
    proved = all(line.optimal for line in main)
    around = ngettext("around %(count)s locked table", "around %(count)s locked tables", locked)
    if by_hand:
        parts.append(_("edited by hand after pairing"))
    elif locked:
        said = _("proven best %(around)s") if proved else _("best found %(around)s")
        parts.append(said % {"around": around % {"count": locked}})
    else:
        parts.append(_("proven optimal") if proved else _("best found, not proven optimal"))
    return capital("; ".join(parts)) + "."


def real(criterion: str, value: Any, unit: int) -> Any:
    """A value in real points, exact: the engine counts in whole units."""
    power = unit ** POINTS.get(criterion, 0)
    if isinstance(value, list | tuple):
        return [real(criterion, one, unit) for one in value]
    return Fraction(value, power) if power != 1 else value


def numbers_of(certificate: Iterable[CriterionLine], unit: int) -> list[dict[str, Any]]:
    """The certificate's table: criterion in words, value, bound, proof."""
    return [
        {
            "criterion": CRITERIA.get(line.criterion, line.criterion),
            "value": shown(real(line.criterion, line.value, unit)),
            "bound": shown(real(line.criterion, line.bound, unit)),
            "proof": proof_words(proof_from_json(line.proof, line.size)),
        }
        for line in certificate
    ]


def proof_words(proof: Proof) -> str:
    """How a value is known to be the best; the code itself where this version does not know it."""
    if proof.code == "kernel":
        text = ngettext(
            "exact matching on a kernel of %(size)s player",
            "exact matching on a kernel of %(size)s players",
            proof.size,
        )
        return text % {"size": proof.size}
    return str(PROOF.get(proof.code, proof.code))


def shown(value: Any) -> str:
    """A number, or numbers by score group from the top."""
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return format_number(value) if isinstance(value, Fraction) else str(value)


def costs_and_savings(changes: Iterable[Change], unit: int) -> tuple[str, str]:
    """What gets worse and what gets better, the most important first: "1 rematch, 1 second bye"; "" for nothing."""
    said = [change_words(change.criterion, change.before, change.after, unit) for change in changes]
    costs, savings = ([text[1:] for text in said if text[0] == sign] for sign in "+−")
    return ", ".join(costs), ", ".join(savings)


def change_words(criterion: str, before: Any, after: Any, unit: int) -> str:
    """Such as "+9 points of squared score difference"; of values by score group the first that differs."""
    old, new = ([value] if isinstance(value, int) else list(value) for value in (before, after))
    by = next((n - o for o, n in zip(old, new, strict=True) if n != o), 0)
    amount = real(criterion, abs(by), unit)
    return f"{'+' if by > 0 else '−'}{shown(amount)} {unit_words(criterion, 1 if amount == 1 else 2)}"


def unit_words(criterion: str, count: int) -> str:
    """What one unit of a criterion is called, for this many."""
    return {
        "repeats": ngettext("rematch", "rematches", count),
        "second_bye": ngettext("second bye", "second byes", count),
        "bye_group": ngettext(
            "point above the lowest score group for the bye",
            "points above the lowest score group for the bye",
            count,
        ),
        "bye_rank": ngettext(
            "rank above last place for the bye", "ranks above last place for the bye", count
        ),
        "score_difference": ngettext(
            "point of squared score difference", "points of squared score difference", count
        ),
        "pair_downs": ngettext("repeat pair-down or pair-up", "repeat pair-downs or pair-ups", count),
        "labels_apart": ngettext("pair sharing a label", "pairs sharing a label", count),
        "not_same_side_all_rounds": ngettext(
            "player on the same side every round", "players on the same side every round", count
        ),
        "side_limits": ngettext("player on one side too often", "players on one side too often", count),
        "alternate_sides": ngettext("player who does not alternate", "players who do not alternate", count),
        "fold": ngettext(
            "place away from the fold (top half vs. bottom half)",
            "places away from the fold (top half vs. bottom half)",
            count,
        ),
        "adjacent": ngettext(
            "place away from the adjacent rank", "places away from the adjacent rank", count
        ),
        "later_rounds": ngettext("later round with a rematch", "later rounds with a rematch", count),
        "later_byes": ngettext("second bye in a planned round", "second byes in planned rounds", count),
    }[criterion]


def edit_words(edit: Edit, names: Mapping[str, str]) -> str:
    """One change by hand: "Edited by hand, tables 4 and 7: Ada and Bo swapped places (+1 rematch): reason"."""
    who = [names.get(code, code) for code in edit.players]
    what = {
        "swap": _("%(a)s and %(b)s swapped places"),
        "first": _("%(a)s moves first"),
        "coin": _("coin toss at the first table: %(a)s moves first, the other tables alternate"),
    }[edit.kind] % {"a": who[0], "b": who[-1]}
    said = _("Edited by hand, %(tables)s: %(what)s") % {"tables": tables_words(edit.tables), "what": what}
    if edit.cost:
        said += f" ({cost_of_edit(edit)})"
    return f"{said}: {edit.reason}" if edit.reason else f"{said}."


def cost_of_edit(edit: Edit) -> str:
    """The stored cost of a change, in words."""
    return ", ".join(change_words(name, old, new, edit.unit) for name, old, new in edit.cost or ())


def tables_words(tables: Sequence[int | None]) -> str:
    """ "tables 4 and 7", "table 4 and the bye"."""
    numbers = [str(table) for table in tables if table]
    said = ngettext("table %(tables)s", "tables %(tables)s", len(numbers)) if numbers else ""
    listed = _(" and ").join([", ".join(numbers[:-1]), numbers[-1]]) if len(numbers) > 1 else "".join(numbers)
    parts = [said % {"tables": listed}] if numbers else []
    return _(" and ").join(parts + ([_("the bye")] if None in tables else []))


def action_words(changes: Iterable[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """What an action on a draft did, by the log: an edit, a table locked or unlocked, a pair that never meets."""
    for item in changes:
        before, after = item["before"] or {}, item["after"] or {}
        if "forbidden" in after:
            added, gone = (
                _("Added to the do-not-pair list: %(pairs)s."),
                _("Removed from the do-not-pair list: %(pairs)s."),
            )
            return _pairs_words(before["forbidden"], after["forbidden"], names, added, gone)
        if "pairing" in after:
            old, new = (PairingRecord.from_json(fact["pairing"]) for fact in (before, after))
            if len(new.edits) > len(old.edits):
                return edit_words(new.edits[-1], names)
            added, gone = _("Locked: %(pairs)s."), _("Unlocked: %(pairs)s.")
            return _pairs_words(old.locks, new.locks, names, added, gone)
    return ""


def _pairs_words(
    before: Iterable[Sequence], after: Iterable[Sequence], names: Mapping[str, str], added: str, gone: str
) -> str:
    """The pairs that came to a list, or else those that went."""
    old, new = {tuple(pair) for pair in before}, {tuple(pair) for pair in after}
    text, pairs = (added, new - old) if new - old else (gone, old - new)
    listed = [f"{names.get(a, a)} – {names.get(b, b) if b else _('bye')}" for a, b in sorted(pairs, key=str)]
    return text % {"pairs": ", ".join(listed)} if listed else ""
