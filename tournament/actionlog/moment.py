"""Reading many tables as they stood at one moment, beside people who go on writing."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections, transaction


@contextmanager
def at_one_moment() -> Iterator[None]:
    """Let everything that is read inside come from one moment. It holds up no one who writes.

    For checks that compare tables and must not mistake a change in between for a fault. Inside a transaction that
    was begun already nothing changes: a service holds its event's row.
    """
    here = connections[DEFAULT_DB_ALIAS]
    if here.in_atomic_block:
        yield
    elif here.vendor == "sqlite":
        with _deferred(here), transaction.atomic():
            yield
    else:
        with transaction.atomic():
            with here.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield


@contextmanager
def _deferred(here: object) -> Iterator[None]:
    """Begin transactions of a connection to SQLite by reading: those of services begin by locking the file."""
    mode, here.transaction_mode = here.transaction_mode, "DEFERRED"  # type: ignore[attr-defined]
    try:
        yield
    finally:
        here.transaction_mode = mode  # type: ignore[attr-defined]
