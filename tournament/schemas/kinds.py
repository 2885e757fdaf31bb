"""Kinds of values in our JSON files, as types that msgspec checks and turns into JSON Schema."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any

from msgspec import Meta

SMALL = 2**15 - 1  # what both databases hold in a small column: rounds, tables, minutes
LARGE = 10**9  # what they hold in a whole one
END = r"$(?!\n)"  # the end of a text: Python's `$` alone would let a closing line break through
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


def exact_number(value: Any) -> Fraction | None:
    """The exact number that an integer or a text such as "1/2" means; None for anything else, floats included."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _EXACT.search(value) else None
