"""A re-paired round in words: what was proved around the finished tables, which tables changed, who came and left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairings.question.codes import reasons_from_json
from pairings.words import certificate
from pairings.words.reasons import reasons_words
from tournament.event.pairing_record import RepairMade
from tournament.event.types import Round
from tournament.results import wording


@dataclass(frozen=True, slots=True)
class TableChange:
    """A table that changes, before and after by name; no table: the bye, or who has no opponent."""

    table: int | None
    before: str
    after: str


def kept_tables_words(said: str, finished: int) -> str:
    """What was proved, said of the rounds that keep the finished tables."""
    if not finished:
        return said
    text = ngettext(
        "With %(count)s finished table kept: %(said)s",
        "With %(count)s finished tables kept: %(said)s",
        finished,
    )
    return text % {"count": finished, "said": said}


def reasons_in(round_: Round) -> dict[str, str]:
    """{code: why this player's place in the round is unusual, in sentences}."""
    kept = round_.pairing.reasons
    return {code: reasons_words(reasons_from_json(reasons)) for code, reasons in kept.items()}


def public_reasons_in(round_: Round) -> dict[str, str]:
    """As `reasons_in`; of a round that was re-paired, each with the limit within which it holds."""
    reasons = reasons_in(round_)
    record = round_.pairing
    stood = {code for pair in record.kept_tables for code in pair}
    if record.last_repair is None or not stood:
        return reasons
    earlier, now = _("when this table was paired: %(reason)s"), _("with the finished tables kept: %(reason)s")
    return {
        code: (earlier if code in stood else now) % {"reason": reason} for code, reason in reasons.items()
    }


def repair_words(repair: RepairMade, names: Mapping[str, str]) -> str:
    """One repair: "Re-paired: tables 3 and 9 (as few tables as possible); Ada came in: reason"."""
    how = {
        "keep": _("as few tables as possible"),
        "anew": _("all unfinished tables"),
    }[repair.option]
    parts = [
        _("Re-paired: %(tables)s (%(how)s)") % {"tables": certificate.tables_words(repair.tables), "how": how}
    ]
    for codes, text in ((repair.added, _("%(names)s added")), (repair.removed, _("%(names)s removed"))):
        if codes:
            parts.append(text % {"names": ", ".join(names.get(code, code) for code in codes)})
    return f"{'; '.join(parts)}: {repair.reason}"


def seats_words(fact: Mapping[str, Any], names: Mapping[str, str], *, first: bool = False) -> str:
    """Who sits there: "Ada – Bo", "Ada – bye"; with `first` also who moves first, where sides count."""
    if not fact["b"]:
        return f"{names[fact['a']]} – {wording.bye_words(fact['result'] or 'bye')}"
    said = f"{names[fact['a']]} – {names[fact['b']]}"
    if first and fact["first"]:
        said += " " + _("(%(name)s moves first)") % {"name": names[fact[fact["first"]]]}
    return said


def table_changes_of(
    changes: Iterable[Mapping[str, Any]], number: int, names: Mapping[str, str]
) -> list[TableChange]:
    """What a repair changed, by the log: the tables in order, then who had or has no opponent, or left."""
    tables: tuple[dict[int, str], dict[int, str]] = ({}, {})
    alone: tuple[dict[str, str], dict[str, str]] = ({}, {})
    seats: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for item in changes:
        parts = item["fact"].split("/")
        if parts[:2] != ["rounds", str(number)] or len(parts) != 4:
            continue
        for place, fact in enumerate((item["before"], item["after"])):
            if not fact:
                continue
            said = seats_words(fact, names, first=place == 1)
            if parts[2] == "tables":
                tables[place][int(parts[3])] = said
                where = _("table %(table)s") % {"table": parts[3]}
                seats[place].update({code: f"{names[code]}: {where}" for code in (fact["a"], fact["b"])})
            else:
                alone[place][fact["a"]] = seats[place][fact["a"]] = said
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
