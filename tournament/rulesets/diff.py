"""The stated rules of a profile, and the differences between two profiles.

Derived fields, such as a bye worth a win, are not stated rules.
"""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any, TypedDict

from tournament.rulesets.resolve import DERIVED_POINTS, UnknownRuleset, games_to_win
from tournament.rulesets.schema import FIELDS, drop_value, ignored_fields

IDENTITY = frozenset(field.path for field in FIELDS if field.part == "identity")
DESCRIPTIVE = frozenset(field.path for field in FIELDS if field.part == "description")


class FieldChange(TypedDict):
    """A changed field; None on the side where it is absent."""

    path: str
    before: Any
    after: Any


def stated_rules(profile: dict) -> dict:
    """Return a deep copy of the profile without key, version, derived and ignored fields."""
    rules = deepcopy({field: value for field, value in profile.items() if field not in IDENTITY})
    for path in ignored_fields(rules):
        drop_value(rules, path)
        if not rules.get(group := path.partition(".")[0], True):
            del rules[group]
    points = rules.get("match_points")
    if isinstance(points, dict):
        for field, source in reversed(DERIVED_POINTS):
            if field in points and points[field] == points.get(source, points.get("win")):
                del points[field]
    for field in ("bye_games", "forfeit_games"):
        if field in rules and rules[field] == _derived_games(rules):
            del rules[field]
    return rules


def _derived_games(rules: dict) -> list[int] | None:
    try:
        return [games_to_win(rules.get("best_of_swiss", 3)), 0, 0]
    except UnknownRuleset:
        return None


def differences(before: dict | None, after: dict | None) -> list[FieldChange]:
    """Return the changes between two sets of stated rules, by path; lists change as a whole."""
    return list(_changes(before or {}, after or {}))


def changed_fields(before: dict, after: dict) -> list[str]:
    """Return paths of the rules that differ between two profiles, without descriptions."""
    paths = [change["path"] for change in differences(stated_rules(before), stated_rules(after))]
    return [path for path in paths if path not in DESCRIPTIVE]


def _changes(before: dict, after: dict, group: str = "") -> Iterator[FieldChange]:
    for field in dict.fromkeys([*before, *after]):
        old, new = before.get(field), after.get(field)
        if group == "" and isinstance(old or {}, dict) and isinstance(new or {}, dict) and (old or new):
            yield from _changes(old or {}, new or {}, f"{field}.")
        elif old != new or type(old) is not type(new):
            yield {"path": f"{group}{field}", "before": old, "after": new}


def closed_paths(profile: dict, overrides: dict) -> list[str]:
    """Return paths that an event changes although its ruleset does not allow it (`open_fields`)."""
    open_fields = profile.get("open_fields")
    if open_fields is None:
        return []
    paths = list_override_paths(overrides)
    return sorted(path for path in paths if not {path, path.partition(".")[0]} & set(open_fields))


def list_override_paths(overrides: dict) -> list[str]:
    """Return the fields that an event's overrides change, one level deep: "match_points.win", "tiebreaks"."""
    paths = []
    for field, value in overrides.items():
        inner = value if isinstance(value, dict) else None
        paths += [f"{field}.{name}" for name in inner] if inner else [field]
    return paths
