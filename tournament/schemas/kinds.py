"""Kinds of values in our JSON files, as types that msgspec checks and turns into JSON Schema."""

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
Id = Annotated[
    str,
    Meta(
        max_length=40,
        pattern=r"^[^\s/]+" + END,
        description="an id of up to 40 characters without spaces or slashes",
    ),
]
Address = Annotated[
    str,
    Meta(
        max_length=80,
        pattern=r"^[-a-zA-Z0-9_]+" + END,
        description="an address of up to 80 letters, digits and hyphens",
    ),
]
Seed = Annotated[
    str,
    Meta(
        max_length=64,
        pattern=r"^([0-9a-fA-F]{2})+" + END,
        description="an even number of up to 64 hexadecimal digits",
    ),
]
Games = Annotated[
    tuple[SomeGames, SomeGames, SomeGames],
    Meta(description="a list of 3 whole numbers: a's wins, b's wins, drawn games"),
]
Side = Literal["a", "b"]
BestOf = Literal[1, 3, 5]


class Replaceable:
    __slots__ = ()

    def replace(self, **changes: Any) -> Self:
        return msgspec.structs.replace(self, **changes)  # type: ignore[type-var]


class Item(Replaceable, Struct, forbid_unknown_fields=True):
    """An object of our archives: absent fields have their default, and other keys are refused."""


def exact_number(value: Any) -> Fraction | None:
    """Return the exact number of an integer or a text such as "1/2"; None for anything else, floats included."""
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
