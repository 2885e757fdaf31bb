"""Backup files of either database, written completely and checked before anything is replaced."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection

from tournament.archive.format import open_whole
from tournament.backups import postgres, sqlite
from tournament.backups.refusals import DAMAGED
from tournament.errors import Refused
from tournament.models import Tournament

KINDS = {sqlite.START: "sqlite", postgres.START: "postgresql"}
ENCRYPTED = {
    b"age-encryption.org": "This backup is encrypted with age. Decrypt it with age, then restore the result.",
    b"swiss-backup 1\n": "This backup is encrypted with a BACKUP_KEY, which this version cannot read. Restore it with "
    "the version that made it, make a new backup without BACKUP_KEY, and restore that one.",
}
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


def write_backup(path: Path) -> int:
    """Back up the database while others use it, all or nothing. Returns the size in bytes. Raises Refused, OSError."""
    if Tournament._meta.db_table not in connection.introspection.table_names():
        raise Refused("There is nothing to back up: this database has no tables yet.")
    _refuse_place(path)
    write = sqlite.write_database if connection.vendor == "sqlite" else postgres.write_database
    with open_whole(path) as file:
        write(file)
    return path.stat().st_size


def restore_backup(path: Path, *, replace: bool) -> None:
    """Replace the database by a backup, and migrate it to this version.

    Raises Refused, before anything is written, for a file that is not a complete backup of this kind of database, for a
    database that holds events or accounts unless `replace`, and while others use the database. On PostgreSQL a missing
    table is noticed only after the database has been replaced.
    """
    with path.open("rb") as file:
        start = file.read(20)
    for magic, words in ENCRYPTED.items():
        if start.startswith(magic):
            raise Refused(words)
    kind = next((kind for magic, kind in KINDS.items() if start.startswith(magic)), None)
    if kind is None:
        raise Refused(f"{path} is not a backup made by this program. To load an archive, use load.")
    if kind != connection.vendor:
        raise Refused(
            f"This is a backup of {NAMES[kind]}, and the database here is {NAMES[connection.vendor]}. "
            "Move events with dump and load."
        )
    with _private_file() as copy:
        if kind == "sqlite":
            shutil.copyfile(path, copy)
            sqlite.check_file(copy)
            _refuse_data(replace)
            with sqlite.database_at(copy):
                _bring_up()
            sqlite.replace_database(copy)
        else:
            postgres.write_script(path, copy)
            _refuse_data(replace)
            postgres.replace_database(copy)
            _bring_up()


def _bring_up() -> None:
    """Migrate the restored database, and make all cached pages invalid. Raises Refused for a missing table."""
    call_command("migrate", verbosity=0, interactive=False)
    tables = connection.introspection
    if missing := {*tables.django_table_names()} - {*tables.table_names()}:
        raise Refused(f"{DAMAGED} It lacks: {', '.join(sorted(missing))}.")
    Tournament.objects.update(lineage=secrets.token_hex(4))


def _refuse_place(path: Path) -> None:
    """Raise Refused if a backup must not be written here: the database itself, a device, or a symbolic link."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise Refused(f"{path} is not a file. Name a new file, or an earlier backup.")
    if connection.vendor == "sqlite":
        database = sqlite.database().resolve()
        of_database = {
            database,
            *(database.with_name(database.name + end) for end in ("-wal", "-shm", "-turn")),
        }
        if path.resolve() in of_database or (path.exists() and path.samefile(database)):
            raise Refused(f"{path} is the database itself. Name another file.")


def _refuse_data(replace: bool) -> None:
    """Raise Refused if the database holds events or accounts. With `replace`, do not read it: it may be damaged."""
    if replace:
        return
    tables = connection.introspection.table_names()
    for model, what in ((Tournament, "events"), (get_user_model(), "accounts")):
        if model._meta.db_table in tables and model._default_manager.exists():
            raise Refused(f"The database here holds {what}. To replace all of it, add --replace.")


@contextmanager
def _private_file() -> Iterator[Path]:
    """Yield a temporary file that only this account can read: beside an SQLite database, else in the usual folder."""
    folder = sqlite.database().parent if connection.vendor == "sqlite" else None
    handle, name = tempfile.mkstemp(prefix=".restore-", dir=folder)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for file in Path(name).parent.glob(f"{Path(name).name}*"):  # with its locks
            file.unlink(missing_ok=True)
