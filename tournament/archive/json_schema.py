"""The JSON Schema of an archive, made of the types of its format."""

from __future__ import annotations

from typing import Any

import msgspec

from tournament.archive.format import Archive
from tournament.schemas.documents import REFERENCE, with_null


def archive_schema(rules: dict[str, Any]) -> dict[str, Any]:
    """The schema of a whole file, without the dialect. `rules`: that of a ruleset, which it holds."""
    (_reference,), definitions = msgspec.json.schema_components([Archive], ref_template=REFERENCE)
    for definition in definitions.values():
        _allow_null(definition)
    root = definitions.pop("Archive")
    rules = dict(rules)
    definitions |= {"Rules": rules, **rules.pop("$defs")}
    for key in ("overrides", "profile"):
        definitions["Ruleset"]["properties"][key] = with_null({"$ref": "#/$defs/Rules"})
    return {**root, "$defs": definitions}


def _allow_null(definition: dict[str, Any]) -> None:
    """Absent and null mean the same in an archive."""
    for key, schema in definition["properties"].items():
        if key not in definition["required"]:
            definition["properties"][key] = with_null(schema)
