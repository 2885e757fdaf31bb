"""Writers to SQLite take turns.

SQLite lets one write at a time. Those who wait for it sleep and try again, in no order, so that under load some are
passed over for seconds. The lock of a file beside the database lets in the next one at once, whichever process it is
in; a process that dies leaves its place. PostgreSQL needs none of this: who waits for a row's lock stands in line.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from django.db import DEFAULT_DB_ALIAS, connections

try:
    import fcntl
except ImportError:  # Windows: there they wait as SQLite lets them
    fcntl = None  # type: ignore[assignment]


@contextmanager
def turn_to_write() -> Iterator[Callable[[], None]]:
    """Wait until it is this thread's turn. Gives what ends the turn early, as soon as the transaction is over.

    Inside a transaction the turn has come already.
    """
    here = connections[DEFAULT_DB_ALIAS]
    if here.vendor != "sqlite" or here.in_atomic_block or fcntl is None:
        yield lambda: None
        return
    place: list[int] = []

    def leave() -> None:
        while place:
            os.close(place.pop())  # and with it the lock

    try:
        with suppress(OSError):  # a disk without such locks, or a full one: they wait as SQLite lets them
            place.append(os.open(f"{here.settings_dict['NAME']}-turn", os.O_RDWR | os.O_CREAT, 0o600))
            fcntl.flock(place[0], fcntl.LOCK_EX)
        yield leave
    finally:
        leave()
