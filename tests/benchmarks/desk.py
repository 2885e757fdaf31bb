"""Measure the desk of a large round: one result, the round's page, and eight scorekeepers beside 64 polls.

    VAR_DIR=var/bench python -m tests.benchmarks.desk [PLAYERS] [WIDE] [ACTIONS]

Plays simulated events of PLAYERS (512), one more with a log longer by ACTIONS (100,000), and of WIDE (1200) into the
database that DATABASE_URL names (else SQLite under VAR_DIR) and prints each cost beside what is wanted. Times are the
processor's, so that others at work on this machine disturb little; posts a second and their waits are on the clock, of
a server of its own, and are to be read on an idle machine. Nothing is asserted: what does not depend on the machine is
in tests/tournament/views/test_desk.py and tests/tournament/access/test_long_log.py.
"""

import gc
import http.client
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tournament.config.settings")
os.environ.setdefault("VAR_DIR", "var/bench")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from pairings.draft.services import draft_next_round  # noqa: E402
from pairings.simulation.simulate import simulate  # noqa: E402
from tests.conftest import empty  # noqa: E402
from tests.factories import lengthen_log  # noqa: E402
from tests.served import free_port, serving  # noqa: E402
from tournament.actionlog import change  # noqa: E402
from tournament.archive import load  # noqa: E402
from tournament.models import Match, Tournament  # noqa: E402
from tournament.results.desk_sheet import sheets  # noqa: E402
from tournament.rulesets import resolve_spec  # noqa: E402
from tournament.services.rounds import publish_round  # noqa: E402

ROUNDS = 3
FORM = "application/x-www-form-urlencoded"
HTMX = {"HX-Request": "true", "Accept-Encoding": "gzip"}
SCOREKEEPERS, POLLS, SECONDS = 8, 64, 8
WARM = 4  # s until both workers have read the event and connected to the database
SLIPS = ("20", "21", "12", "02", "11")


def event(players: int) -> tuple[Tournament, Any]:
    profile = resolve_spec({"preset": "mtr"}, None)
    played = simulate(players, ROUNDS, profile, f"desk {players}", late=0, awarded=0, drops=False)
    played.state, played.rounds_planned = "running", ROUNDS + 5
    owner, _new = get_user_model().objects.get_or_create(username="bench")
    slug = f"desk-{players}-{uuid.uuid4().hex[:6]}"
    tournament = load.load_event(played, slug=slug, owner=owner)
    draft_next_round(tournament)
    publish_round(tournament, ROUNDS + 1)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # PostgreSQL would do it a minute after so many new rows
    return tournament, owner


def list_tables(tournament: Tournament) -> list[int]:
    """The tables of the open round, as slips come in: in no order."""
    rows = Match.objects.filter(round__tournament=tournament, round__number=ROUNDS + 1, table__isnull=False)
    tables: list[int] = list(rows.order_by("table").values_list("table", flat=True))
    random.Random(7).shuffle(tables)
    return tables


def signed_in(owner: Any) -> Client:
    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(owner, "tournament.web.sessions.AccountBackend")
    return client


def staff_cookie(owner: Any, event: str) -> tuple[str, str]:
    """The cookies of someone signed in, and the token of their forms."""
    client = signed_in(owner)
    client.get(f"{event}desk/rounds/{ROUNDS + 1}/")
    names = (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME)
    return "; ".join(f"{name}={client.cookies[name].value}" for name in names), client.cookies[names[1]].value


def prepare() -> None:
    """The database and the static files; checks of integrity are not what is measured."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    load.integrity.check = lambda *_args, **_kwargs: []  # type: ignore[assignment]
    change.integrity.check = lambda *_args, **_kwargs: []  # type: ignore[assignment]


def processor(function: Callable[[], Any], times: int) -> float:
    """Milliseconds of the processor for one call: the quickest of ten, as others at work only slow it down."""
    spent = []
    gc.collect()
    for _ in range(times):
        before = time.process_time()
        function()
        spent.append(time.process_time() - before)
    return sorted(spent)[len(spent) // 10] * 1000


def _additions() -> int:
    """Time a fixed loop, to compare machines and load: 40 ms on the machine of the figures in the docs."""
    total = 0
    for number in range(1_000_000):
        total += number
    return total


def show(what: str, value: float, wanted: float, unit: str, *, least: bool = False) -> None:
    """One line: the figure, what is wanted, and their ratio (at most 1 is good)."""
    ratio = wanted / value if least else value / wanted
    print(f"  {what:<48} {value:8.2f} {unit:<5} wanted {wanted:>5g}  ratio {ratio:.2f}", flush=True)


def results(tournament: Tournament, owner: Any) -> None:
    """One result by each door; half of the tables are in before."""
    client, desk = signed_in(owner), f"/t/{tournament.slug}/desk/rounds/{ROUNDS + 1}/"
    tables = iter(list_tables(tournament))
    nothing = processor(lambda: client.get("/healthz"), 60)
    print(
        f"  (for comparison: /healthz {nothing:.2f} ms, a million additions {processor(_additions, 30):.1f} ms)"
    )

    seen = Tournament.objects.values_list("revision", flat=True).get(pk=tournament.pk)
    version = Match.objects.filter(round__tournament=tournament, round__number=ROUNDS + 1)[0].version

    def post(address: str, sent: dict[str, Any], headers: dict[str, str]) -> None:
        nonlocal seen
        body = urlencode(sent | {"key": uuid.uuid4().hex, "seen": seen})
        answer = client.post(address, body, content_type=FORM, headers=headers)
        assert answer.status_code in (200, 303), answer.content[:300]
        seen += 1

    def box(**headers: str) -> None:
        post(f"{desk}box/", {"text": f"{next(tables)} 21"}, headers)

    def row() -> None:
        address = f"/t/{tournament.slug}/rounds/{ROUNDS + 1}/tables/{next(tables)}/result/"
        post(address, {"slip": "20", "version": version}, HTMX)

    for _warm in range(10):
        box(**HTMX)
    show("one result by the box, htmx", processor(lambda: box(**HTMX), 50), 8, "ms")
    show("one result by the box, without JavaScript", processor(box, 20), 8, "ms")
    show("one result by the row, htmx", processor(row, 50), 8, "ms")
    with CaptureQueriesContext(connection) as queries:
        box(**HTMX)
    print(f"  queries of one result {len(queries)}")


def page(tournament: Tournament, owner: Any) -> None:
    client, desk = signed_in(owner), f"/t/{tournament.slug}/desk/rounds/{ROUNDS + 1}/"
    get = lambda: client.get(desk, headers={"Accept-Encoding": "gzip, br"})  # noqa: E731
    get()
    show("the round's page", processor(get, 15), 60, "ms")
    anew = processor(lambda: (sheets.clear(), get()), 5)
    print(f"  the same, its tables read and drawn anew {anew:.1f} ms")
    plain, packed = len(client.get(desk).content), len(get().content)
    show(f"the same over the wire ({plain / 1000:.0f} kB plain)", packed / 1000, 60, "kB")
    with CaptureQueriesContext(connection) as queries:
        get()
    show("its queries", len(queries), 12, "")


class Desk(threading.Thread):
    """One connection that asks again and again until it is told to stop."""

    def __init__(self, port: int, cookie: str) -> None:
        super().__init__(daemon=True)
        self.port, self.cookie, self.waits, self.stop = port, cookie, list[float](), threading.Event()

    def ask(self, method: str, path: str, data: dict[str, Any] | None = None) -> str:
        """One request over the kept connection; how long it took is noted."""
        headers = {"Cookie": self.cookie, **HTMX, "Referer": f"http://127.0.0.1:{self.port}/"}
        body = urlencode(data) if data else None
        if body:
            headers |= {"Content-Type": FORM}
        begun = time.perf_counter()
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        self.waits.append(time.perf_counter() - begun)
        assert answer.status in (200, 204), (answer.status, path, text[:300])
        return answer.headers.get("X-Mark", "")

    def run(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)
        for step in self.steps():
            if self.stop.is_set():
                return
            step()

    def steps(self) -> Iterator[Callable[[], Any]]:
        raise NotImplementedError


class Scorekeeper(Desk):
    """Enters lines one after the other, over and over at the same tables, each with another result."""

    def __init__(self, port: int, cookie: str, token: str, path: str, tables: list[int]) -> None:
        super().__init__(port, cookie)
        self.token, self.path, self.tables = token, path, tables

    def steps(self) -> Iterator[Callable[[], Any]]:
        seen = Tournament.objects.values_list("revision", flat=True).get(slug=self.path.split("/")[2])
        connection.close()
        for turn in range(10**6):
            line = f"{self.tables[turn % len(self.tables)]} {SLIPS[turn // len(self.tables) % len(SLIPS)]}"
            sent = {"text": line, "key": uuid.uuid4().hex, "replace": "on", "seen": seen + 10**6}
            sent |= {"csrfmiddlewaretoken": self.token}
            yield lambda sent=sent: self.ask("POST", self.path, sent)  # type: ignore[misc]


class Poll(Desk):
    """An open desk, or a phone, that polls; `pause`: seconds between an answer and the next question."""

    def __init__(self, port: int, cookie: str, path: str, pause: float) -> None:
        super().__init__(port, cookie)
        self.path, self.pause = path, pause

    def steps(self) -> Iterator[Callable[[], Any]]:
        time.sleep(random.random() * self.pause)
        while True:
            yield lambda: self.ask("GET", self.path)
            time.sleep(self.pause)


@contextmanager
def server() -> Iterator[int]:
    port = free_port()
    env = {"PORT": str(port), "DATABASE_URL": os.environ.get("DATABASE_URL", "")}
    with serving(Path(os.environ["VAR_DIR"]), **env):
        yield port


def waits_of(*groups: list[Any], warm: float = WARM) -> list[list[float]]:
    """Let everyone ask for SECONDS, once they are warm: the sorted waits of each group, in seconds."""
    everyone = [each for group in groups for each in group]
    for each in everyone:
        each.start()
    time.sleep(warm)
    for each in everyone:
        each.waits.clear()
    time.sleep(SECONDS)
    waits = [sorted(wait for each in group for wait in list(each.waits)) for group in groups]
    for each in everyone:
        each.stop.set()
    for each in everyone:
        each.join(timeout=10)
    return waits


def load_test(tournament: Tournament, owner: Any, port: int, pause: float) -> None:
    """Eight scorekeepers beside 64 connections that poll: 8 open desks, the others phones."""
    base = f"/t/{tournament.slug}/"
    cookie, csrf = staff_cookie(owner, base)
    # The last table plays on: of a whole round, one result in hundreds ends it.
    tables, box = list_tables(tournament)[:-1], f"{base}desk/rounds/{ROUNDS + 1}/box/"
    keepers = [Scorekeeper(port, cookie, csrf, box, tables[n::SCOREKEEPERS]) for n in range(SCOREKEEPERS)]
    desk, phone = f"{base}desk/rounds/{ROUNDS + 1}/status/?v=1", f"{base}rounds/{ROUNDS + 1}/"
    polls = [Poll(port, cookie if n < 8 else "", desk if n < 8 else phone, pause) for n in range(POLLS)]
    posts, asked = waits_of(keepers, polls)
    how = f"polls every {pause:g} s" if pause else "polls without a pause"
    show(f"posts a second, {how} ({len(asked) / SECONDS:.0f}/s)", len(posts) / SECONDS, 60, "/s", least=True)
    if posts:
        show("  99 of 100 posts answered in", posts[int(len(posts) * 0.99)] * 1000, 500, "ms")


def home(tournament: Tournament, owner: Any) -> None:
    """The event's home for staff, first as a new process answers it."""
    client, address = signed_in(owner), f"/t/{tournament.slug}/desk/"
    first = processor(lambda: (empty(), client.get(address)), 5)
    print(f"  the event's home {processor(lambda: client.get(address), 15):.1f} ms, made anew {first:.1f} ms")


def main(players: int = 512, wide: int = 1200, actions: int = 100_000) -> None:
    prepare()
    small, owner = event(players)
    print(f"{players} players, {connection.vendor}", flush=True)
    results(small, owner)
    page(small, owner)
    home(small, owner)
    long, owner = event(players)
    lengthen_log(long, actions)
    print(f"{players} players, {actions:,} more actions in the log, {connection.vendor}", flush=True)
    results(long, owner)
    page(long, owner)
    home(long, owner)
    large, owner = event(wide)
    print(f"{wide} players, {connection.vendor}", flush=True)
    page(large, owner)
    connection.close()
    with server() as port:
        for pause in (1.0, 0.0):
            load_test(small, owner, port, pause)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
