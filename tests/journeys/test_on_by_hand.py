"""The fault drill: the server is killed mid-round, the round goes on from the file alone, and is entered afterwards."""

import contextlib
import io
import json
import os
import signal
import sqlite3
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from pairings.draft.services import draft_next_round
from tests.browser import eventually
from tests.factories import TournamentFactory
from tests.pages import Page, words_in
from tests.served import free_port, server
from tournament.event.read import load_event_values
from tournament.results.shorthand import parse_slip
from tournament.services.results import match_rules, record_result
from tournament.services.rounds import publish_round

SIGNED = ("20", "21", "02", "12", "11")  # what players wrote, by their table
TOKEN = "t" * 32  # a CSRF secret: any, where cookie and form say the same


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


class Desk:
    def __init__(self, port: int, slug: str, session: str):
        self.address = f"http://127.0.0.1:{port}/t/{slug}/desk/"
        self.cookies = f"hall_session={session}; hall_csrf={TOKEN}"
        self.opener = urllib.request.build_opener(NoRedirect)

    def post(self, path: str, **fields: str) -> int:
        body = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": TOKEN}).encode()
        try:
            return self.opener.open(self._request(path, body)).status
        except urllib.error.HTTPError as answer:
            return answer.code

    def get(self, path: str) -> str:
        return self.opener.open(self._request(path)).read().decode()

    def _request(self, path: str, body: bytes | None = None) -> urllib.request.Request:
        return urllib.request.Request(self.address + path, body, {"Cookie": self.cookies})


def copy_database(source: Path, to: Path) -> None:
    with contextlib.closing(sqlite3.connect(source)) as one, contextlib.closing(sqlite3.connect(to)) as other:
        one.backup(other)


def slips_in(html: str) -> dict[int, tuple[str, ...]]:
    slips = Page(html).soup.select('.slip[aria-label^="Match slip, table"]')
    return {
        int(slip["aria-label"].rpartition(" ")[2]): tuple(map(words_in, slip.select(".name > b")))
        for slip in slips
    }


@pytest.mark.slow
@pytest.mark.only_on("sqlite")  # the server begins with a copy of the tests' own file
@pytest.mark.real_time
@pytest.mark.django_db(transaction=True)
def test_a_round_goes_on_by_hand_and_ends_as_if_nothing_had_happened(client, tmp_path):
    tournament = TournamentFactory(entries=33, rounds=1, drafted=True)
    client.force_login(tournament.owner)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    ours, served = Path(connection.settings_dict["NAME"]), tmp_path / "swiss.sqlite3"
    copy_database(ours, served)
    port = free_port()
    environment = {"HOST": "127.0.0.1", "PORT": str(port), "SECRET_KEY": settings.SECRET_KEY}
    desk = Desk(port, tournament.slug, session)

    with server(tmp_path, **environment) as process:
        assert desk.post("rounds/2/publish/") == 303
        for table in (3, 9, 14):
            assert desk.post("rounds/2/box/", text=f"{table} {SIGNED[table % 5]}") == 303
        copies = tmp_path / "snapshots" / tournament.slug
        eventually(lambda: list(copies.glob("*.html")))
        os.killpg(process.pid, signal.SIGKILL)

    # Nothing but the file.
    [paper] = copies.glob("*.html")
    slips = slips_in(paper.read_text(encoding="utf-8"))
    assert sorted(slips) == list(range(1, 17))
    signed = {table: SIGNED[table % 5] for table in sorted(slips)}

    with server(tmp_path, **environment):
        left = slips_in(desk.get("print/everything.html"))
        assert sorted(left) == sorted(signed.keys() - {3, 9, 14})  # what was acknowledged is there
        for table in left:
            assert desk.post("rounds/2/box/", text=f"{table} {signed[table]}") == 303
        assert desk.post("pair/") == 303
        assert "Pairings by name, round 3 (draft)" in desk.get("print/everything.html")

    # The same event, never killed.
    publish_round(tournament, 2)
    matches = {match.table: match for match in tournament.rounds.get(number=2).matches.exclude(table=None)}
    for table, match in matches.items():
        seats = match.seats.order_by("side").values_list("entry__name", flat=True)
        assert slips[table] == tuple(seats)
        record_result(tournament, 2, table, parse_slip(signed[table], match_rules(match, tournament.profile)))
    draft_next_round(tournament)
    never_killed = load_event_values(tournament)

    connection.close()
    copy_database(served, ours)
    killed = load_event_values(tournament)
    assert killed.rounds[1].matches == never_killed.rounds[1].matches
    assert killed.rounds[2].matches == never_killed.rounds[2].matches
    assert killed.rounds[2].pairing.digest == never_killed.rounds[2].pairing.digest
    for check, found in (("fsck", "problems"), ("replay", "different")):
        call_command(check, tournament.slug, "--json", stdout=(out := io.StringIO()))
        assert json.loads(out.getvalue())[found] == []
