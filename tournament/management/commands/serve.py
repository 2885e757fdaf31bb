"""`manage.py serve`: bring the database and the static files up to date, then serve."""

import io
import os
import sys
from typing import Any

import segno
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import connection

from tournament.actionlog.turns import turn_to_prepare
from tournament.config import env
from tournament.config.bootstrap import become
from tournament.config.health import find_problems
from tournament.errors import Refused
from tournament.management.base import PlainCommand
from tournament.monitoring.installation import share_metrics


class Command(PlainCommand):
    help = "Serve events from this machine (HOST, PORT, SITE_URL, DATABASE_URL in the environment)."

    def add_arguments(self, parser: CommandParser) -> None:
        pass  # the environment has all settings

    def run(self, **options: Any) -> int | None:
        address, port = settings.LISTEN_HOST, settings.LISTEN_PORT
        env.hold_port(address, port)
        if _owns_tables():
            call_command("migrate", verbosity=0, interactive=False)
        elif problems := find_problems():
            raise Refused(f"Run migrate as the account that owns the tables first: {problems[0]}.")
        if not settings.PLAIN_STATIC:
            call_command("collectstatic", verbosity=0, interactive=False)
        with turn_to_prepare():
            self.prepare()
        self.announce(address)
        self.stdout.flush()
        return become_server()

    def prepare(self) -> None:
        """Hook that runs before serving; `demo` creates its events here."""

    def announce(self, address: str) -> None:
        self.stdout.write(f"Serving on {settings.SITE_URL}/ (stop with Ctrl-C)")
        if settings.HALL_MODE:
            self.stdout.write("Everyone on this network can open it, unencrypted. Use a network you trust.")
        if not env.is_loopback(address):
            drawn = io.StringIO()
            segno.make(settings.SITE_URL + "/").terminal(drawn, compact=True)
            self.stdout.write(drawn.getvalue())


def become_server() -> int:
    os.chdir(settings.BASE_DIR)
    # The workers must use the URL that was printed.
    os.environ["SITE_URL"] = settings.SITE_URL
    os.environ.setdefault("LOG_LEVEL", "INFO")
    if os.name == "posix":  # elsewhere one worker serves
        share_metrics(settings.LISTEN_PORT)
    if settings.SITE_LOGO.path:
        os.environ["SITE_LOGO"] = settings.SITE_LOGO.path
    return become([sys.executable, "-m", "tournament.config.server"])


def _owns_tables() -> bool:
    """Whether the database account may migrate: it owns the tables, or there are none yet."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_has_role(current_user, tableowner, 'USAGE') FROM pg_tables "
            "WHERE schemaname = current_schema() AND tablename = 'tournament_action'"
        )
        row = cursor.fetchone()
    return row is None or bool(row[0])
