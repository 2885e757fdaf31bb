"""Errors in a JSON value, in words: its path, what was expected there, what was found."""

import json
import re
from typing import Any

import msgspec

Fault = tuple[str, str]  # (path such as "rounds[3].matches[2].games", what is wrong)

UNKNOWN = "unknown key"

_PLACE = re.compile(r" - at `\$(.*)`\Z", re.DOTALL)
_KEY = re.compile(r"Object (contains unknown|missing required) field `(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


def fault_in(value: Any, kind: Any) -> Fault | None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return fault_of(error, value, msgspec.json.schema(kind))
    return None


def fault_of(error: msgspec.ValidationError, value: Any, schema: dict[str, Any]) -> Fault:
    """Convert a msgspec error: its path in our notation, and what the schema expects there in words."""
    text = str(error)
    place = _PLACE.search(text)
    path = place[1] if place else ""
    key = _KEY.search(text[: place.start()] if place else text)
    if key and key[1] == "contains unknown":
        return f"{path}.{key[2]}".lstrip("."), UNKNOWN
    steps = _STEP.findall(f"{path}.{key[2]}" if key else path)
    node, path = schema, ""
    for name, index in steps:
        if _words_of(_resolved(node, schema)):
            break  # described, and so refused, as a whole
        node = _inside(node, name or int(index), schema)
        value = value.get(name) if isinstance(value, dict) else value[int(index)]
        path += (f".{name}" if path else name) if name else f"[{index}]"
    node = _resolved(node, schema)
    return path, f"is missing: expected {expectation(node)}" if key else refusal(value, node)


def refusal(value: Any, node: dict[str, Any]) -> str:
    expected = expectation(node)
    if _words_of(node) or "enum" in node:
        return f"{shown(value)} is not {expected}"
    return f"must be {expected}" + ("" if isinstance(value, str | list | dict) else f", not {shown(value)}")


def expectation(node: dict[str, Any]) -> str:
    """Return what a JSON Schema expects, as a noun phrase: "a whole number from 1 to 9"."""
    if words := _words_of(node):
        return words
    if "enum" in node:
        return f"one of {', '.join(str(word) for word in node['enum'])}"
    if "anyOf" in node:
        return " or ".join(expectation(choice) for choice in node["anyOf"] if choice.get("type") != "null")
    kind = node.get("type")
    if kind == "integer" and "maximum" in node:
        return f"a whole number from {node['minimum']} to {node['maximum']}"
    if kind == "string" and "maxLength" in node:
        least = "1" if node.get("minLength") else "up"
        return f"text of {least} to {node['maxLength']} characters"
    if kind == "array" and "maxItems" in node:
        least, most = node.get("minItems", 0), node["maxItems"]
        return f"a list of {most}" if least == most else f"a list of {least} to {most}"
    names = {"integer": "a whole number", "string": "text", "boolean": "true or false", "array": "a list"}
    return names.get(kind or "", "an object")


def _words_of(node: dict[str, Any]) -> str:
    """Return how a kind of value describes itself; an object describes its purpose."""
    return "" if node.get("type") == "object" else node.get("description", "")


def shown(value: Any) -> str:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    text = repr(value) if plain else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else text[:57] + "…"


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Resolve references, and a choice between a node and null."""
    while "description" not in node:
        choices = [choice for choice in node.get("anyOf", []) if choice.get("type") != "null"]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
        elif len(choices) == 1:
            node = choices[0]
        else:
            break
    return node


def _inside(node: dict[str, Any], step: str | int, schema: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in node:
        return _inside(schema["$defs"][node["$ref"].rpartition("/")[2]], step, schema)
    for choice in node.get("anyOf", []):
        if part := _inside(choice, step, schema):
            return part
    if isinstance(step, str):
        return node.get("properties", {}).get(step, {})
    first = node.get("prefixItems", [])
    items = first[step] if step < len(first) else node.get("items", {})
    return items if isinstance(items, dict) else {}
