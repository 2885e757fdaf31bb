"""A cache of values that are costly to compute, per process, by the version they were computed for.

The version is read from the database each time, so the cache is exact across processes and machines. Django's in-memory
cache would unpickle at each read.
"""

import gzip
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from tournament.monitoring.metrics import CACHE_READS, CACHE_SIZE

T = TypeVar("T")

MOST_BYTES = 64 * 1024 * 1024
LEVEL = 5  # half the time of the default for a few per cent more bytes


class MarkCache(Generic[T]):
    """Values (never None) by key, only of the newest version; drops the least recently used.

    `most`: the size of all values; `size_of`: the size of one, by default 1; `name`: in the metrics.
    """

    def __init__(self, most: int, size_of: Callable[[T], int] = lambda value: 1, *, name: str):
        self.most, self.size_of = most, size_of
        self.count_hit, self.count_miss = (CACHE_READS.labels(name, what).inc for what in ("hit", "miss"))
        self._show_size = CACHE_SIZE.labels(name).set
        self.size = 0
        self._values: OrderedDict[Hashable, tuple[str, T]] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)

    def read(self, key: Hashable, mark: str, make: Callable[[], T]) -> T:
        """Return the value, computed once even for simultaneous requests."""
        value = self.find(key, mark)
        if value is not None:
            self.count_hit()
            return value
        self.count_miss()
        with self._lock:
            making = self._making.setdefault(key, Lock())
        try:
            with making:
                value = self.find(key, mark)
                if value is None:
                    value = make()
                    self.keep(key, mark, value)
                return value
        finally:
            with self._lock:
                self._making.pop(key, None)

    def newest(self, key: Hashable) -> T | None:
        """Return the value of any version, for callers that can update it."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][1]

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self.size = 0

    def find(self, key: Hashable, mark: str) -> T | None:
        with self._lock:
            stored_under, value = self._values.get(key, ("", None))
            if value is None or stored_under != mark:
                return None
            self._values.move_to_end(key)
            return value

    def keep(self, key: Hashable, mark: str, value: T) -> None:
        with self._lock:
            before = self._values.pop(key, None)
            self.size -= self.size_of(before[1]) if before else 0
            if self.size_of(value) > self.most:
                return
            self._values[key] = (mark, value)
            self.size += self.size_of(value)
            while self.size > self.most:
                _key, (_mark, oldest) = self._values.popitem(last=False)
                self.size -= self.size_of(oldest)
            self._show_size(self.size)


class FragmentCache(MarkCache[bytes]):
    """Rendered public parts as gzip bytes. `most`: bytes in all."""

    def __init__(self, most: int = MOST_BYTES):
        super().__init__(most, len, name="fragments")

    def get(self, key: Hashable, mark: str, render: Callable[[], str]) -> bytes:
        return self.read(key, mark, lambda: gzip.compress(render().encode(), LEVEL, mtime=0))


fragment_cache = FragmentCache()
