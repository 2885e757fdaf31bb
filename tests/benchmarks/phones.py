"""Measure phones: one request of each kind, and requests per second beside scorekeepers.

    VAR_DIR=var/bench python -m tests.benchmarks.phones [PLAYERS]

In the database that DATABASE_URL names (else SQLite under VAR_DIR), as `tests.benchmarks.desk`, whose pieces these are.
Times are the processor's; requests a second are on the clock, of two workers, and the generator takes its share of the
same machine.
"""

import random
import sys
from functools import partial
from typing import Any

from tests.benchmarks import desk  # sets Django up

from tests.benchmarks.desk import ROUNDS, SECONDS, Poll, Scorekeeper, processor, show  # isort: skip

from django.db import connection
from django.test import Client

from tests.conftest import empty
from tournament.access.player_link import fresh_player_key, hash_key, keys_cookie
from tournament.models import Tournament
from tournament.services.event_settings import change_settings
from tournament.services.self_service import change_player_link

GZIP = {"Accept-Encoding": "gzip"}
PHONES = 32


def addresses_of(tournament: Tournament) -> dict[str, tuple[str, float]]:
    """{what: (its address, milliseconds wanted)}."""
    event, number = f"/t/{tournament.slug}/", ROUNDS + 1
    code = tournament.entries.order_by("?").values_list("code", flat=True)[0]
    return {
        "the player's page": (f"{event}players/{code}/", 0.8),
        "pairings by name": (f"{event}rounds/{number}/", 1),
        "standings": (f"{event}standings/", 1),
    }


def one_request(tournament: Tournament) -> None:
    client = Client(HTTP_HOST="127.0.0.1")
    get = lambda address, **headers: client.get(address, headers=GZIP | headers)  # noqa: E731
    nothing = processor(lambda: client.get("/healthz"), 200)
    print(f"  (for comparison: /healthz {nothing:.2f} ms)")
    for what, (address, wanted) in addresses_of(tournament).items():
        page = get(address)
        show(what, processor(partial(get, address), 300), wanted, "ms")
        tag = {"If-None-Match": page["ETag"]}
        assert get(address, **tag).status_code == 304
        show("  the same, 304", processor(partial(get, address, **tag), 300), wanted, "ms")
        anew = processor(partial(_anew, client, address), 10)
        print(f"  the same, made anew {anew:.1f} ms, {len(page.content) / 1000:.1f} kB")
    codes = iter(tournament.entries.order_by("?").values_list("code", flat=True)[:300])
    get(f"/t/{tournament.slug}/players/{next(codes)}/now/")  # reads the event, once in each process
    part = processor(lambda: get(f"/t/{tournament.slug}/players/{next(codes)}/now/"), 290)
    show("a player's part after a publication", part, 8, "ms")
    poll = poll_of(client, tournament)
    show("a poll answered 204", processor(lambda: get(poll), 300), 0.6, "ms")
    own = own_poll_of(client, tournament)
    show("the same of the own page", processor(lambda: get(own), 300), 0.6, "ms")


def own_poll_of(client: Client, tournament: Tournament) -> str:
    """Return the poll of a player's own page; the client holds the player's key from then on."""
    change_settings(tournament, reporting="on")
    code, key = tournament.entries.order_by("?").values_list("code", flat=True)[0], fresh_player_key()
    change_player_link(tournament, code, key_hash=hash_key(key))
    client.cookies[keys_cookie()] = key
    address = f"/t/{tournament.slug}/me/{code}/report/?bar=1"
    mark = client.get(f"{address}&v=").content.decode().split('data-v="')[1].split('"')[0]
    assert client.get(f"{address}&v={mark}").status_code == 204
    return f"{address}&v={mark}"


def _anew(client: Client, address: str) -> None:
    empty()
    client.get(address, headers=GZIP)


def poll_of(client: Client, tournament: Tournament) -> str:
    """Return the poll of a player's phone, with the version of its page."""
    address = addresses_of(tournament)["the player's page"][0] + "now/"
    mark = client.get(address).content.decode().split('data-v="')[1].split('"')[0]
    assert client.get(f"{address}?v={mark}").status_code == 204
    return f"{address}?v={mark}"


def many(tournament: Tournament, owner: Any, port: int, keepers: int) -> None:
    cookie, csrf = desk.staff_cookie(owner, f"/t/{tournament.slug}/")
    box, tables = f"/t/{tournament.slug}/desk/rounds/{ROUNDS + 1}/box/", desk.list_tables(tournament)
    paths = [poll_of(Client(HTTP_HOST="127.0.0.1"), tournament) for _ in range(PHONES)]
    staff = [Scorekeeper(port, cookie, csrf, box, tables[n::keepers]) for n in range(keepers)]
    posts, polls = desk.waits_of(staff, [Poll(port, "", path, 0) for path in paths], warm=2)
    print(
        f"  {len(polls) / SECONDS:.0f} polls/s, 99 of 100 in {polls[int(len(polls) * 0.99)] * 1000:.0f} ms,"
        f" beside {len(posts) / SECONDS:.0f} results/s of {keepers} scorekeepers"
    )


def main(players: int = 512) -> None:
    random.seed(5)
    desk.prepare()
    tournament, owner = desk.event(players)
    print(f"{players} players, {connection.vendor}", flush=True)
    one_request(tournament)
    with desk.server() as port:
        for keepers in (0, 8):
            many(tournament, owner, port, keepers)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
