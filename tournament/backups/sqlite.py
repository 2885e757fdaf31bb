"""SQLite: copy one moment with its own backup function, and replace the database file."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from django.db import connection, connections

from tournament.archive.format import open_whole
from tournament.backups.refusals import DAMAGED, in_use, refuse_newer
from tournament.errors import Refused

LARGEST_PAGE = 1 << 16  # bytes, which a header calls 1
LONGEST_WAIT = 60  # s
START = b"SQLite format 3\x00"


def write_database(file: BinaryIO) -> None:
    """Write one moment of the database. Writers need not wait, because SQLite's write-ahead log takes their changes."""
    aside = Path(f"{database()}.backup-{os.getpid()}")
    try:
        aside.touch(mode=0o600)
        with closing(sqlite3.connect(database())) as source, closing(sqlite3.connect(aside)) as copy:
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


def check_file(path: Path) -> None:
    """Raise Refused for a file that is damaged, not our database, or of a newer version."""
    _refuse_damage(path)
    with closing(_read_only(path)) as file:
        try:
            applied = file.execute("SELECT app, name FROM django_migrations").fetchall()
            file.execute("SELECT 1 FROM tournament_tournament LIMIT 1")
        except sqlite3.OperationalError:
            raise Refused("This is an SQLite database, but not a backup made by this program.") from None
    refuse_newer(applied)


def _refuse_damage(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(32)
    page, pages = int.from_bytes(header[16:18]), int.from_bytes(header[28:32])
    if path.stat().st_size != pages * (
        LARGEST_PAGE if page == 1 else page
    ):  # beyond the end SQLite reads zeros
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


def replace_database(path: Path) -> None:
    """Replace the database by a checked file, all or nothing. Raises Refused while others use it."""
    place = database()
    connections.close_all()
    with closing(sqlite3.connect(place, timeout=2)) as old:
        try:  # what is in the log beside it goes in, and the log goes: it would not fit the new file
            mode = old.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
        except sqlite3.OperationalError:
            mode = "locked"
        except sqlite3.DatabaseError:
            mode = "delete"  # a damaged file: that is why it is replaced
    if mode != "delete":
        raise in_use()
    for end in ("-wal", "-shm"):
        Path(f"{place}{end}").unlink(missing_ok=True)
    with path.open("rb") as source, open_whole(place) as file:
        shutil.copyfileobj(source, file)


@contextmanager
def database_at(path: Path) -> Iterator[None]:
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


def database() -> Path:
    return Path(connection.settings_dict["NAME"])
