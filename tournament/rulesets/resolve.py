"""Merge the defaults, a built-in ruleset ("preset") and an event's overrides into one complete profile."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from tournament.rulesets.fide import date_fide_rules
from tournament.rulesets.schema import FIELDS

PRESETS_FILE = Path(__file__).with_name("presets.json")
DESCRIPTION = ("name", "version", "source", "confidence")  # of a built-in ruleset, beside its rules
# {match points: those they equal unless given}, in the order in which to derive them.
DERIVED_POINTS = tuple((field.path.rpartition(".")[2], field.source) for field in FIELDS if field.source)


class UnknownRuleset(ValueError):
    """An unknown ruleset, version or rounds table; the message names it."""


@cache
def _library() -> dict:
    return json.loads(PRESETS_FILE.read_text(encoding="utf-8"))


def is_preset(key: str) -> bool:
    """Whether the ruleset is built in. Keys of built-in rulesets have no hyphen, all others do."""
    return key in _library()["rulesets"]


def defaults() -> dict[str, Any]:
    return deepcopy(_library()["defaults"])


def rounds_tables() -> dict[str, object]:
    return deepcopy(_library()["rounds_tables"])


def presets() -> dict[str, dict]:
    """Return a fresh copy of the built-in rulesets by key, as complete profiles."""
    return {key: resolve(key) for key in _library()["rulesets"]}


def resolve(
    preset: str,
    version: int | None = None,
    overrides: dict | None = None,
    best_of: int | str | None = None,
    starts_at: str | None = None,
) -> dict:
    """Return the complete profile of a built-in ruleset with an event's overrides.

    `best_of`: the event's length of a Swiss match, if it differs; `starts_at`: the event's local start as ISO text,
    which decides the version of FIDE's rules. Raises UnknownRuleset.
    """
    library = _library()
    entry = library["rulesets"].get(preset) if isinstance(preset, str) else None
    if entry is None:
        raise UnknownRuleset(f"Unknown ruleset {preset!r}. Known rulesets: {', '.join(library['rulesets'])}.")
    if version is not None and version != entry["version"]:
        raise UnknownRuleset(f"Ruleset {preset!r} has no version {version!r}, only {entry['version']}.")
    description = {"key": preset, **{field: entry[field] for field in DESCRIPTION}}
    return _completed(description, entry["overrides"], overrides or {}, best_of, starts_at)


def resolve_spec(spec: dict, best_of: int | str | None = None, starts_at: str | None = None) -> dict:
    """Return the complete profile of an archive's `ruleset` object.

    `spec` is {"preset", "version"?, "overrides"?} or {"name", "profile", "overrides"?}. A given profile is also merged
    over the defaults. `best_of` and `starts_at`: see `resolve`. Raises UnknownRuleset, also for an invalid object.
    """
    if not isinstance(spec, dict):
        raise UnknownRuleset(f"A ruleset must be an object, not {spec!r}.")
    overrides = spec.get("overrides") or {}
    if not isinstance(overrides, dict):
        raise UnknownRuleset("The overrides of a ruleset must be an object.")
    if spec.get("preset") is not None:
        return resolve(spec["preset"], spec.get("version"), overrides, best_of, starts_at)
    profile = spec.get("profile")
    if not isinstance(profile, dict):
        raise UnknownRuleset("A ruleset must name a preset or hold a whole profile.")
    description = {
        "key": profile.get("key"),
        "name": spec.get("name") or profile.get("name") or "",
        "version": profile.get("version", 1),
        "source": profile.get("source", ""),
        "confidence": profile.get("confidence", ""),
    }
    rules = {field: value for field, value in profile.items() if field not in description}
    return _completed(description, rules, overrides, best_of, starts_at)


def _completed(
    description: dict, rules: dict, overrides: dict, best_of: int | str | None, starts_at: str | None
) -> dict:
    profile = _merged(_merged(_library()["defaults"], rules), overrides)
    if best_of is not None:
        profile["best_of_swiss"] = best_of
    tables, table = _library()["rounds_tables"], profile["rounds_table"]
    if isinstance(table, str):
        if table not in tables:
            raise UnknownRuleset(f"Unknown rounds table {table!r}. Known tables: {', '.join(tables)}.")
        profile["rounds_table"] = deepcopy(tables[table])
    points = profile["match_points"]
    if not isinstance(points, dict):
        raise UnknownRuleset("match_points of a ruleset must be an object.")
    for key, source in DERIVED_POINTS:
        points.setdefault(key, points.get(source))
    for key in ("bye_games", "forfeit_games"):
        if profile.get(key) is None:
            profile[key] = [games_to_win(profile["best_of_swiss"]), 0, 0]
    date_fide_rules(profile, starts_at)
    return description | profile


def _merged(under: Any, over: Any) -> Any:
    """Return `over` merged over `under`: objects by key; lists and scalars are replaced. Shares nothing with either."""
    if not (isinstance(under, dict) and isinstance(over, dict)):
        return deepcopy(over)
    merged = deepcopy(under)
    for key, value in over.items():
        merged[key] = _merged(under[key], value) if key in under else deepcopy(value)
    return merged


def games_to_win(best_of: int | str) -> int:
    """Return how many games must be won: 2 in a best of 3; 1 for "exactly_2", whose preset overrides it with 2."""
    length = str(best_of).removeprefix("exactly_")
    if not length.isdecimal():
        raise UnknownRuleset(f'best_of_swiss must be 1, 3, 5 or "exactly_2", not {best_of!r}.')
    return (int(length) + 1) // 2
