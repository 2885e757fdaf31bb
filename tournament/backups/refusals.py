"""Reasons to refuse a backup, shared by both databases."""

from collections.abc import Iterable

from django.db.migrations.loader import MigrationLoader

from tournament.errors import Refused

DAMAGED = "This backup is damaged or was cut off. Use another one."


def in_use() -> Refused:
    return Refused("The database is in use, so nothing was restored. Stop the server, then restore.")


def refuse_newer(applied: Iterable[tuple[str, str]]) -> None:
    """Raise Refused if this version does not know one of these migrations (app, name)."""
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
