from collections.abc import Mapping
from typing import Any

import msgspec

from tournament.rulesets.resolve import defaults, rounds_tables
from tournament.rulesets.schema import FIELDS, Field, value_at
from tournament.schemas.kinds import REFERENCE, with_null

DESCRIPTION = (
    "A ruleset, or what an event changes of one. What is absent has its default, or follows from other fields "
    "(a bye is worth a win). Meaning of the fields: docs/rules.md."
)


def ruleset_schema(titles: Mapping[str, str]) -> dict[str, Any]:
    schemas, definitions = msgspec.json.schema_components(
        [field.kind.type for field in FIELDS], ref_template=REFERENCE
    )
    properties: dict[str, Any] = {}
    for field, schema in zip(FIELDS, schemas, strict=True):
        described = _described(field, schema, titles.get(field.path, ""))
        group, _dot, name = field.path.rpartition(".")
        if group:
            empty = {"type": "object", "properties": {}, "additionalProperties": False}
            properties.setdefault(group, empty)["properties"][name] = described
        else:
            properties[name] = described
    properties["rounds_table"]["anyOf"].append({"enum": list(rounds_tables())})
    schema = {"title": "Ruleset", "description": DESCRIPTION, "type": "object", "properties": properties}
    return {**schema, "additionalProperties": False, "$defs": definitions}


def _described(field: Field, schema: dict[str, Any], title: str) -> dict[str, Any]:
    if field.empty == "none" and schema:
        schema = with_null(schema)
    default = value_at(defaults(), field.path)
    about = {"title": title} if title else {}
    return {**about, **schema} | ({} if default is None else {"default": default})
