"""A ledger of what was acknowledged, against a server on which everything dies: nothing is lost, or there twice.

Scorekeepers enter result after result, each under a key of its own, and send it again until it is acknowledged.
Meanwhile workers and whole servers are killed, connections are cut before the answer, and PostgreSQL ends its sessions.

    FULL=1 python3 manage.py test tests/faults -s      # 1,000 faults, counted
"""

import contextlib
import http.client
import os
import random
import signal
import socket
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from tests.conftest import CI, FULL
from tests.factories import TournamentFactory
from tests.journeys.test_on_by_hand import TOKEN, copy_database
from tests.served import free_port, is_up, server, workers_of
from tournament.actionlog import integrity
from tournament.actionlog.match_facts import read_match
from tournament.models import Action, Match
from tournament.results.shorthand import parse_slip

FAULTS = 1_000 if FULL else 22 if CI else 11
DESKS, TABLES = 4, 32
RESULTS = ("20", "21", "02", "12")
PATIENCE = 60  # s for one result, however often it is sent

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.real_time,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are found by their parent"),
]


class Ledger:
    """Results sent by the desks and acknowledged by the server: {key: (table, result)}; `last`: {table: result}."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, tuple[int, str]] = {}
        self.last: dict[int, str] = {}
        self.sent_again = 0
        self.problems: list[str] = []
        self.longest = 0.0  # s until a result was acknowledged

    def keep(self, site: "Site", desk: int, stop: threading.Event) -> None:
        """Enter results at the tables of a desk until `stop`; the one that is under way is brought to its end."""
        chance = random.Random(desk)
        while not stop.is_set() and not self.problems:
            table = chance.randrange(desk, TABLES, DESKS) + 1
            result = chance.choice([each for each in RESULTS if each != self.last.get(table)])
            key, begun = uuid.uuid4().hex, time.monotonic()
            while (status := site.enter(key, table, result)) != 303:
                if (status is not None and status < 500) or time.monotonic() - begun > PATIENCE:
                    self.problems.append(f"table {table} {result}: {status}")
                    return
                self.sent_again += 1
                time.sleep(0.05)
            self.acknowledged[key], self.last[table] = (table, result), result
            self.longest = max(self.longest, time.monotonic() - begun)


class Site:
    """The server, started again whenever it is down, and the faults that befall it."""

    def __init__(self, folder: Path, slug: str, session: str, **env: str) -> None:
        self.folder, self.env, self.port = folder, env, free_port()
        self.path = f"/t/{slug}/desk/rounds/1/box/"
        cookie = f"hall_session={session}; hall_csrf={TOKEN}"
        self.headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
        self.running = contextlib.ExitStack()
        self.start()

    def start(self) -> None:
        self.process = self.running.enter_context(server(self.folder, PORT=str(self.port), **self.env))

    def body(self, key: str, table: int, result: str) -> str:
        sent = {"text": f"{table} {result}", "key": key, "replace": "on", "csrfmiddlewaretoken": TOKEN}
        return urlencode(sent)

    def enter(self, key: str, table: int, result: str) -> int | None:
        try:
            here = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            here.request("POST", self.path, self.body(key, table, result), self.headers)
            return here.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            here.close()

    def seconds_down(self) -> float:
        begun = time.monotonic()
        assert is_up(self.port, PATIENCE)
        return time.monotonic() - begun

    # --- faults ---

    def cut_a_connection(self, chance: random.Random) -> None:
        head = "\r\n".join(f"{name}: {text}" for name, text in self.headers.items())
        half = self.body(uuid.uuid4().hex, 1, "20")[: chance.randrange(60)]
        sent = f"POST {self.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\nContent-Length: 90\r\n\r\n{half}"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as here:
            here.sendall(sent.encode())

    def kill_a_worker(self, chance: random.Random) -> None:
        for pid in chance.sample(workers_of(self.process), 1):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_all_workers(self, chance: random.Random) -> None:
        for pid in workers_of(self.process):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_the_server(self, chance: random.Random) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.running.close()
        self.start()

    def end_all_sessions(self, chance: random.Random) -> None:
        """Disconnect all clients, as an immediate restart of PostgreSQL does."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.mark.long
def test_what_was_acknowledged_is_there_once_whatever_dies(client, tmp_path):
    tournament = TournamentFactory(entries=2 * TABLES, published=True)
    client.force_login(tournament.owner)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    ours = connection.settings_dict
    env = {"HOST": "127.0.0.1", "SECRET_KEY": settings.SECRET_KEY}
    faults = [Site.kill_a_worker, Site.cut_a_connection] * 3 + [Site.kill_all_workers, Site.kill_the_server]
    if connection.vendor == "postgresql":
        where = f"{ours['HOST']}:{ours['PORT'] or 5432}"
        env["DATABASE_URL"] = f"postgres://{ours['USER']}:{ours['PASSWORD']}@{where}/{ours['NAME']}"
        faults += [Site.end_all_sessions] * 3
    else:
        copy_database(Path(ours["NAME"]), tmp_path / "swiss.sqlite3")
    already, chance, ledger, stop = Action.objects.count(), random.Random(1), Ledger(), threading.Event()
    site, done, slowest = Site(tmp_path, tournament.slug, session, **env), Counter(), 0.0
    desks = [threading.Thread(target=ledger.keep, args=(site, desk, stop)) for desk in range(DESKS)]
    with site.running:
        for desk in desks:
            desk.start()
        for number in range(FAULTS):
            fault = faults[number % len(faults)]
            time.sleep(chance.uniform(0.05, 0.4))
            fault(site, chance)
            done[fault.__name__] += 1
            slowest = max(slowest, site.seconds_down())
            if ledger.problems:
                break
        stop.set()
        for desk in desks:
            desk.join()
    print(f"\n{dict(done)}: {len(ledger.acknowledged)} results acknowledged, {ledger.sent_again} sent again;")
    print(f"the site answered after {slowest:.1f} s, the slowest result took {ledger.longest:.1f} s")
    assert ledger.problems == []
    if connection.vendor == "sqlite":
        connection.close()
        copy_database(tmp_path / "swiss.sqlite3", Path(ours["NAME"]))
    assert integrity.check(tournament) == []
    logged = Action.objects.filter(tournament=tournament, kind="result")
    assert Counter(logged.values_list("key", flat=True)) == Counter(ledger.acknowledged.keys())
    assert Action.objects.count() == already + len(ledger.acknowledged)
    stored = {
        row.table: tuple(read_match(row).to_log()["games"][:2])
        for row in Match.objects.filter(round__tournament=tournament, table__in=ledger.last)
    }
    slips = {table: parse_slip(result) for table, result in ledger.last.items()}
    assert stored == {table: (slip.a, slip.b) for table, slip in slips.items()}
    call_command("replay", tournament.slug)
