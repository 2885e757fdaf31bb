"""The random order of an event's entries, reproducible from its seed.

The lot of an entry is SHA-256(seed bytes, "lot", entry id in UTF-8); lots are sorted ascending, 1 is best. Stored lots
come before all others. No Django here.
"""

import hashlib
from collections.abc import Mapping

from tournament.event.types import NO_SEED


def compute_lots(seed: str | None, stored: Mapping[str, int | None]) -> dict[str, int]:
    """Return {entry id: place in the random order}: stored lots first, then all others; ties by their hash.

    `seed` is lower-case hex. Raises ValueError if it is not.
    """
    start = bytes.fromhex(seed or NO_SEED) + b"lot"
    lots = {entry: hashlib.sha256(start + entry.encode()).digest() for entry in stored}
    first = [entry for entry, place in stored.items() if place is not None]
    first.sort(key=lambda entry: (stored[entry], lots[entry]))
    rest = sorted(lots.keys() - set(first) if first else lots, key=lots.__getitem__)
    return {entry: place for place, entry in enumerate([*first, *rest], start=1)}
