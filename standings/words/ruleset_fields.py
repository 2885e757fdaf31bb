import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from standings.engine import METRICS
from standings.words.field_texts import text_of
from standings.words.formats import format_rounded
from standings.words.metrics import param_in_words, title_of
from tournament.ruleset_library.rule_fields import FIELDS, GROUPS, RuleField, label_of, words_of
from tournament.rulesets import differences, stated_rules
from tournament.rulesets.diff import FieldChange
from tournament.rulesets.schema import FIELD_AT, IGNORED, SHARE, value_at
from tournament.schemas.kinds import exact_number
from tournament.services.rulesets import FaultyRules

# Not rules: shown elsewhere on the page, or of no interest to a reader.
NOT_RULES = ("key", "version", "name", "source", "confidence", "based_on")


class FieldWords(NamedTuple):
    """A field in words, with its value `before` in a change. `derived`: not set, it follows from others."""

    label: str
    now: str
    before: str = ""
    derived: bool = False  # not set, it follows from others


def value_in_words(path: str, value: Any) -> str:
    if path == "tiebreaks" and isinstance(value, list):
        return " → ".join(step_in_words(step) for step in value)
    if path == "rounds_table":
        return table_in_words(value)
    if path == "open_fields":
        return _open_fields_in_words(value)
    field, words = FIELDS.get(path), words_of(path)
    if field and field.kind == "parts":
        return "; ".join(
            f"{name} {(value or {}).get(part, field.empty[part])}" for part, name in words.items()
        )
    if value is None:
        return str(field.empty or _("not set")) if field else _("not set")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if words and isinstance(value, list):
        return " → ".join(str(words.get(word, word)) for word in value) or str((field and field.empty) or "")
    if path in FIELD_AT and FIELD_AT[path].kind is SHARE:
        return _share_in_words(value)
    if words and isinstance(value, str | int):
        return str(words.get(value, value))
    if field or not isinstance(value, dict | list):
        return text_of(value)
    return json.dumps(value, ensure_ascii=False)


def _share_in_words(value: Any) -> str:
    """Return 33% for 33/100; as typed if it is not exact to two places, such as 1/3."""
    share = exact_number(value)
    if share is None or (share * 10_000).denominator > 1:
        return text_of(value)
    return f"{percent_of(share)}%"


def percent_of(share: Fraction) -> str:
    """Return the percentage to at most two places, without the sign."""
    return format_rounded(share * 100, 2).rstrip("0").rstrip(".")


def _open_fields_in_words(value: list[str] | None) -> str:
    if value is None:
        return _("everything")
    return ", ".join(label_of(name) for name in value if name not in IGNORED) or _("nothing")


def step_in_words(step: dict[str, Any]) -> str:
    """Return a step of the standings order: the publisher's name, the metric's if it differs, and its settings."""
    key = str(step.get("metric"))
    title = title_of(key) if key in METRICS else key
    details = [title] if step.get("label") and step["label"] != title else []
    details += [
        param_in_words(key, name, text_of(value))
        for name, value in (step.get("params") or {}).items()
        if value is not None
    ]
    if step.get("order"):
        details.append(_("lower is better") if step["order"] == "asc" else _("higher is better"))
    name = step.get("label") or title
    return f"{name} ({', '.join(details)})" if details else name


def table_in_words(table: Any) -> str:
    if not isinstance(table, list):
        return _("enough rounds to leave 1 undefeated player, no cut")
    return "; ".join(_row_in_words(row) for row in table)


def _row_in_words(row: dict[str, Any]) -> str:
    players = f"{row['min']}–{row['max']}" if row.get("max") else f"{row['min']}+"
    parts = [ngettext("%(n)s round", "%(n)s rounds", row["rounds"]) % {"n": row["rounds"]}]
    if row.get("cut"):
        parts.append(_("top %(cut)s") % {"cut": row["cut"]})
    if row.get("stage") == "single_elimination":
        parts.append(_("single elimination suggested"))
    return f"{players}: {', '.join(parts)}"


def changes_in_words(changes: Iterable[FieldChange]) -> list[FieldWords]:
    return [
        change_in_words(change["path"], change["before"], change["after"])
        for change in changes
        if change["path"] != "based_on"
    ]


def change_in_words(path: str, before: Any, after: Any) -> FieldWords:
    return FieldWords(label_of(path), value_in_words(path, after), value_in_words(path, before))


def faults_in_words(error: FaultyRules) -> list[str]:
    return [_fault_in_words(path, message) for path, message in error.faults]


def _fault_in_words(path: str, message: str) -> str:
    label = label_of(path.partition("[")[0])
    place = path if label == path else f"{label} ({path})"
    return f"{place}: {message}" if path else message


def differences_in_words(before: dict[str, Any], after: dict[str, Any]) -> list[FieldWords]:
    return changes_in_words(differences(stated_rules(before), stated_rules(after)))


def profile_in_words(profile: dict[str, Any]) -> list[tuple[str, list[FieldWords]]]:
    """Return (title, fields in words) of a whole profile; fields that cannot be edited come last."""
    rules = stated_rules(profile)
    groups = [
        (str(title), [_field(field, profile, rules) for field in fields]) for title, fields in GROUPS[1:]
    ]
    others = [
        FieldWords(label_of(path), value_in_words(path, value))
        for path, value in _leaves(profile)
        if path not in FIELDS and path not in NOT_RULES and path not in IGNORED
    ]
    return [*groups, (_("Stored but not editable here"), others)] if others else groups


def _field(field: RuleField, profile: dict[str, Any], rules: dict[str, Any]) -> FieldWords:
    value = value_at(profile, field.path)
    derived = value is not None and value_at(rules, field.path) is None
    return FieldWords(str(field.label), value_in_words(field.path, value), derived=derived)


def _leaves(profile: dict[str, Any]) -> list[tuple[str, Any]]:
    leaves: list[tuple[str, Any]] = []
    for field, value in profile.items():
        if isinstance(value, dict) and field != "rounds_table":
            leaves += [(f"{field}.{name}", inner) for name, inner in value.items()]
        else:
            leaves.append((field, value))
    return leaves
