"""Kinds of values in our JSON files, as types that msgspec checks and turns into JSON Schema."""

import json
import re
from fractions import Fraction
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import Meta, Struct

SMALL = 2**15 - 1  # limit of a small integer column: rounds, tables, minutes
LARGE = 10**9  # limit of an integer column
END = r"$(?!\n)"  # the end of a text: Python's `$` alone would let a closing line break through
NULL = {"type": "null"}
REFERENCE = "#/$defs/{name}"  # references within a published schema
EXACT = r"^[+-]?[0-9]{1,15}(/(?=0*[1-9])[0-9]{1,15}|\.[0-9]{1,15})?" + END
_EXACT = re.compile(EXACT)

Exact = Annotated[
    int | Annotated[str, Meta(pattern=EXACT)], Meta(description='an exact number such as "3" or "1/2"')
]
SomeGames = Annotated[int, Meta(ge=0, le=99)]
Count = Annotated[int, Meta(ge=0, le=SMALL)]
Positive = Annotated[int, Meta(ge=1, le=SMALL)]
Number = Annotated[int, Meta(ge=1, le=LARGE)]  # of an action, or a place in an order
Text12 = Annotated[str, Meta(max_length=12)]
Text40 = Annotated[str, Meta(max_length=40)]
Text60 = Annotated[str, Meta(max_length=60)]
Text64 = Annotated[str, Meta(max_length=64)]
Text80 = Annotated[str, Meta(max_length=80)]
Text120 = Annotated[str, Meta(max_length=120)]
Text150 = Annotated[str, Meta(max_length=150)]
Text200 = Annotated[str, Meta(max_length=200)]
Text500 = Annotated[str, Meta(max_length=500)]

NOT_BLANK = Meta(min_length=1, pattern=r"\S")
Name20 = Annotated[str, Meta(max_length=20), NOT_BLANK]
Name40 = Annotated[str, Meta(max_length=40), NOT_BLANK]
Name80 = Annotated[str, Meta(max_length=80), NOT_BLANK]
Name120 = Annotated[str, Meta(max_length=120), NOT_BLANK]
Name200 = Annotated[str, Meta(max_length=200), NOT_BLANK]
Moment = Annotated[Text500, Meta(extra_json_schema={"format": "date-time"})]
_ID = Meta(max_length=40, pattern=r"^[^\s/]+" + END)
Id = Annotated[str, _ID, Meta(description="an id of up to 40 characters without spaces or slashes")]
_ADDRESS = Meta(max_length=80, pattern=r"^[-a-zA-Z0-9_]+" + END)
Address = Annotated[str, _ADDRESS, Meta(description="an address of up to 80 letters, digits and hyphens")]
_SEED = Meta(max_length=64, pattern=r"^([0-9a-fA-F]{2})+" + END)
Seed = Annotated[str, _SEED, Meta(description="an even number of up to 64 hexadecimal digits")]
ThreeGames = tuple[SomeGames, SomeGames, SomeGames]
Games = Annotated[ThreeGames, Meta(description="a list of 3 whole numbers: a's wins, b's wins, drawn games")]
Side = Literal["a", "b"]
BestOf = Literal[1, 3, 5]


class Replaceable:
    __slots__ = ()

    def replace(self, **changes: Any) -> Self:
        return msgspec.structs.replace(self, **changes)  # type: ignore[type-var]


class Item(Replaceable, Struct, forbid_unknown_fields=True):
    """An object of our archives: absent fields have their defaults, and unknown keys are refused."""


def exact_number(value: Any) -> Fraction | None:
    """Return the exact number of an integer or a text such as "1/2"; None for anything else, including floats."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _EXACT.search(value) else None


def with_null(schema: dict[str, Any]) -> dict[str, Any]:
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


Fault = tuple[str, str]  # (path such as "rounds[3].matches[2].games", what is wrong)

UNKNOWN = "unknown key"

_PLACE = re.compile(r" - at `\$(.*)`\Z", re.DOTALL)
_KEY = re.compile(r"Object (contains unknown|missing required) field `(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


def fault_in(value: Any, kind: Any) -> Fault | None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        return describe_fault(error, value, msgspec.json.schema(kind))
    return None


def describe_fault(error: msgspec.ValidationError, value: Any, schema: dict[str, Any]) -> Fault:
    """Convert a msgspec error: its path in our notation, and in words what the schema expects there."""
    text = str(error)
    place = _PLACE.search(text)
    path = place[1] if place else ""
    key = _KEY.search(text[: place.start()] if place else text)
    if key and key[1] == "contains unknown":
        return f"{path}.{key[2]}".lstrip("."), UNKNOWN
    steps = _STEP.findall(f"{path}.{key[2]}" if key else path)
    node, path = schema, ""
    for name, index in steps:
        if _described_words(_resolved(node, schema)):
            break  # described, and so refused, as a whole
        node = _inside(node, name or int(index), schema)
        value = value.get(name) if isinstance(value, dict) else value[int(index)]
        path += (f".{name}" if path else name) if name else f"[{index}]"
    node = _resolved(node, schema)
    return path, f"is missing: expected {expectation(node)}" if key else refusal(value, node)


def refusal(value: Any, node: dict[str, Any]) -> str:
    expected = expectation(node)
    if _described_words(node) or "enum" in node:
        return f"{shown(value)} is not {expected}"
    return f"must be {expected}" + ("" if isinstance(value, str | list | dict) else f", not {shown(value)}")


def expectation(node: dict[str, Any]) -> str:
    """Return what a JSON Schema expects, as a noun phrase: "a whole number from 1 to 9"."""
    if words := _described_words(node):
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


def _described_words(node: dict[str, Any]) -> str:
    """Return the description of a kind of value; "" for an object, whose description is its purpose."""
    return "" if node.get("type") == "object" else node.get("description", "")


def shown(value: Any) -> str:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    text = repr(value) if plain else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else text[:57] + "…"


def _resolved(node: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
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
