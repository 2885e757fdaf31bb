"""Queries of the desk's pages; reading opens no transaction; visitors are asked to sign in."""

import gzip
import re
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pairings.draft.services import draft_next_round
from tests.factories import TWO_NIL, TournamentFactory, UserFactory, correct
from tests.tournament.views.desk import running
from tournament.models import Staff
from tournament.services.decklists import hand_in_decklist
from tournament.services.entries import add_entries
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.self_service import make_links, send_message
from tournament.services.staff import create_invite

PAGES = """
    players/ players/P0001/ players/add/?name=pl
    regulars/?name=pl players/file/ players/check-in/?q=pl starting-list/ apart/ no-shows/
    log/ pair/ rounds/1/ rounds/1/status/ rounds/2/draft/ rounds/2/draft/swap/?a=P0001
    rounds/2/why/?a=P0001&b=P0002
    settings/ settings/rounds/ settings/staff/ players/before/ flags/
    decklists/ decklists/?show=missing players/P0001/decklist/
    print/player-links/ correct/?q=p players/P0001/correct/ correct/missing-player/ standings/ standings/ties/
""".split()
PAGES.append("")  # the desk itself
OF_A_ROUND = ["rounds/2/", "rounds/2/repair/", "judge/", "judge/tables/"]


def crowd(client, players):
    """The draft of round 2. Some players write, have a decklist or judge: the more, the more players there are."""
    tournament = running(client, players, decklist_rule="late", reporting="on")
    for number in range(1, 2 + players // 20):
        user = UserFactory()
        Staff.objects.create(tournament=tournament, user=user, role="judge")
        create_invite(tournament, "judge", actor=tournament.owner)
        tournament.entries.filter(code=f"P{number:04d}").update(user=user)
        send_message(tournament, f"P{number:04d}", "wrong")
        hand_in_decklist(tournament, f"P{number:04d}", "60 Island")
    make_links(tournament)
    for table in range(1, players // 2 + 1):
        record_result(tournament, 1, table, TWO_NIL)
    draft_next_round(tournament)
    return tournament


@pytest.mark.django_db(transaction=True)
def test_a_page_costs_the_same_at_twelve_players_and_at_sixty_and_opens_no_transaction(client):
    counts = []

    def count(tournament, pages):
        for page in pages:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/t/{tournament.slug}/desk/{page}").status_code == 200, page
            # PostgreSQL reads a long result through a cursor it declares outside of any transaction.
            assert {query["sql"].split()[0].upper() for query in queries} <= {"SELECT", "DECLARE"}, page
            counts.append((page, len(queries)))

    for players in (12, 60):
        tournament = crowd(client, players)
        count(tournament, PAGES)
        publish_round(tournament, 2)
        correct(tournament, 1, 1)
        count(tournament, OF_A_ROUND)
    half = len(counts) // 2
    assert counts[:half] == counts[half:]
    assert max(number for _page, number in counts) <= 42


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
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    add_entries(tournament, [f"Some{number % 7} Body{number:04d}" for number in range(1200)])
    for page in ("players/", "players/?q=bod", "players/check-in/", "players/check-in/?q=some3", "no-shows/"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/t/{tournament.slug}/desk/{page}")
        assert len(queries) <= 12, page
        assert len(gzip.compress(answer.content)) < 150_000, page
        lines = set(re.findall(rb"/desk/players/(P\d+)/", answer.content))
        assert "?q=" not in page or len(lines) <= 25, page
