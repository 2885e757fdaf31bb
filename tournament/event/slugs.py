import re
import unicodedata

LONGEST = 1000  # characters that are looked at


def slug_of(name: str) -> str:
    # A longer text is no name, and one of nothing but marks would take minutes to put in order.
    plain = unicodedata.normalize("NFKD", name[:LONGEST]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "event"
