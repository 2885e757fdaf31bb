"""Queues for processes that write to SQLite or prepare a database; and reading at one moment.

SQLite allows one write at a time. Waiting connections sleep and retry in no particular order, so some wait for seconds
under load. A file lock beside the database lets the next one in at once, across processes, and is released if its
process dies. PostgreSQL queues the waiters for a row lock itself.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from tournament.config.bootstrap import one_at_a_time

try:
    import fcntl
except ImportError:  # Windows: SQLite's own waiting
    fcntl = None  # type: ignore[assignment]


PREPARES = 7_714_552  # key of PostgreSQL's advisory lock


@contextmanager
def turn_to_prepare(alias: str = DEFAULT_DB_ALIAS) -> Iterator[None]:
    """Let processes migrate a database one after the other, with a file lock on SQLite."""
    here = connections[alias]
    if here.vendor != "postgresql":
        with ExitStack() as stack:
            with suppress(OSError):  # then the database cannot be written either, and reports it
                stack.enter_context(one_at_a_time(Path(f"{here.settings_dict['NAME']}-preparing")))
            yield
        return
    with here.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARES])
        cursor.execute("RESET lock_timeout")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARES])


@contextmanager
def turn_to_write() -> Iterator[Callable[[], None]]:
    """Wait until this thread may write. Yield a function that ends the turn early, after the commit."""
    here = connections[DEFAULT_DB_ALIAS]
    if here.vendor != "sqlite" or here.in_atomic_block or fcntl is None:
        yield lambda: None
        return
    place: list[int] = []

    def leave() -> None:
        while place:
            os.close(place.pop())  # and with it the lock

    try:
        with suppress(OSError):  # no such locks, or a full disk: SQLite's own waiting
            place.append(os.open(f"{here.settings_dict['NAME']}-turn", os.O_RDWR | os.O_CREAT, 0o600))
            fcntl.flock(place[0], fcntl.LOCK_EX)
        yield leave
    finally:
        leave()


@contextmanager
def at_one_moment() -> Iterator[None]:
    """Read everything inside from one snapshot without blocking writers; no effect inside a transaction."""
    here = connections[DEFAULT_DB_ALIAS]
    if here.in_atomic_block:
        yield
    elif here.vendor == "sqlite":
        # Begin without a write lock, unlike the transactions of services.
        mode, here.transaction_mode = here.transaction_mode, "DEFERRED"  # type: ignore[attr-defined]
        try:
            with transaction.atomic():
                yield
        finally:
            here.transaction_mode = mode  # type: ignore[attr-defined]
    else:
        with transaction.atomic():
            with here.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
