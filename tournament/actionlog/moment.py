from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections, transaction


@contextmanager
def at_one_moment() -> Iterator[None]:
    """Read everything inside at one moment without blocking writers; no effect inside a transaction."""
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
    """Begin SQLite transactions by reading: those of services begin by locking the file."""
    mode, here.transaction_mode = here.transaction_mode, "DEFERRED"  # type: ignore[attr-defined]
    try:
        yield
    finally:
        here.transaction_mode = mode  # type: ignore[attr-defined]
