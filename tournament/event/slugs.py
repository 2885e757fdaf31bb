import re
import unicodedata

LONGEST = 1000  # characters


def slug_of(name: str) -> str:
    # Longer texts are no names; normalizing many marks would take minutes.
    plain = unicodedata.normalize("NFKD", name[:LONGEST]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "event"
