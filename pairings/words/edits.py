"""Changes that people made to a round, in words: edits by hand, locks, prohibited pairs, repairs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

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
    if costs := [change_words(*change, edit.unit) for change in edit.cost or ()]:
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


class TableChange(NamedTuple):
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
    opponent = names[match.b] if match.b else wording.bye_words(match.result or "bye")
    players = {"a": names[match.a], "b": opponent}
    if match.first:
        players[match.first] = _("%(name)s (moves first)") % {"name": players[match.first]}
    return " – ".join(players.values())


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
    place_before, place_after = _places_words(old, names, plan), _places_words(new, names, plan)
    alone = {match.a for match in (*old, *new) if match.table is None}
    codes = alone | place_before.keys() - place_after.keys()
    rows = table_changes([m for m in old if m.table], [m for m in new if m.table], names)
    return rows + [
        TableChange(
            None,
            place_before.get(code) or _("not in this round"),
            place_after.get(code) or _("%(name)s: no longer in this round") % {"name": names[code]},
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


def _places_words(matches: Iterable[MatchFact], names: Mapping[str, str], plan: TablePlan) -> dict[str, str]:
    words = {}
    for match in matches:
        for code in filter(None, (match.a, match.b)):
            at_table = _("%(name)s: table %(table)s") % {"name": names[code], "table": plan.name(match.table)}
            words[code] = at_table if match.table else seats_words(match, names)
    return words
