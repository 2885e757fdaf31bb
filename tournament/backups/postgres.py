"""PostgreSQL, with its own pg_dump, pg_restore and psql, so that backups are files administrators know."""

import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import psycopg
from django.db import connection, connections
from psycopg.conninfo import make_conninfo

from tournament.backups.refusals import in_use, refuse_newer
from tournament.errors import Refused

START = b"PGDMP"
# Whoever may write events, and before there are any, whoever is connected under the same name.
OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND "
    "coalesce(has_table_privilege(usesysid, to_regclass('tournament_tournament')::oid, 'UPDATE'), "
    "usename = current_user)"
)


def write_database(file: BinaryIO) -> None:
    """Write a consistent dump of the database in the custom format, and read it once to check. Raises Refused."""
    arguments = ["--format=custom", "--no-owner", "--no-privileges", f"--dbname={address()}"]
    _run(["pg_dump", *arguments], stdout=file)
    file.seek(0)
    _run(["pg_restore", "--file=-"], stdin=file)


def write_script(path: Path, script: Path) -> None:
    """Convert a dump to an SQL script. Raises Refused for an incomplete dump."""
    arguments = ["--clean", "--if-exists", "--no-owner", "--no-privileges"]
    _run(["pg_restore", *arguments, f"--file={script}", str(path)])
    with script.open(encoding="utf-8", errors="replace") as lines:
        tables, applied = _look_into(lines)
    if "tournament_tournament" not in tables:
        raise Refused("This is a dump of PostgreSQL, but not a backup made by this program.")
    refuse_newer(applied)


def replace_database(script: Path) -> None:
    """Replace all our tables by running the script, in one transaction. Raises Refused while others use them."""
    tables = ["django_migrations", *connection.introspection.django_table_names(only_existing=True)]
    connections.close_all()
    if hasattr(connection, "close_pool"):
        connection.close_pool()
    if _count_others():
        raise in_use()
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
        raise Refused(_why(command[0], process.stderr.decode(errors="replace")))


def _why(program: str, words: str) -> str:
    if found := re.search(r"server version: (\S+).*pg_dump version: (\S+)", words, re.DOTALL):
        server, own = found[1].rstrip(";"), found[2]
        return (
            f"pg_dump {own} cannot read a server of version {server}. "
            f"Install the client programs of version {server.split('.')[0]} and put them first in PATH."
        )
    if "unsupported version" in words:
        return "A newer pg_dump made this backup. Install the client programs of its version."
    lines = words.strip().split("\n")
    errors = [line for line in lines if "error:" in line.lower()]
    said = (errors or lines)[0] or "no reason given"
    return f"{program} failed: {said.split('error:', 1)[-1].strip()}"
