"""PostgreSQL's primary dies under load and its standby takes over: the site goes on by itself, and nothing is lost."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from tests.conftest import missing
from tests.faults.test_ledger import DESKS, TABLES, Ledger, Site
from tests.served import BIN, MANAGE, ROOT, Postgres

pytestmark = [pytest.mark.slow, pytest.mark.only_on("postgresql")]
SECRET_KEY = "of the machines of this trial"
MOST_SECONDS = 10  # until a result is acknowledged again

EVENT = f"""
import django, json
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from tests.factories import TournamentFactory
call_command("migrate", verbosity=0)
tournament, client = TournamentFactory(entries={2 * TABLES}, published=True), Client()
client.force_login(tournament.owner)
print(json.dumps([tournament.slug, client.cookies[settings.SESSION_COOKIE_NAME].value, tournament.revision]))
"""


@pytest.fixture
def servers():
    """A primary that acknowledges what its standby has too, and the standby."""
    if not (BIN / "initdb").exists():
        missing("no PostgreSQL server on this machine: apt install postgresql")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)  # for the account that may run them
        primary, standby = Postgres(Path(name) / "one"), Postgres(Path(name) / "two")
        try:
            primary.init()
            primary.start()
            primary.ask("CREATE DATABASE swiss")
            standby.follow(primary)
            standby.start()
            primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.ask("SELECT pg_reload_conf()")
            yield primary, standby
        finally:
            primary.stop()
            standby.stop()


def test_a_standby_takes_over_and_every_acknowledged_result_is_there_once(servers, tmp_path):
    primary, standby = servers
    url = (
        f"postgres://postgres@127.0.0.1,127.0.0.1/swiss?port={primary.port},{standby.port}"
        "&target_session_attrs=read-write"
    )
    env = {"DATABASE_URL": url, "SECRET_KEY": SECRET_KEY, "HOST": "127.0.0.1"}
    slug, session, already = json.loads(run(env, sys.executable, "-c", EVENT))
    site, ledger, stop = Site(tmp_path, slug, session, **env), Ledger(), threading.Event()
    desks = [threading.Thread(target=ledger.keep, args=(site, desk, stop)) for desk in range(DESKS)]
    with site.running:
        for desk in desks:
            desk.start()
        time.sleep(2)
        primary.stop("immediate")
        before = len(ledger.acknowledged)
        standby.run("pg_ctl", "promote", "-w", "-D", str(standby.folder))
        begun = time.monotonic()
        while len(ledger.acknowledged) < before + 2 * DESKS and not ledger.problems:
            assert time.monotonic() - begun < MOST_SECONDS, "the site did not go on"
            time.sleep(0.05)
        back = time.monotonic() - begun
        stop.set()
        for desk in desks:
            desk.join()
    after = len(ledger.acknowledged) - before
    print(f"\n{before} results acknowledged before, {after} after; the site went on after {back:.1f} s")
    assert before and ledger.problems == []
    (logged,) = standby.ask(
        "SELECT array_agg(key ORDER BY key) FROM tournament_action WHERE kind = 'result'", "swiss"
    )
    assert logged == sorted(ledger.acknowledged)
    (revision,) = standby.ask("SELECT revision FROM tournament_tournament", "swiss")
    assert revision == already + len(ledger.acknowledged)
    for command in ("fsck", "replay"):
        run(env, *MANAGE, command, slug)


def run(env: dict[str, str], *command: str) -> str:
    here = {**os.environ, "DJANGO_SETTINGS_MODULE": "tournament.config.settings", **env}
    return subprocess.run(
        command, env=here, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, timeout=120
    ).stdout
