"""Faults of a profile, by field path: of single fields (`schema`), of several together, and from `also_check`."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from tournament.rulesets import schema
from tournament.rulesets.resolve import defaults, rounds_tables
from tournament.rulesets.schema import FIELDS, Field, value_at
from tournament.schemas.kinds import REFERENCE, Fault, exact_number, fault_in, shown, with_null

_further: list[Callable[[dict], list[Fault]]] = []


def also_check(check: Callable[[dict], list[Fault]]) -> None:
    """Register another check of profiles. It returns faults like `validate` and must accept malformed profiles."""
    if check not in _further:
        _further.append(check)


def validate(profile: dict) -> list[Fault]:
    """Return every fault as (path, message), at most one per path; empty for a valid profile."""
    faults = [(path, "unknown field") for path in schema.unknown_fields(profile)]
    faults += [
        (group, "must be an object") for group in schema.GROUPS if not isinstance(profile.get(group), dict)
    ]
    for field in FIELDS:
        faults += _find_faults(field, profile)
    faults += [*_caps_below_floor(profile), *_unknown_open_fields(profile), *_gaps(profile)]
    for check in _further:
        faults += check(profile)
    first: dict[str, str] = {}
    for path, message in faults:
        first.setdefault(path, message)
    return list(first.items())


def _find_faults(field: Field, profile: dict) -> Iterator[Fault]:
    group, _dot, name = field.path.rpartition(".")
    inside = profile.get(group) if group else profile
    if not isinstance(inside, dict) or (name not in inside and field.empty != "refused"):
        return
    if name not in inside:
        yield field.path, "is missing"
        return
    value: Any = inside[name]
    if value is None and field.empty == "none":
        return
    if fault := fault_in(value, field.kind.type):
        path, message = fault
        yield field.path + (f".{path}" if path[:1].isalpha() else path), message
    elif field.kind.name == "ordered":
        for place, word in enumerate(value):
            if word in value[:place]:
                yield f"{field.path}[{place}]", f"{shown(word)} is in the list already"
    elif field.kind is schema.SHARE and not 0 <= Fraction(value) <= 1:
        yield field.path, f"{shown(value)} is not an exact share from 0 to 1, such as 1/4 or 0.25"
    elif field.kind is schema.POSITIVE and Fraction(value) <= 0:
        yield field.path, "must be worth more than 0"


def _caps_below_floor(profile: dict) -> Iterator[Fault]:
    floor = exact_number(value_at(profile, "percentages.match_floor"))
    for path in ("percentages.match_cap", "percentages.match_cap_dropped"):
        cap = exact_number(value_at(profile, path))
        if floor is not None and cap is not None and floor > cap:
            yield path, "the maximum (cap) is below the minimum (floor)"


def _unknown_open_fields(profile: dict) -> Iterator[Fault]:
    opened = profile.get("open_fields")
    for path in opened if isinstance(opened, list) else ():
        if isinstance(path, str) and not schema.is_field(path) and path not in schema.IGNORED:
            yield "open_fields", f"unknown field {path!r}"


def _gaps(profile: dict) -> Iterator[Fault]:
    table: Any = profile.get("rounds_table")
    if not isinstance(table, list) or fault_in(table, schema.FIELD_AT["rounds_table"].kind.type):
        return
    reached = None
    for i, row in enumerate(table):
        path = f"rounds_table[{i}]"
        if reached is not None and row["min"] != reached + 1:
            yield f"{path}.min", f"rows must follow without gap or overlap: {reached + 1}, not {row['min']}"
        reached = row.get("max")
        if reached is None:
            if i != len(table) - 1:
                yield f"{path}.max", "only the last row can be open-ended"
            return
        if reached < row["min"]:
            yield f"{path}.max", "must not be below min"


DESCRIPTION = (
    "A ruleset, or what an event changes of one. What is absent has its default, or follows from other fields "
    "(a bye is worth a win). Meaning of the fields: docs/rules.md."
)


def ruleset_schema(titles: Mapping[str, str]) -> dict[str, Any]:
    kinds = [field.kind.type for field in FIELDS]
    shapes, definitions = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    properties: dict[str, Any] = {}
    for field, shape in zip(FIELDS, shapes, strict=True):
        described = _described(field, shape, titles.get(field.path, ""))
        group, _dot, name = field.path.rpartition(".")
        if group:
            empty = {"type": "object", "properties": {}, "additionalProperties": False}
            properties.setdefault(group, empty)["properties"][name] = described
        else:
            properties[name] = described
    properties["rounds_table"]["anyOf"].append({"enum": list(rounds_tables())})
    whole = {"title": "Ruleset", "description": DESCRIPTION, "type": "object", "properties": properties}
    return {**whole, "additionalProperties": False, "$defs": definitions}


def _described(field: Field, shape: dict[str, Any], title: str) -> dict[str, Any]:
    if field.empty == "none" and shape:
        shape = with_null(shape)
    default = value_at(defaults(), field.path)
    about = {"title": title} if title else {}
    return {**about, **shape} | ({} if default is None else {"default": default})
