"""Who may open the desk, how much it costs, and that looking never writes."""

import gzip
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.tournament.views.desk import key, post_slip, running
from tournament.models import Staff
from tournament.services.entries import add_entries

PAGES = [
    "",
    "players/",
    "players/P0001/",
    "add-player/?name=pl",
    "regulars/?name=pl",
    "import/",
    "check-in/?q=pl",
    "starting-list/",
    "apart/",
    "no-shows/",
    "log/",
    "pair/",
    "rounds/1/",
    "rounds/1/status/",
    "rounds/2/draft/",
    "rounds/2/draft/swap/?a=P0001",
    "rounds/2/why/?a=P0001&b=P0002",
    "rounds-check/",
    "rounds-check/part/",
]


def at_draft(client, players):
    from pairings.draft.services import draft_next_round

    tournament = running(client, players)
    enter_results(tournament, 1)
    draft_next_round(tournament)
    return tournament


@pytest.mark.long
@pytest.mark.django_db
def test_a_page_costs_the_same_at_twelve_players_and_at_sixty(client):
    counts = []
    for players in (12, 60):
        tournament = at_draft(client, players)
        for page in PAGES:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/t/{tournament.slug}/desk/{page}").status_code == 200
            counts.append((page, len(queries)))
    assert counts[: len(PAGES)] == counts[len(PAGES) :]
    assert max(count for _page, count in counts) <= 22


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_looking_opens_no_transaction_and_writes_nothing(client):
    tournament = at_draft(client, 8)
    for page in PAGES:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/t/{tournament.slug}/desk/{page}").status_code == 200
        # PostgreSQL reads a long result through a cursor it declares outside of any transaction.
        assert {query["sql"].split()[0].upper() for query in queries} <= {"SELECT", "DECLARE"}, page


@pytest.mark.django_db
def test_a_stranger_sees_no_event_and_nobody_is_sent_to_sign_in_and_back(client):
    tournament = TournamentFactory(entries=4)
    address = f"/t/{tournament.slug}/desk/"
    assert client.get(address)["Location"] == f"/login/?next=%2Ft%2F{tournament.slug}%2Fdesk%2F"
    client.force_login(UserFactory())
    assert client.get(address).status_code == 404
    assert post_slip(client, tournament, slip="20").status_code == 404


@pytest.mark.django_db
def test_a_part_of_a_page_sends_the_whole_page_to_sign_in(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    page = f"http://testserver/t/{tournament.slug}/desk/rounds/1/"
    answer = client.get(
        f"/t/{tournament.slug}/desk/rounds/1/status/", HTTP_HX_REQUEST="true", HTTP_HX_CURRENT_URL=page
    )
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == f"/login/?next=%2Ft%2F{tournament.slug}%2Fdesk%2Frounds%2F1%2F"
    evil = client.get(
        f"/t/{tournament.slug}/desk/", HTTP_HX_REQUEST="true", HTTP_HX_CURRENT_URL="https://evil.example/x"
    )
    assert evil["HX-Redirect"] == "/login/?next=%2F"


@pytest.mark.django_db
def test_a_judge_drops_but_enters_nothing(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    judge = UserFactory()
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    client.force_login(judge)
    desk = f"/t/{tournament.slug}/desk/"
    assert client.get(f"{desk}rounds/1/").status_code == 200
    assert post_slip(client, tournament, slip="20").status_code == 403
    assert client.post(f"{desk}players/", {"names": "Late"}).status_code == 403
    assert client.post(f"{desk}players/P0001/name/", {"name": "X"}).status_code == 403
    assert client.post(f"{desk}settings/", {"name": "Mine"}).status_code == 403
    assert client.post(f"{desk}players/P0001/drop/", {"key": key()}).status_code == 303


@pytest.mark.django_db
def test_lists_and_searches_of_players_are_small_and_ask_little(client):
    """With 1,200 entries: 10 queries, 150 kB compressed; a search draws few lines, so that it answers at once."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    add_entries(tournament, [f"Some{number % 7} Body{number:04d}" for number in range(1200)])
    for page in ("players/", "players/?q=bod", "check-in/", "check-in/?q=some3", "no-shows/"):
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/t/{tournament.slug}/desk/{page}")
        assert len(queries) <= 10, page
        assert len(gzip.compress(answer.content)) < 150_000, page
        lines = set(re.findall(rb"/desk/players/(P\d+)/", answer.content))
        assert "?q=" not in page or len(lines) <= 25, page
