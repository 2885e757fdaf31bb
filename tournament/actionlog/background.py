import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connections

logger = logging.getLogger("tournament.log")
_all: list["Background"] = []


class Background:
    """A limited number of threads for one kind of work, logged as `name`."""

    def __init__(self, name: str, threads: int):
        self.name = name
        self._threads = ThreadPoolExecutor(threads, name)
        _all.append(self)

    def submit(self, work: Callable[..., None], *args: Any) -> None:
        """Queue the work and return at once. Exceptions are logged."""
        self._threads.submit(self._run, work, *args)

    def _run(self, work: Callable[..., None], *args: Any) -> None:
        try:
            work(*args)
        except Exception:
            logger.exception("a %s failed", self.name)
        finally:
            connections.close_all()


def finish_work() -> None:
    for each in _all:
        each._threads.shutdown()
