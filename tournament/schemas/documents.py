"""Parts of the JSON Schema documents that we publish."""

from __future__ import annotations

from typing import Any

NULL = {"type": "null"}
REFERENCE = "#/$defs/{name}"  # how one part of a document names another


def with_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The same values, or null."""
    choices = [choice for choice in schema.get("anyOf", []) if choice != NULL]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if len(choices) == 1:
        return with_null(choices[0]) | rest
    if choices:
        return rest | {"anyOf": [*choices, NULL]}
    if "enum" in rest:
        return rest | {"enum": [*rest["enum"], None]}
    if "type" in rest:
        return rest | {"type": [rest["type"], "null"]}
    default = {"default": rest.pop("default")} if "default" in rest else {}
    return {"anyOf": [rest, NULL], **default}
