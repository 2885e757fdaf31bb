"""A re-paired round in words: what is proven around the finished tables, which tables changed, who came and left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.words.lists import tables_words
from tournament.actionlog.match_facts import MatchFact
from tournament.event.pairing_record import RepairMade
from tournament.event.types import Match
from tournament.results import wording


@dataclass(frozen=True, slots=True)
class TableChange:
    """Who sat at a table and who sits there now; without a table, who had or has no opponent."""

    table: int | None
    before: str
    after: str


def kept_tables_words(certificate: str, finished: int) -> str:
    """The certificate's sentence, limited to pairings that keep the finished tables."""
    if not finished:
        return certificate
    text = ngettext(
        "With %(count)s finished table kept: %(certificate)s",
        "With %(count)s finished tables kept: %(certificate)s",
        finished,
    )
    return text % {"count": finished, "certificate": certificate}


def repair_words(repair: RepairMade, names: Mapping[str, str]) -> str:
    """One repair: "Re-paired: tables 3 and 9 (as few tables as possible); Ada added: reason"."""
    text = {
        "keep": _("Re-paired: %(tables)s (as few tables as possible)"),
        "anew": _("Re-paired: %(tables)s (all unfinished tables)"),
    }[repair.option]
    parts = [text % {"tables": tables_words(repair.tables)}]
    for codes, text in ((repair.added, _("%(names)s added")), (repair.removed, _("%(names)s removed"))):
        if codes:
            parts.append(text % {"names": ", ".join(names.get(code, code) for code in codes)})
    return f"{'; '.join(parts)}: {repair.reason}"


def seats_words(match: MatchFact | Match, names: Mapping[str, str]) -> str:
    """Who sits there, and who moves first where sides count: "Ada (moves first) – Bo", "Ada – bye"."""
    a = names[match.a]
    b = names[match.b] if match.b else wording.bye_words(match.result or "bye")
    if match.first == "a":
        a = _("%(name)s (moves first)") % {"name": a}
    elif match.first == "b":
        b = _("%(name)s (moves first)") % {"name": b}
    return f"{a} – {b}"


def table_changes_of(
    changes: Iterable[Mapping[str, Any]], number: int, names: Mapping[str, str]
) -> list[TableChange]:
    """What a repair of that round changed, by the log: the tables in order, then players alone before or after."""
    tables: tuple[dict[int, str], dict[int, str]] = ({}, {})
    alone: tuple[dict[str, str], dict[str, str]] = ({}, {})
    seats: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for item in changes:
        parts = item["fact"].split("/")
        if parts[:2] != ["rounds", str(number)] or len(parts) != 4:
            continue
        table = int(parts[3]) if parts[2] == "tables" else None
        for when, fact in enumerate((item["before"], item["after"])):
            if not fact:
                continue
            match = MatchFact.from_log(table, fact)
            words = seats_words(match, names)
            if table is None:
                alone[when][match.a] = seats[when][match.a] = words
                continue
            tables[when][table] = words
            for code in filter(None, (match.a, match.b)):
                seats[when][code] = _("%(name)s: table %(table)s") % {"name": names[code], "table": table}
    rows = [
        TableChange(table, *(side.get(table, _("no one")) for side in tables))
        for table in sorted({*tables[0], *tables[1]})
    ]
    gone = set(seats[0]) - set(seats[1])
    return rows + [
        TableChange(
            None,
            seats[0].get(code) or _("not in this round"),
            seats[1].get(code) or _("%(name)s: no longer in this round") % {"name": names[code]},
        )
        for code in sorted({*alone[0], *alone[1], *gone}, key=lambda code: (names[code], code))
    ]
