"""Names as they stand in an address."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection


def slug_of(name: str) -> str:
    """A name as an address: lower-case ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "event"


def free_slug(wanted: str, taken: Collection[str]) -> str:
    """The address, or the next one with a number that is not taken."""
    number, slug = 1, wanted
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug
