"""What of a profile its publisher tells, and how two of them differ.

A whole profile also holds what follows from other fields (a bye is worth a win). Only what is told is edited,
compared and completed again, so that a changed win takes the bye along.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from tournament.rulesets.resolve import DERIVED_POINTS, UnknownRuleset, games_to_win
from tournament.rulesets.schema import FIELDS

IDENTITY = frozenset(field.path for field in FIELDS if field.part == "identity")
DESCRIPTIVE = frozenset(field.path for field in FIELDS if field.part == "description")
Change = dict[str, Any]


def stated_rules(profile: dict) -> dict:
    """The profile without its key and version and without what would follow anyway. Shares nothing."""
    rules = deepcopy({field: value for field, value in profile.items() if field not in IDENTITY})
    points = rules.get("match_points")
    if isinstance(points, dict):
        for field, source in reversed(DERIVED_POINTS):
            if field in points and points[field] == points.get(source, points.get("win")):
                del points[field]
    for field in ("bye_games", "forfeit_games"):
        if field in rules and rules[field] == _usual_games(rules):
            del rules[field]
    return rules


def _usual_games(rules: dict) -> list[int] | None:
    try:
        return [games_to_win(rules.get("best_of_swiss", 3)), 0, 0]
    except UnknownRuleset:
        return None


def differences(before: dict | None, after: dict | None) -> list[Change]:
    """[{"path", "before", "after"}] from one told profile to another, by path; lists change as a whole."""
    found: list[Change] = []
    _compare(before or {}, after or {}, "", found)
    return found


def changed_fields(before: dict, after: dict) -> list[str]:
    """Paths of the rules that differ between two profiles; what only describes them is left out."""
    paths = [change["path"] for change in differences(stated_rules(before), stated_rules(after))]
    return [path for path in paths if path not in DESCRIPTIVE]


def _compare(before: dict, after: dict, at: str, found: list[Change]) -> None:
    for field in dict.fromkeys([*before, *after]):
        path = f"{at}{field}"
        old, new = before.get(field), after.get(field)
        if at == "" and isinstance(old or {}, dict) and isinstance(new or {}, dict) and (old or new):
            _compare(old or {}, new or {}, f"{path}.", found)
        elif old != new or type(old) is not type(new):
            found.append({"path": path, "before": old, "after": new})


def closed_paths(profile: dict, overrides: dict) -> list[str]:
    """Paths an event changes although its publisher does not leave them open (`open_fields`)."""
    allowed = profile.get("open_fields")
    if allowed is None:
        return []
    return sorted(path for path in paths_of(overrides) if not _is_open(path, allowed))


def paths_of(overrides: dict) -> list[str]:
    """The fields an event's overrides name, one level deep: "match_points.win", "tiebreaks"."""
    found = []
    for field, value in overrides.items():
        inner = value if isinstance(value, dict) else None
        found += [f"{field}.{name}" for name in inner] if inner else [field]
    return found


def _is_open(path: str, allowed: list[str]) -> bool:
    return path in allowed or path.partition(".")[0] in allowed
