"""The engine's numbers in the organizer's words: the certificate, costs, and what was changed by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from pairings.engine import Change
from standings.show import number

MOST_NAMED = 6
# Criteria whose values are points × unit, or squares of them.
POINTS = {"bye_group": 1, "score_difference": 2}

CLEAN = {
    "repeats": gettext_lazy("No repeat opponents."),
    "second_bye": gettext_lazy("Nobody has a second bye."),
    "bye_group": gettext_lazy("The bye is in the lowest score group."),
    "score_difference": gettext_lazy("Everybody meets somebody on the same points."),
    "pair_downs": gettext_lazy("Nobody is paired down or up more than before."),
    "fold": gettext_lazy("Upper half meets lower half in order."),
    "adjacent": gettext_lazy("Neighbours in the ranking meet."),
    "not_same_side_all_rounds": gettext_lazy("Nobody moves first, or second, in every round."),
    "later_rounds": gettext_lazy("All later planned rounds can still be played without repeats."),
    "labels_apart": gettext_lazy("Nobody meets somebody with the same label."),
    "side_limits": gettext_lazy("Nobody has a side three times running."),
    "alternate_sides": gettext_lazy("Everybody who moved first moves second now, and the other way round."),
}
FORCED: dict[str, Any] = {
    "repeats": ngettext_lazy(
        "%(value)s repeat pairing; no round has fewer.",
        "%(value)s repeat pairings; no round has fewer.",
        "value",
    ),
    "second_bye": gettext_lazy("A second bye could not be avoided."),
    "bye_group": gettext_lazy("The bye is above the lowest score group: nobody there can take it."),
    "pair_downs": gettext_lazy("Some are paired down or up again (%(value)s)."),
    "fold": gettext_lazy("Upper half meets lower half as nearly in order as it can be."),
    "adjacent": gettext_lazy("Neighbours in the ranking meet as nearly as they can."),
    "not_same_side_all_rounds": ngettext_lazy(
        "%(value)s player moves first, or second, in every round.",
        "%(value)s players move first, or second, in every round.",
        "value",
    ),
    "later_rounds": ngettext_lazy(
        "%(value)s later planned round cannot be played without repeats.",
        "%(value)s later planned rounds cannot be played without repeats.",
        "value",
    ),
    "later_byes": gettext_lazy("A second bye in a planned round cannot be ruled out."),
    "labels_apart": ngettext_lazy(
        "%(value)s pair has a label in common.",
        "%(value)s pairs have a label in common.",
        "value",
    ),
    "side_limits": ngettext_lazy(
        "%(value)s player has a side too often.",
        "%(value)s players have a side too often.",
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
        gettext_lazy("Nobody meets a house opponent or has a bye a second time."),
        gettext_lazy("Whoever meets the house opponent had one, or a bye, before: it could not be avoided."),
    ),
    "bye_group": (
        gettext_lazy("The house opponent meets somebody of the lowest score group."),
        gettext_lazy("The house opponent meets somebody above the lowest score group: nobody there can."),
    ),
}
CRITERIA = {
    "repeats": gettext_lazy("repeats"),
    "second_bye": gettext_lazy("second byes"),
    "bye_group": gettext_lazy("points of the bye above the lowest group"),
    "bye_rank": gettext_lazy("ranks of the bye above the last"),
    "score_difference": gettext_lazy("squared point differences"),
    "pair_downs": gettext_lazy("repeated pair-downs and pair-ups"),
    "fold": gettext_lazy("places away from the fold"),
    "adjacent": gettext_lazy("places away from a neighbour"),
    "not_same_side_all_rounds": gettext_lazy("players with one side in all rounds"),
    "later_rounds": gettext_lazy("later rounds that need a repeat"),
    "later_byes": gettext_lazy("second byes in planned rounds"),
    "labels_apart": gettext_lazy("pairs with a common label"),
    "side_limits": gettext_lazy("players with a side too often"),
    "alternate_sides": gettext_lazy("players who do not alternate"),
}
PROOF = {
    "bound reached": gettext_lazy("the bound is reached"),
    "not proved": gettext_lazy("best found, not proved"),
}


def is_nothing(value: Any) -> bool:
    """Whether a certificate's value says that nothing had to be given up."""
    return not any(value) if isinstance(value, list | tuple) else not value


def sentence_of(
    line: Mapping[str, Any], across: Sequence[tuple[str, str]], alone: bool, house: bool = False
) -> str:
    """One line of the certificate in plain words; "" where it says nothing about this round.

    `across`: the points of each pair across scores; `alone`: whether somebody has no opponent; `house`: whether
    a house opponent plays instead of the bye.
    """
    name, value = line["criterion"], line["value"]
    if house and name in HOUSE:
        return str(HOUSE[name][not is_nothing(value)])
    if name in ("second_bye", "bye_group") and not alone:
        return ""
    if name == "score_difference" and across:
        said = _("%(pairs)s; less is impossible.") if line["optimal"] else _("%(pairs)s.")
        return said % {"pairs": capital(across_words(across))}
    known = CLEAN if is_nothing(value) else FORCED
    total = sum(value) if isinstance(value, list | tuple) else value  # those by score group together
    return str(known.get(name, "") % {"value": total})


def capital(text: str) -> str:
    """With a capital at its head."""
    return text[:1].upper() + text[1:]


def across_words(across: Sequence[tuple[str, str]]) -> str:
    """How many pairs meet across scores, and which scores."""
    shown = ", ".join(_("%(a)s v %(b)s") % {"a": a, "b": b} for a, b in across[:MOST_NAMED])
    return ngettext(
        "%(count)s pair across scores (%(pairs)s)", "%(count)s pairs across scores (%(pairs)s)", len(across)
    ) % {"count": len(across), "pairs": shown + (" …" if len(across) > MOST_NAMED else "")}


def in_one_sentence(
    certificate: Sequence[Mapping[str, Any]],
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
        return _("This round was not paired here.")
    parts = (
        [ngettext("%(count)s repeat", "%(count)s repeats", repeats) % {"count": repeats}] if repeats else []
    )
    parts = parts or [_("no repeats")]
    parts.append(across_words(across) if across else _("everybody meets somebody on the same points"))
    lines = {line["criterion"]: line for line in certificate}
    if "bye_group" in lines and not is_nothing(lines["bye_group"]["value"]):
        parts.append(
            _("the house opponent meets somebody above the lowest score group")
            if house
            else _("the bye above the lowest score group")
        )
    counted = ["repeats", "second_bye", "bye_group", "score_difference"]
    if alike is None:
        alike = lines["labels_apart"]["value"] if "labels_apart" in lines else 0
    if alike:
        parts.append(
            ngettext("%(count)s pair with a label in common", "%(count)s pairs with a label in common", alike)
            % {"count": alike}
        )
        counted.append("labels_apart")
    main = [lines[name] for name in counted if name in lines]
    proved = all(line["optimal"] for line in main)
    around = ngettext("around %(count)s locked table", "around %(count)s locked tables", locked)
    if by_hand:
        parts.append(_("changed by hand after it was drawn"))
    elif locked:
        said = _("proved best %(around)s") if proved else _("best found %(around)s")
        parts.append(said % {"around": around % {"count": locked}})
    else:
        parts.append(_("proved that less is impossible") if proved else _("the best that was found"))
    return capital("; ".join(parts)) + "."


def real(criterion: str, value: Any, unit: int) -> Any:
    """A value in real points, exact: the engine counts in whole units."""
    power = unit ** POINTS.get(criterion, 0)
    if isinstance(value, list | tuple):
        return [real(criterion, one, unit) for one in value]
    return Fraction(value, power) if power != 1 else value


def numbers_of(certificate: Iterable[Mapping[str, Any]], unit: int) -> list[dict[str, Any]]:
    """The certificate's table: criterion in words, value, bound, proof."""
    return [
        {
            "criterion": CRITERIA.get(line["criterion"], line["criterion"]),
            "value": shown(real(line["criterion"], line["value"], unit)),
            "bound": shown(real(line["criterion"], line["bound"], unit)),
            "proof": PROOF.get(line["proof"], line["proof"]),
        }
        for line in certificate
    ]


def shown(value: Any) -> str:
    """A number, or numbers by score group from the top."""
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    return number(value) if isinstance(value, Fraction) else str(value)


def costs_and_savings(changes: Iterable[Change], unit: int) -> tuple[str, str]:
    """What gets worse and what gets better, the most important first: "1 repeat, 9 squared points"; "" for nothing."""
    said = [change_words(change.criterion, change.before, change.after, unit) for change in changes]
    costs, savings = ([text[1:] for text in said if text[0] == sign] for sign in "+−")
    return ", ".join(costs), ", ".join(savings)


def change_words(criterion: str, before: Any, after: Any, unit: int) -> str:
    """Such as "+9 squared points"; of values by score group the first that differs."""
    old, new = ([value] if isinstance(value, int) else list(value) for value in (before, after))
    by = next((n - o for o, n in zip(old, new, strict=True) if n != o), 0)
    amount = real(criterion, abs(by), unit)
    return f"{'+' if by > 0 else '−'}{shown(amount)} {unit_words(criterion, 1 if amount == 1 else 2)}"


def unit_words(criterion: str, count: int) -> str:
    """What one unit of a criterion is called, for this many."""
    return {
        "repeats": ngettext("repeat", "repeats", count),
        "second_bye": ngettext("second bye", "second byes", count),
        "bye_group": ngettext(
            "point of the bye above the lowest group", "points of the bye above the lowest group", count
        ),
        "bye_rank": ngettext("rank of the bye above the last", "ranks of the bye above the last", count),
        "score_difference": ngettext("squared point", "squared points", count),
        "pair_downs": ngettext("repeated pair-down or pair-up", "repeated pair-downs or pair-ups", count),
        "labels_apart": ngettext("pair with a common label", "pairs with a common label", count),
        "not_same_side_all_rounds": ngettext(
            "player with one side in all rounds", "players with one side in all rounds", count
        ),
        "side_limits": ngettext("player with a side too often", "players with a side too often", count),
        "alternate_sides": ngettext("player who does not alternate", "players who do not alternate", count),
        "fold": ngettext("place away from the fold", "places away from the fold", count),
        "adjacent": ngettext("place away from a neighbour", "places away from a neighbour", count),
        "later_rounds": ngettext("later round with a repeat", "later rounds with a repeat", count),
        "later_byes": ngettext("second bye in a planned round", "second byes in planned rounds", count),
    }[criterion]


def edit_words(edit: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """One change by hand: "Changed by hand: tables 4 and 7: Ada and Bo exchanged (+9 squared points): reason"."""
    who = [names.get(code, code) for code in edit["players"]]
    what = {
        "swap": _("%(a)s and %(b)s changed places"),
        "first": _("%(a)s moves first"),
        "coin": _("the coin at the first table: %(a)s moves first, the other tables alternate"),
    }[edit["kind"]] % {"a": who[0], "b": who[-1]}
    said = _("Changed by hand: %(tables)s: %(what)s") % {"tables": tables_words(edit["tables"]), "what": what}
    if edit.get("cost"):
        said += f" ({cost_of_edit(edit)})"
    return f"{said}: {edit['reason']}" if edit.get("reason") else f"{said}."


def cost_of_edit(edit: Mapping[str, Any]) -> str:
    """The stored cost of a change, in words."""
    unit = edit.get("unit", 1)
    return ", ".join(change_words(name, old, new, unit) for name, old, new in edit.get("cost") or ())


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
            added, gone = _("Never pair: %(pairs)s."), _("May meet again: %(pairs)s.")
            return _pairs_words(before["forbidden"], after["forbidden"], names, added, gone)
        if "pairing" in after:
            old, new = before["pairing"] or {}, after["pairing"] or {}
            if len(new.get("edits", ())) > len(old.get("edits", ())):
                return edit_words(new["edits"][-1], names)
            added, gone = _("Locked: %(pairs)s."), _("Unlocked: %(pairs)s.")
            return _pairs_words(old.get("locked", ()), new.get("locked", ()), names, added, gone)
    return ""


def _pairs_words(
    before: Iterable[Sequence], after: Iterable[Sequence], names: Mapping[str, str], added: str, gone: str
) -> str:
    """The pairs that came to a list, or else those that went."""
    old, new = {tuple(pair) for pair in before}, {tuple(pair) for pair in after}
    text, pairs = (added, new - old) if new - old else (gone, old - new)
    listed = [f"{names.get(a, a)} – {names.get(b, b) if b else _('bye')}" for a, b in sorted(pairs, key=str)]
    return text % {"pairs": ", ".join(listed)} if listed else ""
