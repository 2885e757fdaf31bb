"""The draw of lots: one order for the whole event, drawn once from its seed and re-computable by anybody.

lot(entry) = SHA-256(seed bytes, "lot", entry id in UTF-8), ascending, 1 best; a stored lot wins over it
(rules, "Lot").
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

NO_SEED = "00" * 16  # what is used, and said, where an event has no seed


def lot(seed: str, entry: str) -> bytes:
    """The entry's lot as 32 bytes to be compared; `seed` is lower-case hex. ValueError if it is not hex."""
    return hashlib.sha256(bytes.fromhex(seed) + b"lot" + entry.encode()).digest()


def draw(seed: str | None, stored: Mapping[str, int | None]) -> dict[str, int]:
    """{entry id: place in the draw, 1 best} for every id of `stored` ({id: stored lot or None}).

    Entries with a stored lot come first, in its order; equal stored lots and all others go by their hash.
    """
    seed = seed or NO_SEED
    drawn = {entry: lot(seed, entry) for entry in stored}
    given = [entry for entry, place in stored.items() if place is not None]
    given.sort(key=lambda entry: (stored[entry], drawn[entry]))
    rest = (
        sorted(drawn.keys() - set(given), key=drawn.__getitem__)
        if given
        else sorted(drawn, key=drawn.__getitem__)
    )
    return {entry: place for place, entry in enumerate([*given, *rest], start=1)}
