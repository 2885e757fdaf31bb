"""The release of the program: part of every ETag, so that a new release never serves old pages."""

import functools
import hashlib

from django.conf import settings

PARTS = ("tournament", "standings", "pairings", "templates", "static")
KINDS = (".py", ".html", ".css", ".js", ".json")


@functools.cache
def release() -> str:
    """12 hexadecimal digits over our own files: the same on every machine that runs the same program."""
    digest = hashlib.sha256()
    files = [path for part in PARTS for path in (settings.BASE_DIR / part).rglob("*") if path.suffix in KINDS]
    for path in sorted(files):
        digest.update(f"{path.relative_to(settings.BASE_DIR).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
