"""Make random draws and the time the same in every test run."""

import datetime as dt
import itertools
import os
import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from unittest import mock

from django.utils import timezone

SEED = int(os.environ.get("SEED", "1"))  # with another number, other events are drawn and played
NOW = ("django.utils.timezone.now",)
# Far from midnight, from the end of a minute, and from the days on which clocks are changed. Events of the factories
# are made within this second; a test begins with the next.
START = dt.datetime(2026, 11, 21, 10, 0, tzinfo=dt.UTC)


@contextmanager
def same_draws(name: str) -> Iterator[None]:
    chance = random.Random(f"{SEED} {name}")
    with mock.patch("secrets.token_hex", lambda size=32: chance.randbytes(size).hex()):
        yield


@contextmanager
def same_time(after: float = 1, look: float = 0.001) -> Iterator[None]:
    """Let time begin so many seconds after START. Each look at the clock takes `look` seconds, and nothing else any."""
    looks = itertools.count()

    def now() -> dt.datetime:
        return START + dt.timedelta(seconds=after + next(looks) * look)

    now.begins_at_start = True
    with ExitStack() as clocks:
        for name in NOW:
            clocks.enter_context(mock.patch(name, now))
        for name in ("time.time",):
            clocks.enter_context(mock.patch(name, lambda: now().timestamp()))
        yield


def begins_at_start() -> bool:
    """Whether the time is the same in each run, and the test has not set another."""
    return getattr(timezone.now, "begins_at_start", False)
