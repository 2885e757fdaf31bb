"""Measure one request beside 1, 10, 100 and 1,000 running events: it must not grow with their number.

    VAR_DIR=var/bench python -m tests.benchmarks.many_events [EVENTS] [PLAYERS]

Loads EVENTS (1000) copies of a simulated event of PLAYERS (40) with an open round into the database that DATABASE_URL
names (else SQLite under VAR_DIR), and prints the milliseconds of the processor for a request of each kind, asked of 40
of the events in turn, and the ratio of the last column to the first. `made anew`: nothing of the page was kept.
"""

import itertools
import json
import random
import sys
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks import desk  # sets Django up

from tests.benchmarks.desk import FORM, HTMX, ROUNDS, processor  # isort: skip

from django.db import connection
from django.test import Client

from tests.benchmarks.phones import poll_of
from tests.conftest import empty
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.models import Tournament
from tournament.services.events import delete_event

ASKED = 40  # events
TIMES = 120


def requests_to(events: list[Tournament], owner: Any, players: int) -> dict[str, Callable[[], Any]]:
    """{what: a request of that kind to the next of the events}."""
    staff, phone = desk.signed_in(owner), Client(HTTP_HOST="127.0.0.1")
    turn, chance = itertools.cycle(events), random.Random(1)
    polls = itertools.cycle([poll_of(phone, tournament) for tournament in events])

    last: dict[tuple[str, int], str] = {}

    def enter() -> None:
        tournament, table = next(turn), chance.randrange(1, players // 2 + 1)
        place = tournament.slug, table
        last[place] = chance.choice([each for each in desk.SLIPS if each != last.get(place)])
        sent = {"text": f"{table} {last[place]}", "key": uuid.uuid4().hex, "seen": 10**6, "replace": "on"}
        address = f"/t/{tournament.slug}/desk/rounds/{ROUNDS + 1}/box/"
        answer = staff.post(address, urlencode(sent), content_type=FORM, headers=HTMX)
        assert answer.status_code == 200, answer.content[:300]

    def get(client: Client, path: str) -> None:
        assert client.get(f"/t/{next(turn).slug}/{path}").status_code == 200

    def anew(path: str) -> None:
        empty()
        get(phone, path)

    return {
        "one result by the box": enter,
        "a poll answered 204": lambda: phone.get(next(polls)),
        "standings, kept": lambda: get(phone, "standings/"),
        "standings, made anew": lambda: anew("standings/"),
        "the round's desk page": lambda: get(staff, f"desk/rounds/{ROUNDS + 1}/"),
        "the event's home": lambda: get(staff, "desk/"),
        "the first page": lambda: staff.get("/"),
    }


def main(most: int = 1000, players: int = 40) -> None:
    random.seed(5)
    desk.prepare()
    first, owner = desk.event(players)
    file = parse_event(json.loads(dump_event(first, with_seed=True)))
    events, mine = [first], uuid.uuid4().hex[:6]
    counts = [count for count in (1, 10, 100, 1_000, 10_000) if count <= most]
    table: dict[str, list[float]] = {}
    try:
        for count in counts:
            while len(events) < count:
                events.append(load_event(file, slug=f"many-{mine}-{len(events)}", owner=owner))
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
            for what, request in requests_to(
                random.sample(events, min(count, ASKED)), owner, players
            ).items():
                for _warm in range(ASKED):
                    request()
                table.setdefault(what, []).append(processor(request, TIMES))
    finally:
        for tournament in events[1:]:
            delete_event(tournament, tournament.name)
    print(f"{connection.vendor}, {players} players each; ms of the processor beside so many events")
    print(f"  {'':<26}" + "".join(f"{count:>9,}" for count in counts) + "    ratio")
    for what, spent in table.items():
        print(f"  {what:<26}" + "".join(f"{ms:9.2f}" for ms in spent) + f"{spent[-1] / spent[0]:9.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
