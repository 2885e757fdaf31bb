"""What people changed in a draft, in words: edits by hand, locks, the do-not-pair list."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from pairings.words.costs import change_words
from pairings.words.lists import pairs_words, tables_words
from tournament.event.pairing_record import Edit, PairingRecord
from tournament.event.table_plan import TablePlan


def edit_words(edit: Edit, names: Mapping[str, str], plan: TablePlan) -> str:
    """One edit: "Edited by hand, tables 4 and 7: Ada and Bo swapped places (+1 rematch): reason"."""
    players = [names.get(code, code) for code in edit.players]
    tables = [plan.name(table or 0) for table in edit.tables] or [""]
    text = {
        "swap": _("Edited by hand, %(tables)s: %(a)s and %(b)s swapped places"),
        "first": _("Edited by hand, %(tables)s: %(a)s moves first"),
        "coin": _(
            "Edited by hand, %(tables)s: coin toss at the first table: "
            "%(a)s moves first, the other tables alternate"
        ),
        "table": _("Set by hand: %(a)s vs. %(b)s moved from table %(old)s to table %(new)s"),
        "seats": _("Corrected afterwards, %(tables)s: other players sat there than were paired"),
    }[edit.kind] % {
        "tables": tables_words(edit.tables, plan),
        "old": tables[0],
        "new": tables[-1],
        "a": players[0],
        "b": players[-1],
    }
    costs = [
        change_words(criterion, before, after, edit.unit) for criterion, before, after in edit.cost or ()
    ]
    if costs:
        text += f" ({', '.join(costs)})"
    return f"{text}: {edit.reason}" if edit.reason else f"{text}."


def lock_words(table: str, *, locked: bool) -> str:
    """That a table or, without a name, the bye is locked now or no longer."""
    if not table:
        return _("The bye is locked.") if locked else _("The bye is no longer locked.")
    text = _("Table %(table)s is locked.") if locked else _("Table %(table)s is no longer locked.")
    return text % {"table": table}


def draft_action_words(
    changes: Iterable[Mapping[str, Any]], names: Mapping[str, str], plan: TablePlan
) -> str:
    """What an action of the log did to a draft: an edit, a table locked or unlocked, a prohibited pair."""
    for item in changes:
        before, after = item["before"] or {}, item["after"] or {}
        if "forbidden" in after:
            return _difference_words(
                before["forbidden"],
                after["forbidden"],
                names,
                added=_("Added to the do-not-pair list: %(pairs)s."),
                removed=_("Removed from the do-not-pair list: %(pairs)s."),
            )
        if "pairing" in after:
            old, new = (PairingRecord.from_json(fact["pairing"]) for fact in (before, after))
            if len(new.edits) > len(old.edits):
                return edit_words(new.edits[-1], names, plan)
            added, removed = _("Locked: %(pairs)s."), _("Unlocked: %(pairs)s.")
            return _difference_words(old.locks, new.locks, names, added, removed)
    return ""


def _difference_words(
    before: Iterable[Sequence[str | None]],
    after: Iterable[Sequence[str | None]],
    names: Mapping[str, str],
    added: str,
    removed: str,
) -> str:
    """The pairs that came to a list, or else those that went; "" where it is the same."""
    old, new = {tuple(pair) for pair in before}, {tuple(pair) for pair in after}
    text, pairs = (added, new - old) if new - old else (removed, old - new)
    return text % {"pairs": pairs_words(sorted(pairs, key=str), names)} if pairs else ""
