"""Random choices from a stored seed only, the same on every machine and Python version."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Rng:
    """A stream of random choices. Uses `Random.random` alone, the one method whose sequence Python guarantees."""

    def __init__(self, seed: int):
        if type(seed) is not int:  # without one, Random would draw its own
            raise ValueError(f"the seed must be a whole number, not {seed!r}")
        self._random = Random(seed).random  # noqa: S311 a choice that everyone can repeat

    def randbelow(self, limit: int) -> int:
        """A whole number from 0 to limit - 1."""
        return int(self._random() * limit)

    def permutation(self, items: Iterable[T]) -> list[T]:
        """A new list of the items in random order: sorted by one number each, of 53 random bits."""
        random = self._random
        return sorted(items, key=lambda _: random())

    def draw_each(self, items: Iterable[T]) -> Iterator[T]:
        """The items in random order, each chosen only when it is asked for (Fisher-Yates)."""
        left = list(items)
        while left:
            k = self.randbelow(len(left))
            left[k], left[-1] = left[-1], left[k]
            yield left.pop()
