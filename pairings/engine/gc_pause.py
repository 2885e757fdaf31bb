"""Large rounds without the garbage collector, which would look at their many lists again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_gc() -> Iterator[None]:
    """Stop the search for reference cycles, for short work that makes tens of thousands of values but no cycles.

    Everything else is freed as usual. Other threads get their collection a little later.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
