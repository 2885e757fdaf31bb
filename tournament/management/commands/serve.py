"""`manage.py serve`: bring the database and the static files up to date, then serve."""

import hashlib
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import segno
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import OperationalError, connection

from tournament.actionlog.database_role import owns_tables
from tournament.config import env
from tournament.config.bootstrap import become
from tournament.config.health import find_problems
from tournament.errors import Refused
from tournament.management.base import PlainCommand, one_line

PREPARES = 7_714_552  # names the lock; no one else has that number


class Command(PlainCommand):
    help = "Serve events from this machine (HOST, PORT, SITE_URL, DATABASE_URL in the environment)."

    def add_arguments(self, parser: CommandParser) -> None:
        """No options: a host says everything by the environment."""

    def run(self, **options: Any) -> int | None:
        address, port = settings.LISTEN_HOST, settings.LISTEN_PORT
        problem = env.port_problem(address, port)
        if problem:
            raise Refused(problem)
        try:
            connection.ensure_connection()
        except OperationalError as error:
            where = settings.DATABASES["default"]
            raise Refused(
                f"The database {where['NAME']} {where.get('HOST', '')} does not answer: start it, or unset "
                f"DATABASE_URL to use SQLite ({one_line(error)})."
            ) from None
        with turn_to_prepare():
            if owns_tables():
                call_command("migrate", verbosity=0, interactive=False)
            elif problems := find_problems():
                raise Refused(f"Run migrate as the account that owns the tables first: {problems[0]}.")
            collect_static()
            self.prepare()
        self.announce(address)
        self.stdout.flush()
        return become_server()

    def prepare(self) -> None:
        """What else to do before serving; `demo` seeds here."""

    def announce(self, address: str) -> None:
        """Say where the app is; on a network also as a QR code to point a phone at."""
        self.stdout.write(f"Serving on {settings.SITE_URL}/ (stop with Ctrl-C)")
        if settings.HALL_MODE:
            self.stdout.write("Everyone on this network can open it, unencrypted. Use a network you trust.")
        if not env.is_loopback(address):
            drawn = io.StringIO()
            segno.make(settings.SITE_URL + "/").terminal(drawn, compact=True)
            self.stdout.write(drawn.getvalue())


@contextmanager
def turn_to_prepare() -> Iterator[None]:
    """Let machines that start together on one PostgreSQL prepare it one after the other, however long that takes."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARES])
        cursor.execute("RESET lock_timeout")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARES])


def collect_static() -> None:
    """Copy the static files to where the server reads them, unless the same files are there already."""
    if settings.PLAIN_STATIC:
        return
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    now = static_digest()
    if stamp.is_file() and stamp.read_text(encoding="ascii") == now:
        return
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(now, encoding="ascii")


def static_digest() -> str:
    """One digest over the names, sizes and times of all static files."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for path, storage in finder.list([]):
            facts = os.stat(storage.path(path))
            digest.update(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def become_server() -> int:
    """Turn into the supervisor of the processes that serve."""
    os.chdir(settings.BASE_DIR)
    # The address was worked out here; the workers must agree with what was printed.
    os.environ["SITE_URL"] = settings.SITE_URL
    os.environ.setdefault("LOG_LEVEL", "INFO")
    if settings.SITE_LOGO.path:
        os.environ["SITE_LOGO"] = settings.SITE_LOGO.path
    return become([sys.executable, "-m", "tournament.config.supervisor"])
