"""What real events say of a ruleset: how many published values it reproduces, and which programs printed them.

`evidence.json` beside this file holds the counts and the places the events come from, never the events;
`manage.py conformance FOLDER… --evidence` prints what stands in it.
"""

import json
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from tournament.rulesets.diff import changed_fields
from tournament.rulesets.resolve import is_preset, presets

FILE = Path(__file__).with_name("evidence.json")


class Evidence(Struct, frozen=True):
    """Published events under one ruleset by one program, and how much of them agrees.

    `fields`: paths of the ruleset's fields that these events have otherwise.
    """

    ruleset: str
    program: str
    fields: tuple[str, ...]
    sources: tuple[str, ...]
    events: int
    events_agree: int
    values: int
    values_agree: int


def evidence_of(source: Any, profile: dict[str, Any], values: int, values_agree: int) -> Evidence:
    """One event as evidence, for the built-in ruleset that it names or that has exactly its rules."""
    key = profile.get("based_on") or profile.get("key") or ""
    known = _presets()
    fields = changed_fields(known[key], profile) if is_preset(key) else []
    if fields:
        same = [other for other, rules in known.items() if not changed_fields(rules, profile)]
        key, fields = (same[0], []) if same else (key, fields)
    whole = int(values == values_agree)
    repo = source.get("repo") if isinstance(source, dict) else None
    sources = (str(repo),) if repo else ()
    return Evidence(key, program_of(source), tuple(fields), sources, 1, whole, values, values_agree)


def program_of(source: Any) -> str:
    """Who paired and computed a published event: the program or site its source names; "" where it names none."""
    if not isinstance(source, dict):
        return ""
    site = urlsplit(str(source.get("uri") or "")).hostname or ""
    return str(source.get("program") or site.removeprefix("www.") or source.get("system") or "")


def total_evidence(evidence: Iterable[Evidence]) -> list[Evidence]:
    """One row for each ruleset, program and set of fields, the rulesets in alphabetical order."""

    def kind(row: Evidence) -> tuple[str, str, tuple[str, ...]]:
        return row.ruleset, row.program, row.fields

    totals = []
    for key, group in groupby(sorted(evidence, key=kind), key=kind):
        rows = list(group)
        sources = tuple(sorted({source for row in rows for source in row.sources}))
        counts = ("events", "events_agree", "values", "values_agree")
        totals.append(Evidence(*key, sources, *(sum(getattr(row, name) for row in rows) for name in counts)))
    return totals


@cache
def known_evidence() -> dict[str, list[Evidence]]:
    """What ships with the program, by ruleset; most events first."""
    rows = msgspec.convert(json.loads(FILE.read_text(encoding="utf-8")), list[Evidence])
    known: dict[str, list[Evidence]] = {}
    for row in sorted(rows, key=lambda row: -row.events):
        known.setdefault(row.ruleset, []).append(row)
    return known


@cache
def _presets() -> dict[str, dict[str, Any]]:
    return presets()
