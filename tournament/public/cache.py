"""Rendered public parts, kept per process: the newest mark of each only, gzip bytes, oldest out.

A mark is read from the database each time, so what is kept is exact across processes and machines: a part
is only given out under the mark it was rendered for. (DESIGN §4: a module-level dict; LocMemCache un-pickles
its whole map at each get.)
"""

from __future__ import annotations

import gzip
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

MOST_BYTES = 64 * 1024 * 1024
LEVEL = 5  # half the time of the default for a few per cent more bytes


class FragmentCache:
    """Gzip bytes by key, each with the mark it belongs to. `most`: bytes in all."""

    def __init__(self, most: int = MOST_BYTES):
        self.most = most
        self.size = 0
        self._kept: OrderedDict[Hashable, tuple[str, bytes]] = OrderedDict()
        self._being_made: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, mark: str, render: Callable[[], str]) -> bytes:
        """The part of that key at that mark; rendered once, however many ask for it at the same moment."""
        kept = self._look(key, mark)
        if kept is not None:
            return kept
        with self._lock:
            making = self._being_made.setdefault(key, Lock())
        with making:
            kept = self._look(key, mark)
            if kept is None:
                kept = gzip.compress(render().encode(), LEVEL, mtime=0)
                self._keep(key, mark, kept)
        with self._lock:
            self._being_made.pop(key, None)
        return kept

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self.size = 0

    def _look(self, key: Hashable, mark: str) -> bytes | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != mark:
                return None
            self._kept.move_to_end(key)
            return kept[1]

    def _keep(self, key: Hashable, mark: str, body: bytes) -> None:
        with self._lock:
            before = self._kept.pop(key, None)
            self.size -= len(before[1]) if before else 0
            if len(body) > self.most:
                return
            self._kept[key] = (mark, body)
            self.size += len(body)
            while self.size > self.most:
                _key, (_mark, oldest) = self._kept.popitem(last=False)
                self.size -= len(oldest)


fragment_cache = FragmentCache()
