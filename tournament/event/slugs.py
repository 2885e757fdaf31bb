"""Names as parts of an address."""

import re
import unicodedata


def slug_of(name: str) -> str:
    """A name as an address: lower-case ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "event"
