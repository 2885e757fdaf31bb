"""Back up the whole database to one file while the server runs, and restore it. Files are checked before use."""

import os
import re
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import psycopg
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from psycopg.conninfo import make_conninfo

from tournament.archive.format import open_whole
from tournament.errors import Refused
from tournament.models import Tournament

KINDS = {b"SQLite format 3\x00": "sqlite", b"PGDMP": "postgresql"}  # by the start of a backup
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
DAMAGED = "This backup is damaged or was cut off. Use another one."
IN_USE = "The database is in use, so nothing was restored. Stop the server, then restore."
LARGEST_PAGE = 1 << 16  # bytes, which the header of an SQLite file calls 1
LONGEST_WAIT = 60  # s
# Whoever may write events, and before there are any, whoever is connected under the same name.
OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND "
    "coalesce(has_table_privilege(usesysid, to_regclass('tournament_tournament')::oid, 'UPDATE'), "
    "usename = current_user)"
)


def write_backup(path: Path) -> int:
    """Back up the database while others use it, all or nothing. Returns the size in bytes. Raises Refused, OSError."""
    if Tournament._meta.db_table not in connection.introspection.table_names():
        raise Refused("There is nothing to back up: this database has no tables yet.")
    _refuse_place(path)
    write = _write_sqlite if connection.vendor == "sqlite" else _write_postgresql
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
    kind = next((kind for magic, kind in KINDS.items() if start.startswith(magic)), None)
    if kind is None:
        raise Refused(
            f"{path} is not a backup made by this program, or it is encrypted: then decrypt it with age first. "
            "To load an archive, use load."
        )
    if kind != connection.vendor:
        raise Refused(
            f"This is a backup of {NAMES[kind]}, and the database here is {NAMES[connection.vendor]}. "
            "Move events with dump and load."
        )
    with _private_file() as copy:
        if kind == "sqlite":
            shutil.copyfile(path, copy)
            _check_sqlite(copy)
            _refuse_data(replace)
            with _sqlite_at(copy):
                _bring_up()
            replace_sqlite(copy)
        else:
            _write_script(path, copy)
            _refuse_data(replace)
            replace_postgresql(copy)
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
        database = _sqlite_file().resolve()
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
    folder = _sqlite_file().parent if connection.vendor == "sqlite" else None
    handle, name = tempfile.mkstemp(prefix=".restore-", dir=folder)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for file in Path(name).parent.glob(f"{Path(name).name}*"):  # with its locks
            file.unlink(missing_ok=True)


def _refuse_newer(applied: Iterable[tuple[str, str]]) -> None:
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


# --- SQLite ---


def _write_sqlite(file: BinaryIO) -> None:
    """Write one moment of the database. Writers need not wait, because SQLite's write-ahead log takes their changes."""
    aside = Path(f"{_sqlite_file()}.backup-{os.getpid()}")
    try:
        aside.touch(mode=0o600)
        with closing(sqlite3.connect(_sqlite_file())) as source, closing(sqlite3.connect(aside)) as copy:
            since = time.monotonic()
            source.backup(copy, progress=lambda *_pages: _give_up(since))
            copy.execute("PRAGMA journal_mode=DELETE")  # all of it in the one file
        _refuse_damage(aside)
        with aside.open("rb") as source:
            shutil.copyfileobj(source, file)
    finally:
        aside.unlink(missing_ok=True)


def _give_up(since: float) -> None:
    """Give up after a while. Called after each try, because a locked database would be tried for ever."""
    if time.monotonic() - since > LONGEST_WAIT:
        raise Refused("The database is locked by another program. Try again.")


def _check_sqlite(path: Path) -> None:
    """Raise Refused for a file that is damaged, not our database, or of a newer version."""
    _refuse_damage(path)
    with closing(_read_only(path)) as file:
        try:
            applied = file.execute("SELECT app, name FROM django_migrations").fetchall()
            file.execute("SELECT 1 FROM tournament_tournament LIMIT 1")
        except sqlite3.OperationalError:
            raise Refused("This is an SQLite database, but not a backup made by this program.") from None
    _refuse_newer(applied)


def _refuse_damage(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(32)
    page, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
    size = pages * (LARGEST_PAGE if page == 1 else page)
    if path.stat().st_size != size:  # beyond the end SQLite reads zeros
        raise Refused(DAMAGED)
    try:
        with closing(_read_only(path)) as file:
            sound = file.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        sound = False
    if not sound:
        raise Refused(DAMAGED)


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def replace_sqlite(path: Path) -> None:
    """Replace the database by a checked file, all or nothing. Raises Refused while others use it."""
    place = _sqlite_file()
    connections.close_all()
    with closing(sqlite3.connect(place, timeout=2)) as old:
        try:  # what is in the log beside it goes in, and the log goes: it would not fit the new file
            mode = old.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        except sqlite3.OperationalError:
            mode = "locked"
        except sqlite3.DatabaseError:
            mode = "delete"  # a damaged file: that is why it is replaced
    if mode != "delete":
        raise Refused(IN_USE)
    for end in ("-wal", "-shm"):
        Path(f"{place}{end}").unlink(missing_ok=True)
    with path.open("rb") as source, open_whole(place) as file:
        shutil.copyfileobj(source, file)


@contextmanager
def _sqlite_at(path: Path) -> Iterator[None]:
    """Use this file as the database until the end of the block."""
    here = connection.settings_dict
    name = here["NAME"]
    connections.close_all()
    here["NAME"] = str(path)
    try:
        yield
    finally:
        connections.close_all()
        here["NAME"] = name


def _sqlite_file() -> Path:
    return Path(connection.settings_dict["NAME"])


# --- PostgreSQL ---


def _write_postgresql(file: BinaryIO) -> None:
    """Write a consistent dump of the database in the custom format, and read it once to check. Raises Refused."""
    arguments = ["--format=custom", "--no-owner", "--no-privileges", f"--dbname={address()}"]
    _run(["pg_dump", *arguments], stdout=file)
    file.seek(0)
    _run(["pg_restore", "--file=-"], stdin=file)


def _write_script(path: Path, script: Path) -> None:
    """Convert a dump to an SQL script. Raises Refused for an incomplete dump."""
    arguments = ["--clean", "--if-exists", "--no-owner", "--no-privileges"]
    _run(["pg_restore", *arguments, f"--file={script}", str(path)])
    with script.open(encoding="utf-8", errors="replace") as lines:
        tables, applied = _look_into(lines)
    if "tournament_tournament" not in tables:
        raise Refused("This is a dump of PostgreSQL, but not a backup made by this program.")
    _refuse_newer(applied)


def replace_postgresql(script: Path) -> None:
    """Replace all our tables by running the script, in one transaction. Raises Refused while others use them."""
    tables = ["django_migrations", *connection.introspection.django_table_names(only_existing=True)]
    connections.close_all()
    if hasattr(connection, "close_pool"):
        connection.close_pool()
    if _count_others():
        raise Refused(IN_USE)
    quoted = ", ".join(map(connection.ops.quote_name, tables))
    first = f"SET client_min_messages = warning; DROP TABLE IF EXISTS {quoted} CASCADE"
    safe = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    _run(["psql", *safe, f"--command={first}", f"--file={script}", f"--dbname={address()}"])


def _count_others() -> int:
    with psycopg.connect(address(), password=connection.settings_dict["PASSWORD"] or None) as direct:
        for _ in range(20):
            row = direct.execute(OTHERS).fetchone()
            if not (others := row[0] if row else 0):
                break
            direct.rollback()  # what it sees of others is as of the start of its transaction
            time.sleep(0.1)
    return int(others)


def address() -> str:
    """Return the connection string for PostgreSQL's programs; the password is in `_environment`."""
    known = connection.settings_dict
    options = {name: value for name, value in known["OPTIONS"].items() if name != "options"}
    place = {"dbname": known["NAME"], "user": known["USER"], "host": known["HOST"], "port": known["PORT"]}
    return make_conninfo(**{name: value for name, value in {**place, **options}.items() if value})


def _look_into(lines: Iterator[str]) -> tuple[set[str], list[tuple[str, str]]]:
    tables, applied, inside = set(), [], False
    for line in lines:
        if found := re.match(r"CREATE TABLE (?:\w+\.)?(\w+)", line):
            tables.add(found[1])
        elif re.match(r"COPY (?:\w+\.)?django_migrations ", line):
            inside = True
        elif line == "\\.\n":
            inside = False
        elif inside:
            _pk, app, name, *_at = line.split("\t")
            applied.append((app, name))
    return tables, applied


def _run(command: Sequence[str], **streams: Any) -> None:
    password = connection.settings_dict["PASSWORD"]
    environment = {**os.environ, **({"PGPASSWORD": password} if password else {}), "LC_ALL": "C.UTF-8"}
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    try:
        process = subprocess.run(  # noqa: S603 (our own words)
            command, env=environment, stderr=subprocess.PIPE, check=False, **(quiet | streams)
        )
    except FileNotFoundError:
        raise Refused(
            f"{command[0]} is not installed. Install PostgreSQL's client programs (postgresql-client)."
        ) from None
    if process.returncode:
        said = " ".join(process.stderr.decode(errors="replace").split())
        raise Refused(f"{command[0]} failed: {said or 'no reason given'}")
