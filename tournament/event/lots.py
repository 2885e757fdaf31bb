"""The random order of an event's entries: computed once from its seed, and by anyone again.

The lot of an entry is SHA-256(seed bytes, "lot", entry id in UTF-8), ascending, 1 best. A stored lot goes before
all others. No Django here.
"""

import hashlib
from collections.abc import Mapping

from tournament.event.types import NO_SEED


def lot_of(seed: str, entry: str) -> bytes:
    """The entry's lot as 32 bytes to be compared; `seed` is lower-case hex. ValueError if it is not hex."""
    return hashlib.sha256(bytes.fromhex(seed) + b"lot" + entry.encode()).digest()


def lots_of(seed: str | None, stored: Mapping[str, int | None]) -> dict[str, int]:
    """{entry id: place in the random order, 1 best} for every id of `stored` ({id: stored lot or None}).

    Entries with a stored lot come first, in its order; equal stored lots and all others go by their hash.
    """
    lots = {entry: lot_of(seed or NO_SEED, entry) for entry in stored}
    first = [entry for entry, place in stored.items() if place is not None]
    first.sort(key=lambda entry: (stored[entry], lots[entry]))
    rest = sorted(lots.keys() - set(first) if first else lots, key=lots.__getitem__)
    return {entry: place for place, entry in enumerate([*first, *rest], start=1)}
