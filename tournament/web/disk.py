import errno
from pathlib import Path

from django.conf import settings
from django.db import connection

from tournament.monitoring.installation import free_bytes

LEAST_FREE = 5 * 1024 * 1024  # bytes, of which the snapshot of a large event needs one
SQLITE_FULL, POSTGRES_FULL = 13, "53100"


def is_disk_full() -> bool:
    """Whether the disk with the snapshots or an SQLite database is full."""
    folders = [Path(settings.VAR_DIR) / "snapshots"]
    if connection.vendor == "sqlite":
        folders.append(Path(connection.settings_dict["NAME"]))
    return any(free_bytes(folder) < LEAST_FREE for folder in folders)


def is_about_full_disk(error: BaseException | None) -> bool:
    """Whether an error or its cause is a full disk, here or on the database server."""
    while error is not None:
        if (
            getattr(error, "sqlite_errorcode", None) == SQLITE_FULL
            or getattr(error, "sqlstate", None) == POSTGRES_FULL
            or (isinstance(error, OSError) and error.errno == errno.ENOSPC)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False
