"""Fields of a ruleset and their changes as people read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.engine import METRICS
from standings.words.field_texts import text_of
from standings.words.metric_params import param_in_words
from standings.words.metrics import title_of
from tournament.rulebooks.field_words import FIELDS, GROUPS, label_of
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.diff import FieldChange
from tournament.rulesets.schema import value_at
from tournament.services.rulebooks import FaultyRules

# Not rules: said elsewhere on the page, or nobody's business.
ASIDE = ("key", "version", "name", "source", "confidence", "based_on", "compare")


@dataclass(frozen=True, slots=True)
class FieldWords:
    """A field in words, in a change with its value `before`. `derived`: not set, it follows from others."""

    label: str
    now: str
    before: str = ""
    derived: bool = False


def value_in_words(path: str, value: Any) -> str:
    """The value of a field in words."""
    if path == "tiebreaks" and isinstance(value, list):
        return " → ".join(step_in_words(step) for step in value)
    if path == "rounds_table":
        return table_in_words(value)
    if path == "open_fields":
        return ", ".join(label_of(name) for name in value) if value else _everything(value)
    field = FIELDS.get(path)
    if value is None:
        return str(field.empty or _("not set")) if field else _("not set")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if field and field.words and isinstance(value, str | int):
        return str(field.words.get(value, value))
    if field or not isinstance(value, dict | list):
        return text_of(value)
    return json.dumps(value, ensure_ascii=False)


def _everything(opened: Any) -> str:
    return _("everything") if opened is None else _("nothing")


def step_in_words(step: dict[str, Any]) -> str:
    """A step of the order: the publisher's name, the metric's where it differs, and its parameters."""
    key = str(step.get("metric"))
    title = title_of(key) if key in METRICS else key
    about = [title] if step.get("label") and step["label"] != title else []
    about += [
        param_in_words(key, name, text_of(value))
        for name, value in (step.get("params") or {}).items()
        if value is not None
    ]
    if step.get("order"):
        about.append(_("lower is better") if step["order"] == "asc" else _("higher is better"))
    name = step.get("label") or title
    return f"{name} ({', '.join(about)})" if about else name


def table_in_words(table: Any) -> str:
    """The rounds table in one line."""
    if not isinstance(table, list):
        return _("enough rounds to leave 1 undefeated player, no cut")
    return "; ".join(_row_in_words(row) for row in table)


def _row_in_words(row: dict[str, Any]) -> str:
    players = f"{row['min']}–{row['max']}" if row.get("max") else f"{row['min']}+"
    rounds = ngettext("%(n)s round", "%(n)s rounds", row["rounds"]) % {"n": row["rounds"]}
    cut = _(", top %(cut)s") % {"cut": row["cut"]} if row.get("cut") else ""
    aside = _(", single elimination suggested") if row.get("stage") == "single_elimination" else ""
    return f"{players}: {rounds}{cut}{aside}"


def changes_in_words(changes: Iterable[FieldChange]) -> list[FieldWords]:
    """What changed, field by field."""
    return [
        FieldWords(
            label_in_words(item["path"]),
            value_in_words(item["path"], item["after"]),
            value_in_words(item["path"], item["before"]),
        )
        for item in changes
        if item["path"] not in ("based_on",)
    ]


def faults_in_words(error: FaultyRules) -> list[str]:
    """What is wrong with a file's rules: the field as the editor calls it, its path, and why."""
    return [f"{label_in_words(path)} ({path}): {message}" for path, message in error.faults]


def label_in_words(path: str) -> str:
    """The name of a field, also of those the editor does not show."""
    return _("Open to organizers") if path == "open_fields" else label_of(path)


def differences_in_words(before: dict[str, Any], after: dict[str, Any]) -> list[FieldWords]:
    """What makes one profile differ from another, in words."""
    return changes_in_words(differences(stated_rules(before), stated_rules(after)))


def profile_in_words(profile: dict[str, Any]) -> list[tuple[str, list[FieldWords]]]:
    """(title, fields in words) of a whole profile; those nobody edits come last, under their own names."""
    rules = stated_rules(profile)
    found = [
        (
            str(title),
            [
                FieldWords(
                    str(field.label),
                    value_in_words(field.path, value_at(profile, field.path)),
                    derived=value_at(rules, field.path) is None and value_at(profile, field.path) is not None,
                )
                for field in fields
            ],
        )
        for title, fields in GROUPS[1:]
    ]
    others = [
        FieldWords(path, value_in_words(path, value))
        for path, value in _leaves(profile)
        if path not in FIELDS and path not in ASIDE
    ]
    return [*found, (_("Stored but not editable here"), others)] if others else found


def _leaves(profile: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for field, value in profile.items():
        if isinstance(value, dict) and field != "rounds_table":
            found += [(f"{field}.{name}", inner) for name, inner in value.items()]
        else:
            found.append((field, value))
    return found
