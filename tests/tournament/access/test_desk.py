"""What pages of the desk cost, that looking opens no transaction, and where who is not signed in is sent."""

import gzip
import re
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.factories import TournamentFactory, UserFactory, enter_results
from tests.tournament.views.desk import running
from tournament.services.entries import add_entries

PAGES = """
    players/ players/P0001/ add-player/?name=pl regulars/?name=pl import/ check-in/?q=pl starting-list/ apart/ no-shows/
    log/ pair/ rounds/1/ rounds/1/status/ rounds/2/draft/ rounds/2/draft/swap/?a=P0001
    rounds/2/why/?a=P0001&b=P0002 rounds-check/ rounds-check/part/
""".split()
PAGES.append("")  # the desk itself


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_page_costs_the_same_at_twelve_players_and_at_sixty_and_opens_no_transaction(client):
    counts = []
    for players in (12, 60):
        tournament = running(client, players)
        enter_results(tournament, 1)
        draft_next_round(tournament)
        for page in PAGES:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/t/{tournament.slug}/desk/{page}").status_code == 200
            # PostgreSQL reads a long result through a cursor it declares outside of any transaction.
            assert {query["sql"].split()[0].upper() for query in queries} <= {"SELECT", "DECLARE"}, page
            counts.append((page, len(queries)))
    assert counts[: len(PAGES)] == counts[len(PAGES) :]
    assert max(count for _page, count in counts) <= 22


@pytest.mark.django_db
def test_a_page_and_a_part_of_it_send_the_whole_page_to_sign_in_and_back(client):
    desk = f"/t/{TournamentFactory(entries=4, published=True).slug}/desk/"
    assert client.get(desk)["Location"] == f"/login/?next={quote(desk, safe='')}"
    on = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{desk}rounds/1/"}
    part = client.get(f"{desk}rounds/1/status/", headers=on)
    there = quote(f"{desk}rounds/1/", safe="")
    assert (part.status_code, part["HX-Redirect"]) == (401, f"/login/?next={there}")
    evil = client.get(desk, headers=on | {"HX-Current-URL": "https://evil.example/x"})
    assert evil["HX-Redirect"] == "/login/?next=%2F"


@pytest.mark.django_db
def test_lists_and_searches_of_players_are_small_and_ask_little(client):
    """With 1,200 entries: 12 queries, 150 kB compressed; a search draws few lines, so that it answers at once."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    add_entries(tournament, [f"Some{number % 7} Body{number:04d}" for number in range(1200)])
    for page in ("players/", "players/?q=bod", "check-in/", "check-in/?q=some3", "no-shows/"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/t/{tournament.slug}/desk/{page}")
        assert len(queries) <= 12, page
        assert len(gzip.compress(answer.content)) < 150_000, page
        lines = set(re.findall(rb"/desk/players/(P\d+)/", answer.content))
        assert "?q=" not in page or len(lines) <= 25, page
