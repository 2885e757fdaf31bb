"""Random choices from a stored seed, the same on every machine and Python version."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Rng:
    """A stream of random choices. Uses only `Random.random`, whose sequence Python guarantees."""

    def __init__(self, seed: int):
        if type(seed) is not int:  # without one, Random would draw its own
            raise ValueError(f"the seed must be a whole number, not {seed!r}")
        self._random = Random(seed).random  # noqa: S311 a choice that everyone can repeat

    def randbelow(self, limit: int) -> int:
        return int(self._random() * limit)

    def permutation(self, items: Iterable[T]) -> list[T]:
        """Return the items in random order: sorted by one random number of 53 bits each."""
        random = self._random
        return sorted(items, key=lambda _: random())

    def draw_each(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items in random order, choosing each one only when it is needed (Fisher-Yates)."""
        left = list(items)
        while left:
            k = self.randbelow(len(left))
            left[k], left[-1] = left[-1], left[k]
            yield left.pop()
