"""Chance from a stored seed only, the same on every machine and Python version."""

from __future__ import annotations

from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """A stream of draws. Uses `Random.random` alone, the one method whose sequence Python guarantees."""

    def __init__(self, seed: int):
        self._random = Random(seed).random  # noqa: S311 a draw of lots that anybody can repeat

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        return int(self._random() * limit)

    def shuffled(self, items) -> list:
        """A new list of the items in drawn order (Fisher-Yates)."""
        drawn = list(items)
        draw = self._random
        for last in range(len(drawn) - 1, 0, -1):
            other = int(draw() * (last + 1))
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn
