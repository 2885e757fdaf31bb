"""Shared by both databases: files in parts, and reasons to refuse a backup."""

from collections.abc import Iterable, Iterator
from typing import IO

from django.db.migrations.loader import MigrationLoader

from tournament.errors import Refused

DAMAGED = "This backup is damaged or was cut off. Use another one."


def parts_of(file: IO[bytes]) -> Iterator[bytes]:
    """A file's bytes, a megabyte at a time."""
    while part := file.read(1 << 20):
        yield part


def in_use() -> Refused:
    """Others use the database."""
    return Refused("The database is in use, so nothing was restored. Stop the server, then restore.")


def refuse_newer(applied: Iterable[tuple[str, str]]) -> None:
    """Raise Refused where these migrations (app, name) include one that this version does not know."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    unknown = sorted(
        f"{app}.{name}"
        for app, name in applied
        if app in loader.migrated_apps and (app, name) not in loader.disk_migrations
    )
    if unknown:
        raise Refused(
            f"A newer version of this program made this backup ({unknown[-1]}). Restore it with that one."
        )
