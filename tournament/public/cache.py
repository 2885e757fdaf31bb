"""A cache of values that are costly to compute, per process, with the version each was computed for.

The version is read from the database each time, so the cache is exact across processes and machines. Django's in-memory
cache would unpickle on each read.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Generic, TypeVar

from tournament.monitoring.metrics import CACHE_READS, CACHE_SIZE

T = TypeVar("T")


class VersionedCache(Generic[T]):
    """Values (never None) by key, in their newest version. Drops the least recently used if too large."""

    def __init__(self, most: int, size_of: Callable[[T], int] = lambda value: 1, *, name: str):
        self.most, self.size_of = most, size_of
        self.count_hit, self.count_miss = (CACHE_READS.labels(name, what).inc for what in ("hit", "miss"))
        self._show_size = CACHE_SIZE.labels(name).set
        self.size = 0
        self._values: OrderedDict[Hashable, tuple[object, T]] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def read(self, key: Hashable, version: object, make: Callable[[], T]) -> T:
        """Return the value, computing it only once even for simultaneous requests."""
        value = self.find(key, version)
        if value is not None:
            self.count_hit()
            return value
        self.count_miss()
        with self.making(key):
            value = self.find(key, version)
            if value is None:
                value = make()
                self.keep(key, version, value)
            return value

    @contextmanager
    def making(self, key: Hashable) -> Iterator[None]:
        """Let one thread at a time make the key's value; the others wait, then look again."""
        with self._lock:
            turn = self._making.setdefault(key, Lock())
        try:
            with turn:
                yield
        finally:
            with self._lock:
                self._making.pop(key, None)

    def newest(self, key: Hashable) -> T | None:
        """Return the value whatever its version, for callers that know its version or can update it."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][1]

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self.size = 0

    def find(self, key: Hashable, version: object) -> T | None:
        with self._lock:
            stored_version, value = self._values.get(key, ("", None))
            if value is None or stored_version != version:
                return None
            self._values.move_to_end(key)
            return value

    def keep(self, key: Hashable, version: object, value: T) -> None:
        with self._lock:
            before = self._values.pop(key, None)
            self.size -= self.size_of(before[1]) if before else 0
            if self.size_of(value) > self.most:
                return
            self._values[key] = (version, value)
            self.size += self.size_of(value)
            while self.size > self.most:
                _key, (_version, oldest) = self._values.popitem(last=False)
                self.size -= self.size_of(oldest)
            self._show_size(self.size)
