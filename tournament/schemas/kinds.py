"""Kinds of values in our JSON files, as types that msgspec checks and turns into JSON Schema."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any

from msgspec import Meta

END = r"$(?!\n)"  # the end of a text: Python's `$` alone would let a closing line break through
EXACT = r"^[+-]?[0-9]{1,15}(/(?=0*[1-9])[0-9]{1,15}|\.[0-9]{1,15})?" + END
_EXACT = re.compile(EXACT)

Exact = Annotated[
    int | Annotated[str, Meta(pattern=EXACT)], Meta(description='an exact number such as "3" or "1/2"')
]
SomeGames = Annotated[int, Meta(ge=0, le=99)]


def exact_number(value: Any) -> Fraction | None:
    """The exact number that an integer or a text such as "1/2" means; None for anything else, floats included."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _EXACT.search(value) else None
