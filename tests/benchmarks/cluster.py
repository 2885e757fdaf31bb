"""Several machines on one: what is lost, and what is shown as new that is old, while parts of them die.

    python -m tests.benchmarks.cluster [PHONES] [PLAYERS]

Needs Debian's postgresql, redis-server and caddy. Starts its own PostgreSQL with a streaming replica, a Redis, and
two `manage.py serve`, one of which reads the replica, behind Caddy with the configuration in deploy/. For a minute
PHONES (300) poll an event of PLAYERS (256) and reload its pages, visitors open a page for the first time, 4
scorekeepers enter results and send each again until it is acknowledged, and an organizer counts up in the announcement,
which every public page shows. Meanwhile one web process is killed and started again, the replica stops replaying, and
is stopped. Prints what came of it; exit code 1 where an acknowledged result was lost or doubled, or a phone was shown
an older count than it had seen, or than one public 3 s before, on a page that does not say that it is behind.
"""

import http.client
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks.machines import Postgres, Web, program
from tests.served import ROOT, free_port

NEEDED = ("redis-server", "caddy")
# What happens, and at which second.
NORMAL, KILLED, BACK, PAUSED, RESUMED, STOPPED, RETURNED, END = 0, 10, 18, 26, 42, 48, 58, 66
EVERY = 2.0  # s between the questions of a phone
COUNTS = 5.0  # s between two counts
TOLERANCE = 1.5  # s beside the 3 s that a replica may be behind without saying so: from the count's commit to its note
COUNT = re.compile(rb"Count (\d+)\.")
FORM = "application/x-www-form-urlencoded"
TRANSACTIONS = "SELECT xact_commit FROM pg_stat_database WHERE datname = 'swiss'"


class Client(threading.Thread):
    """Someone with a browser. `all`: what came of all requests; `notes`: what must not be."""

    def __init__(self, trial: "Trial") -> None:
        super().__init__(daemon=True)
        self.trial, self.connection = trial, None

    def ask(
        self, kind: str, method: str, path: str, body: str = "", **headers: str
    ) -> tuple[int, Any, bytes]:
        """Status, headers and body; status 0 where the connection broke."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.trial.port, timeout=30)
        try:
            self.connection.request(
                method, path, body or None, headers | ({"Content-Type": FORM} if body else {})
            )
            answer = self.connection.getresponse()
            found = answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection = None
            found = 0, {}, b""
        self.trial.answers[kind, found[0]] += 1
        return found


class Phone(Client):
    """Polls a player's page or a list, and sometimes opens whole pages."""

    def __init__(self, trial: "Trial", paths: list[str]) -> None:
        super().__init__(trial)
        self.paths = paths
        self.marks, self.tags, self.seen = dict[str, str](), dict[str, str](), dict[str, int]()

    def run(self) -> None:
        time.sleep(random.random() * EVERY)
        while not self.trial.over.is_set():
            self.open(random.choice(self.paths), first=random.random() < 0.1)
            time.sleep(EVERY * (0.5 + random.random()))

    def open(self, path: str, first: bool) -> None:
        """Ask for a part or a page, by what was seen of it or for the `first` time, as someone else does."""
        asked, known = time.monotonic(), -1 if first else self.seen.get(path, -1)
        is_part = path.endswith(("/now/", "/table/", "/pairings/"))
        mark = f"?v={self.marks[path]}" if path in self.marks and not first else ""
        tag = {} if first or path not in self.tags else {"If-None-Match": self.tags[path]}
        kind = "visit" if first else "poll" if is_part else "page"
        status, headers, body = self.ask(kind, "GET", path + mark, **tag)
        if status in (204, 304):
            count = known
        elif status == 200 and (found := COUNT.search(body)):
            count = int(found[1])
            if first:
                pass
            elif is_part:
                self.marks[path] = re.search(rb'data-v="([^"]+)"', body)[1].decode()  # type: ignore[index]
            else:
                self.tags[path] = headers["ETag"]
            if not first:
                self.seen[path] = count
        else:
            return
        if count < known:
            self.trial.note(f"went back from {known} to {count}: {path}")
        if "X-As-Of" in headers:
            self.trial.behind += 1
        elif count < (due := self.trial.due(asked)):
            self.trial.note(f"{status} shows {count} as new, {due} was public: {path}")


class Scorekeeper(Client):
    """Enters results, and sends each with its key until it is acknowledged."""

    def __init__(self, trial: "Trial", cookie: str, token: str, box: str, tables: list[int]) -> None:
        super().__init__(trial)
        self.cookie, self.token, self.box, self.tables = cookie, token, box, tables

    def run(self) -> None:
        for turn in range(10**6):
            table, slip = (
                self.tables[turn % len(self.tables)],
                ("20", "21", "12", "02")[turn // len(self.tables) % 4],
            )
            key = uuid.uuid4().hex
            sent = {"text": f"{table} {slip}", "key": key, "replace": "on", "seen": 10**6}
            body = urlencode(sent | {"csrfmiddlewaretoken": self.token})
            status = -1
            while status != 200:
                if self.trial.over.is_set():
                    return
                if status >= 0:
                    self.trial.again += 1
                    time.sleep(0.3)
                status, _headers, text = self.ask(
                    "result", "POST", self.box, body, Cookie=self.cookie,
                    **{"HX-Request": "true", "Referer": f"http://127.0.0.1:{self.trial.port}/"},
                )  # fmt: skip
                if status not in (0, 200, 502, 503, 504):
                    self.trial.note(f"{status} to a result: {text[:200]!r}")
            self.trial.acknowledged.append(key)
            time.sleep(0.2)


class Trial:
    """What everyone counts together."""

    def __init__(self, port: int) -> None:
        self.port, self.over = port, threading.Event()
        self.answers: Counter[tuple[str, int]] = Counter()
        self.acknowledged: list[str] = []
        self.counts: list[float] = []  # when each count was public
        self.wrong: list[str] = []
        self.behind = self.again = self.replica_asked = 0

    def note(self, text: str) -> None:
        self.wrong.append(f"{time.monotonic() - self.begun:.1f} s: {text}")

    def due(self, moment: float) -> int:
        """The count that a page asked for then must show, unless it says that it is behind."""
        limit = moment - 3 - TOLERANCE
        return sum(at < limit for at in list(self.counts)) - 1

    def count(self, tournament: Any) -> None:
        """Count up again and again, on every public page."""
        from django.db import connection

        from tournament.services.announcements import change_announcement

        while not self.over.is_set():
            change_announcement(tournament, f"Count {len(self.counts)}.")
            self.counts.append(time.monotonic())
            self.over.wait(COUNTS)
        connection.close()


def timeline(trial: Trial, webs: list[Web], replica: Postgres) -> None:
    """What happens to the machines, said as it does."""

    def at(second: int, what: str) -> None:
        time.sleep(max(trial.begun + second - time.monotonic(), 0))
        print(f"  {second:3d} s  {what}", flush=True)

    at(NORMAL, "everything runs")
    at(KILLED, "one web process is killed")
    webs[0].kill()
    at(BACK, "and started again")
    webs[0].start()
    at(PAUSED, "the replica stops replaying")
    replica.ask("SELECT pg_wal_replay_pause()")
    at(RESUMED, "and goes on")
    replica.ask("SELECT pg_wal_replay_resume()")
    at(STOPPED, "the replica is stopped")
    trial.replica_asked = replica.ask(TRANSACTIONS)[0]
    replica.stop()
    at(RETURNED, "and started again")
    replica.start()
    at(END, "the end")
    trial.over.set()


def play(
    trial: Trial, phones: int, players: int, webs: list[Web], primary: Postgres, replica: Postgres
) -> None:
    """Load the event, let everyone begin, and wait for the end."""
    from tests.benchmarks import desk  # sets Django up
    from tests.benchmarks.hall import staff_cookie
    from tournament.models import Action

    tournament, owner = desk.event(players)
    event, number = f"/t/{tournament.slug}/", desk.ROUNDS + 1
    cookie, token = staff_cookie(owner, event)
    tables = desk.tables_of(tournament)
    codes = list(tournament.entries.values_list("code", flat=True))
    shared = [
        f"{event}standings/table/",
        f"{event}rounds/{number}/pairings/",
        event,
        f"{event}rounds/{number}/",
    ]
    shared += [f"{event}now/", f"{event}standings/"]
    clients: list[threading.Thread] = [threading.Thread(target=trial.count, args=[tournament])]
    for n in range(4):
        clients.append(Scorekeeper(trial, cookie, token, f"{event}desk/rounds/{number}/box/", tables[n::4]))
    for n in range(phones):
        own = f"{event}players/{codes[n % len(codes)]}/"
        clients.append(Phone(trial, [f"{own}now/", random.choice(shared)]))
    trial.begun = time.monotonic()
    for client in clients:
        client.start()
    timeline(trial, webs, replica)
    for client in clients:
        client.join(40)
    keys = Counter(Action.objects.filter(tournament=tournament).values_list("key", flat=True))
    lost = [key for key in trial.acknowledged if not keys[key]]
    twice = [key for key in trial.acknowledged if keys[key] > 1]
    show(trial, lost, twice)
    print(
        "  "
        + subprocess.check_output(
            [sys.executable, str(ROOT / "manage.py"), "fsck", tournament.slug], text=True
        )
    )
    print(
        f"  transactions: primary {primary.ask(TRANSACTIONS)[0]}, replica {trial.replica_asked} until it was stopped"
    )
    if lost or twice or trial.wrong:
        raise SystemExit(1)


def show(trial: Trial, lost: list[str], twice: list[str]) -> None:
    """The counts."""
    for kind in ("poll", "page", "visit", "result"):
        found = {status: times for (each, status), times in sorted(trial.answers.items()) if each == kind}
        words = ", ".join(f"{times} × {status or 'no connection'}" for status, times in found.items())
        print(f"  {sum(found.values())} {kind}s: {words}")
    print(
        f"  {len(trial.acknowledged)} results acknowledged, {trial.again} sent again,"
        f" {len(lost)} lost, {len(twice)} twice"
    )
    print(f"  {len(trial.counts)} counts; {trial.behind} answers said that they are behind")
    print(f"  {len(trial.wrong)} answers showed as new what was old, or were errors of another kind")
    print("\n".join(f"    {text}" for text in trial.wrong[:10]))


def main(phones: int = 300, players: int = 256) -> None:
    if missing := [name for name in NEEDED if not shutil.which(name)]:
        raise SystemExit(f"not on this machine: {', '.join(missing)}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cluster-")))
        folder.chmod(0o777)
        primary, replica = Postgres(folder / "primary"), Postgres(folder / "replica")
        primary.init()
        stack.callback(primary.stop)
        primary.start()
        primary.ask("CREATE DATABASE swiss")
        stack.callback(replica.stop)
        replica.follow(primary)
        replica.start()
        redis, trial = free_port(), Trial(free_port())
        stack.enter_context(program("redis-server", "--port", str(redis), "--save", "", "--dir", str(folder)))
        site = f"http://127.0.0.1:{trial.port}"
        env = {
            "DATABASE_URL": primary.url("swiss"),
            "REPLICA_URL": replica.url("swiss"),
            "REDIS_URL": f"redis://127.0.0.1:{redis}/0",
            "SECRET_KEY": uuid.uuid4().hex * 2,
            "SITE_URL": site,
            "TRUSTED_PROXIES": "127.0.0.1",
        }
        # A phone that hears from both must not go back: the first reads the primary alone.
        webs = [Web(folder / "one", {**env, "REPLICA_URL": ""}), Web(folder / "two", env)]
        for web in webs:  # both at once on an empty database
            web.folder.mkdir()
            stack.callback(web.kill)
            web.start()
        for web in webs:
            web.wait()
        places = " ".join(f"127.0.0.1:{web.port}" for web in webs)
        config = ["--config", str(ROOT / "deploy" / "Caddyfile"), "--adapter", "caddyfile"]
        home = {"SITE": site, "WEB": places, "HOME": str(folder)}
        stack.enter_context(program("caddy", "run", *config, env=home))
        os.environ.update(env | {"VAR_DIR": str(webs[0].folder)})
        del os.environ["REPLICA_URL"]
        print(
            f"{phones} phones, {players} players, two web processes, a replica; {os.cpu_count()} cores",
            flush=True,
        )
        play(trial, phones, players, webs, primary, replica)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
