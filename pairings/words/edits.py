"""Changes that people made to a round, in words: edits by hand, locks, prohibited pairs, repairs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.words.certificate import change_words, pairs_words, tables_words
from tournament.actionlog.match_facts import MatchFact
from tournament.event.pairing_record import Edit, PairingRecord, RepairMade
from tournament.event.table_plan import TablePlan
from tournament.event.types import Match
from tournament.results import wording


def edit_words(edit: Edit, names: Mapping[str, str], plan: TablePlan) -> str:
    """Return one edit: "Edited by hand, tables 4 and 7: Ada and Bo swapped places (+1 rematch): reason"."""
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
    if not table:
        return _("The bye is locked.") if locked else _("The bye is no longer locked.")
    text = _("Table %(table)s is locked.") if locked else _("Table %(table)s is no longer locked.")
    return text % {"table": table}


def draft_action_words(
    changes: Iterable[Mapping[str, Any]], names: Mapping[str, str], plan: TablePlan
) -> str:
    """Return in words what a logged action changed in a draft: an edit, a lock, a prohibited pair."""
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
    old, new = {tuple(pair) for pair in before}, {tuple(pair) for pair in after}
    text, pairs = (added, new - old) if new - old else (removed, old - new)
    return text % {"pairs": pairs_words(sorted(pairs, key=str), names)} if pairs else ""


@dataclass(frozen=True, slots=True)
class TableChange:
    """A table's players before and after, or one player's change if there is no table number."""

    table: int | None
    before: str
    after: str


def kept_tables_words(certificate: str, finished: int) -> str:
    if not finished:
        return certificate
    text = ngettext(
        "With %(count)s finished table kept: %(certificate)s",
        "With %(count)s finished tables kept: %(certificate)s",
        finished,
    )
    return text % {"count": finished, "certificate": certificate}


def repair_words(repair: RepairMade, names: Mapping[str, str], plan: TablePlan) -> str:
    """Return one repair: "Re-paired: tables 3 and 9 (as few tables as possible); Ada added: reason"."""
    text = {
        "keep": _("Re-paired: %(tables)s (as few tables as possible)"),
        "anew": _("Re-paired: %(tables)s (all unfinished tables)"),
    }[repair.option]
    parts = [text % {"tables": tables_words(repair.tables, plan)}]
    for codes, text in ((repair.added, _("%(names)s added")), (repair.removed, _("%(names)s removed"))):
        if codes:
            parts.append(text % {"names": ", ".join(names.get(code, code) for code in codes)})
    return f"{'; '.join(parts)}: {repair.reason}"


def seats_words(match: MatchFact | Match, names: Mapping[str, str]) -> str:
    """Return a match's players, with the first move where sides count: "Ada (moves first) – Bo", "Ada – bye"."""
    a = names[match.a]
    b = names[match.b] if match.b else wording.bye_words(match.result or "bye")
    if match.first == "a":
        a = _("%(name)s (moves first)") % {"name": a}
    elif match.first == "b":
        b = _("%(name)s (moves first)") % {"name": b}
    return f"{a} – {b}"


def table_changes(
    before: Iterable[MatchFact | Match], after: Iterable[MatchFact | Match], names: Mapping[str, str]
) -> list[TableChange]:
    """Return every table's change in order, including emptied tables; the bye comes last."""
    old, new = ({match.table: seats_words(match, names) for match in side} for side in (before, after))
    tables = sorted({*old, *new}, key=lambda table: (table is None, table or 0))
    return [TableChange(table, *(side.get(table, _("no one")) for side in (old, new))) for table in tables]


def list_table_changes(
    changes: Collection[Mapping[str, Any]], number: int, names: Mapping[str, str], plan: TablePlan
) -> list[TableChange]:
    """List the table changes of a logged repair: tables in order, then players without an opponent."""
    old, new = (_matches_in(changes, number, when) for when in ("before", "after"))
    places: list[dict[str, str]] = [
        {
            code: _place_words(code, match, names, plan)
            for match in side
            for code in (match.a, match.b)
            if code
        }
        for side in (old, new)
    ]
    alone = {match.a for match in (*old, *new) if match.table is None}
    codes = alone | set(places[0]) - set(places[1])
    rows = table_changes([m for m in old if m.table], [m for m in new if m.table], names)
    return rows + [
        TableChange(
            None,
            places[0].get(code) or _("not in this round"),
            places[1].get(code) or _("%(name)s: no longer in this round") % {"name": names[code]},
        )
        for code in sorted(codes, key=lambda code: (names[code], code))
    ]


def _matches_in(changes: Iterable[Mapping[str, Any]], number: int, when: str) -> list[MatchFact]:
    matches = []
    for item in changes:
        parts = item["fact"].split("/")
        if parts[:2] == ["rounds", str(number)] and len(parts) == 4 and item[when]:
            table = int(parts[3]) if parts[2] == "tables" else None
            matches.append(MatchFact.from_log(table, item[when]))
    return matches


def _place_words(code: str, match: MatchFact, names: Mapping[str, str], plan: TablePlan) -> str:
    if match.table is None:
        return seats_words(match, names)
    return _("%(name)s: table %(table)s") % {"name": names[code], "table": plan.name(match.table)}
