"""How far the replica is behind, measured and never guessed.

Once a second, while public pages are asked for, a thread of each process notes how far the primary's log has been
written, and reads how far the replica has replayed it. The replica has everything of the last moment whose position it
has passed: the true lag is that or less. A connection that hangs, or a replica that was cut off, only lets that moment
grow older.
"""

import datetime as dt
import logging
import threading
import time
from collections import deque
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from tournament.models.replica import PRIMARY, REPLICA, Source

logger = logging.getLogger("tournament.replica")

SAID_FROM = 3.0  # s behind: pages say as of when they are
LIMIT = 10.0  # s behind: public pages are read from the primary
EVERY = 1.0  # s
PAUSE = 0.05  # s for what was just written to reach the replica
WATCHED = 10.0  # s after the last question; then the thread ends
WRITTEN = "SELECT pg_current_wal_flush_lsn() - '0/0'"
REPLAYED = "SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() - '0/0'"


class ReplicaLag:
    """What is known of the replica. Moments are of `time.monotonic`.

    complete_at  up to when the replica is known to have everything
    problem      why it is not used, whatever its lag; "" for no reason
    has_primary  whether the primary answered last: without it a replica that is behind is all there is
    """

    def __init__(self) -> None:
        self.complete_at = float("-inf")
        self.problem = ""
        self.has_primary = True
        self._asked = float("-inf")
        self._positions: deque[tuple[float, int]] = deque(maxlen=600)
        self._watching, self._measuring = threading.Lock(), threading.Lock()
        self._used = True  # as logged

    @property
    def seconds(self) -> float:
        """How far it is behind at most; infinite while nothing is known."""
        return time.monotonic() - self.complete_at

    @property
    def is_usable(self) -> bool:
        """Whether public pages are read from it."""
        near = self.seconds <= LIMIT or not self.has_primary
        return near and not self.problem and self.complete_at > float("-inf")

    def source(self) -> Source:
        """Where a public page is to be read; keeps the measuring going."""
        self._asked = time.monotonic()
        if not self._watching.locked():
            threading.Thread(target=self._watch, name="replica-lag", daemon=True).start()
        if not self.is_usable:
            return PRIMARY
        behind = self.seconds
        if behind <= SAID_FROM:
            return Source(REPLICA)
        return Source(REPLICA, dt.datetime.now(dt.UTC) - dt.timedelta(seconds=behind))

    def lose(self, error: Exception) -> None:
        """The replica failed a request: it is not asked again until it has answered the next measurement.

        A query that the replica refused, as it conflicts with what it replays, says nothing of the next one.
        """
        state = getattr(error.__cause__, "sqlstate", None) or ""
        if not state or state.startswith(("08", "57P")):
            self._note(type(error).__name__)

    def measure_if_old(self) -> None:
        """Bring it up to now, unless pages have just had it measured."""
        if self.seconds > SAID_FROM:
            self.measure()

    def measure(self) -> None:
        """Ask both, and log what changes about the use of the replica."""
        with self._measuring:
            self._note(self._compare())

    def _compare(self) -> str:
        """Bring `complete_at` and `has_primary` up to now; answers the `problem`."""
        moment = time.monotonic()
        try:
            (position,) = _ask(DEFAULT_DB_ALIAS, WRITTEN)
            self._positions.append((moment, int(position)))
            self.has_primary = True
        except DatabaseError:
            self.has_primary = False
        time.sleep(PAUSE)
        try:
            recovers, position = _ask(REPLICA, REPLAYED)
        except DatabaseError as error:
            return type(error).__name__
        if not recovers:  # it was promoted: from here on it has a history of its own
            return "it is no standby"
        while self._positions and self._positions[0][1] <= position:
            self.complete_at = self._positions.popleft()[0]
        return ""

    def describe(self) -> str:
        """How it is, in one line."""
        if self.problem:
            return f"the replica is not used: {self.problem}"
        if self.complete_at == float("-inf"):
            return "the replica has not been compared with the primary yet"
        behind = f"the replica is {self.seconds:.1f} s behind"
        return behind if self.is_usable else f"{behind} and not used"

    def _note(self, problem: str) -> None:
        self.problem = problem
        if self.is_usable == self._used:
            return
        self._used = self.is_usable
        if self._used:
            logger.warning("public pages are read from the replica again")
        else:
            logger.warning("%s: public pages are read from the primary", self.describe())

    def _watch(self) -> None:
        if not self._watching.acquire(blocking=False):
            return
        try:
            while time.monotonic() - self._asked < WATCHED:
                self.measure()
                time.sleep(EVERY)
        except Exception:
            logger.exception("the replica is not watched anymore until the next page")
        finally:
            self._watching.release()


def _ask(alias: str, statement: str) -> Any:
    """The only row."""
    here = connections[alias]
    try:
        with here.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchone()
    finally:
        here.close()  # back to its pool


lag = ReplicaLag()


def has_replica() -> bool:
    """Whether this installation has one."""
    return REPLICA in settings.DATABASES
