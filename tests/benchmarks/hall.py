"""A full hall: thousands of phones poll while scorekeepers enter results and players report theirs by phone.

    VAR_DIR=var/bench python -m tests.benchmarks.hall [PHONES] [PLAYERS] [SECONDS] [ONE_IN]

In the database that DATABASE_URL names (else SQLite under VAR_DIR). Every one of PHONES (5000) asks for its player's
part each 12 s. Once all have asked twice, both players of a table report it by phone within SECONDS (60); one table in
ONE_IN (2) is entered by 8 scorekeepers instead, in half of that time. Then the next round of PLAYERS (1200) is paired
and published at the desk, and each phone is to see it. The generator takes its share of the same machine; nothing is
asserted.
"""

import http.client
import queue
import random
import re
import sys
import threading
import time
import uuid
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks import desk  # sets Django up

from tests.benchmarks.desk import FORM, ROUNDS, show, staff_cookie  # isort: skip

from django.conf import settings
from django.db import connection

from tournament.access.player_link import fresh_player_key, hash_key, keys_cookie
from tournament.models import Entry, Match, Seat, Tournament
from tournament.services.event_settings import change_settings

PERIOD = 12.0
WORKERS = 24
MARK = re.compile(rb'data-v="([^"]+)"')


class Phone:
    """The page of one player that asks, each PERIOD, whether its part has changed; `seen`: the last answer's round."""

    def __init__(self, event: str, code: str) -> None:
        self.path, self.mark, self.next, self.seen = f"{event}players/{code}/now/", "", 0.0, b""


class Load:
    """Requests of all kinds over kept connections; how long each kind waited, and what went wrong."""

    def __init__(self, port: int) -> None:
        self.port, self.stop = port, threading.Event()
        self.waits: dict[str, list[float]] = {"poll": [], "page": [], "result": [], "report": [], "look": []}
        self.errors: list[str] = []
        self.local = threading.local()

    def ask(self, kind: str, method: str, path: str, body: str = "", **headers: str) -> bytes:
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers |= {"Accept-Encoding": "identity"} | ({"Content-Type": FORM} if body else {})
        begun = time.perf_counter()
        self.local.connection.request(method, path, body or None, headers)
        answer = self.local.connection.getresponse()
        text: bytes = answer.read()
        self.waits[kind].append(time.perf_counter() - begun)
        if kind == "look" and answer.status == 404:
            return b""
        if answer.status not in (200, 204, 303):
            self.errors.append(f"{answer.status} {path} {text[:200]!r}")
        return text

    def poll(self, phones: list[Phone]) -> None:
        """Ask for each of these phones in its turn, until the end."""
        while not self.stop.is_set():
            phone = min(phones, key=lambda one: one.next)
            if (wait := phone.next - time.monotonic()) > 0:
                time.sleep(min(wait, 0.2))
                continue
            phone.next += PERIOD
            text = self.ask("poll", "GET", f"{phone.path}?v={phone.mark}")
            if text:
                mark = MARK.search(text)
                phone.mark, phone.seen = mark[1].decode() if mark else "", text

    def work(self, jobs: "queue.Queue[Any]") -> None:
        while not self.stop.is_set():
            try:
                at, job = jobs.get_nowait()
            except queue.Empty:
                return
            time.sleep(max(at - time.monotonic(), 0))
            job()


def jobs_of(
    load: Load, tournament: Tournament, owner: Any, seconds: float, one_in: int
) -> tuple["queue.Queue[Any]", ...]:
    """Return the actions of scorekeepers and players, each with its time."""
    event = f"/t/{tournament.slug}/"
    tables = desk.list_tables(tournament)
    entered = tables[::one_in]
    reported = sorted(set(tables) - set(entered))
    cookie, token = staff_cookie(owner, event)
    now = time.monotonic() + 2 * PERIOD

    def enter(table: int) -> None:
        sent = {"text": f"{table} 21", "key": uuid.uuid4().hex, "csrfmiddlewaretoken": token}
        load.ask("result", "POST", f"{event}desk/rounds/{ROUNDS + 1}/box/", urlencode(sent), Cookie=cookie,
                 **{"HX-Request": "true", "Referer": f"http://127.0.0.1:{load.port}/"})  # fmt: skip

    def report(code: str, key: str, slip: str) -> None:
        sent = {"what": "report", "slip": slip, "round": ROUNDS + 1, "key": uuid.uuid4().hex}
        body = urlencode(sent | {"csrfmiddlewaretoken": token})
        cookies = f"{settings.CSRF_COOKIE_NAME}={token}; {keys_cookie()}={key}"
        referer = f"http://127.0.0.1:{load.port}/"
        load.ask("report", "POST", f"{event}me/{code}/report/", body, Cookie=cookies, Referer=referer)

    def open_desk() -> None:
        load.ask("page", "GET", f"{event}desk/rounds/{ROUNDS + 1}/", Cookie=cookie)

    staff: queue.Queue[Any] = queue.Queue()
    for _ in range(8):
        staff.put((now - PERIOD, open_desk))
    for place, table in enumerate(entered):
        staff.put((now + seconds / 2 * place / len(entered), lambda table=table: enter(table)))
    seats = Seat.objects.filter(match__round__tournament=tournament, match__round__number=ROUNDS + 1)
    rows = seats.filter(match__table__in=reported).values_list("side", "entry__pk", "entry__code")
    players: queue.Queue[Any] = queue.Queue()
    keyed = []
    for place, (side, pk, code) in enumerate(random.sample(list(rows), len(rows))):
        key, slip = fresh_player_key(), "20" if side == "a" else "02"
        keyed.append(Entry(pk=pk, key_hash=hash_key(key)))
        at = now + seconds * place / len(rows)
        players.put((at, lambda code=code, key=key, slip=slip: report(code, key, slip)))
    Entry.objects.bulk_update(keyed, ["key_hash"])
    return staff, players


def publish(
    load: Load, tournament: Tournament, owner: Any, words: bytes
) -> tuple[float, float, float, float]:
    """Pair and publish the next round at the desk. When it was published, on the clock of this machine; seconds until
    it was paired, until the desk was answered, and until it was seen by who looks."""
    event, shown = f"/t/{tournament.slug}/", [0.0]
    cookie, token = staff_cookie(owner, event)

    def post(path: str) -> float:
        begun = time.monotonic()
        body = urlencode({"key": uuid.uuid4().hex, "csrfmiddlewaretoken": token})
        referer = f"http://127.0.0.1:{load.port}/"
        load.ask("page", "POST", f"{event}desk/{path}", body, Cookie=cookie, Referer=referer)
        return time.monotonic() - begun

    def look() -> None:
        begun = time.monotonic()
        page = f"{event}rounds/{ROUNDS + 2}/pairings/"  # not there before
        while words not in load.ask("look", "GET", page) and time.monotonic() - begun < 60:
            time.sleep(0.1)
        shown[0] = time.monotonic() - begun

    paired = post("pair/")
    looks, begun = threading.Thread(target=look), time.monotonic()
    looks.start()
    published = post(f"rounds/{ROUNDS + 2}/publish/")
    looks.join()
    return begun, paired, published, shown[0]


def main(phones: int = 5000, players: int = 1200, seconds: int = 60, one_in: int = 2) -> None:
    random.seed(5)
    desk.prepare()
    tournament, owner = desk.event(players)
    change_settings(tournament, reporting="on")
    event = f"/t/{tournament.slug}/"
    codes = list(tournament.entries.values_list("code", flat=True))
    print(f"{phones} phones, {players} players, {connection.vendor}", flush=True)
    with desk.server() as port:
        load = Load(port)
        staff, reporters = jobs_of(load, tournament, owner, seconds, one_in)
        connection.close()
        everyone = [Phone(event, codes[n % len(codes)]) for n in range(phones)]
        for phone in everyone:
            phone.next = time.monotonic() + random.random() * PERIOD
        threads = [threading.Thread(target=load.poll, args=[everyone[n::WORKERS]]) for n in range(WORKERS)]
        busy = [threading.Thread(target=load.work, args=[jobs]) for jobs in [staff] * 8 + [reporters] * 8]
        for thread in (*threads, *busy):
            thread.start()
        time.sleep(2 * PERIOD)
        load.waits["poll"].clear()
        for thread in busy:
            thread.join()
        for kind, wanted in (("poll", 500), ("result", 1000), ("report", 1000)):
            waits = sorted(load.waits[kind])
            show(f"99 of 100 of {len(waits)} {kind}s in", waits[int(len(waits) * 0.99)] * 1000, wanted, "ms")
        out = Match.objects.filter(
            round__tournament=tournament, round__number=ROUNDS + 1, result=None
        ).count()
        print(f"  {len(load.errors)} errors, {out} of {players // 2} tables without a result")
        words = f"Round {ROUNDS + 2}".encode()
        begun, paired, published, shown = publish(load, tournament, owner, words)
        show("paired by the desk in", paired, 5, "s")
        show("published, and on the page of pairings, in", shown, 5, "s")
        print(f"  (the desk's answer came after {published:.2f} s)")
        while time.monotonic() - begun < 60 and not all(words in phone.seen for phone in everyone):
            time.sleep(0.2)
        unseen = sum(words not in phone.seen for phone in everyone)
        show(f"publication seen by all ({unseen} not)", time.monotonic() - begun, 20, "s")
        load.stop.set()
        for thread in threads:
            thread.join()
    print("\n".join(load.errors[:5]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
