"""Chance from a stored seed only, the same on every machine and Python version."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """A stream of draws. Uses `Random.random` alone, the one method whose sequence Python guarantees."""

    def __init__(self, seed: int):
        if type(seed) is not int:  # without one, Random would draw its own
            raise ValueError(f"the seed must be a whole number, not {seed!r}")
        self._random = Random(seed).random  # noqa: S311 a draw of lots that anybody can repeat

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        return int(self._random() * limit)

    def shuffled(self, items) -> list:
        """A new list of the items in drawn order: by one draw each, of 53 random bits."""
        draw = self._random
        return sorted(items, key=lambda _: draw())

    def one_by_one(self, items) -> Iterator:
        """The items in drawn order, each drawn when it is asked for (Fisher-Yates)."""
        left = list(items)
        while left:
            k = self.below(len(left))
            left[k], left[-1] = left[-1], left[k]
            yield left.pop()
