"""Pair large rounds without the garbage collector, which would scan their many lists again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause the cycle collector during short work that creates tens of thousands of values but no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
