"""The page of an event's sessions and days: who may open one, and what it asks."""

import pytest

from tests import factories
from tests.journeys.test_stages import session
from tests.tournament.views.desk import key
from tournament.services.entries import add_entries

pytestmark = pytest.mark.django_db


def test_staff_open_a_session_and_a_day_and_enter_players_again(client):
    owner = factories.UserFactory()
    client.force_login(owner)
    tournament = factories.TournamentFactory(entries=6, ruleset="twixt", rounds_planned=2, owner=owner)
    address = f"/t/{tournament.slug}/desk/stages/"
    html = client.get(address).content.decode()
    assert "Open a session" in html and "Open the next day" not in html
    session(tournament, 2)
    html = client.get(address).content.decode()
    assert "Session 1" in html and "Open a session" in html and "Open the next day" in html
    assert address in client.get(f"/t/{tournament.slug}/desk/").content.decode()
    sent = {"what": "session", "key": key(), "minutes": ""}
    for _ in range(2):
        assert client.post(address, sent).status_code == 303
    assert tournament.stages.count() == 2, "sent twice, done once"
    page = client.get(f"/t/{tournament.slug}/desk/players/P0001/").content.decode()
    assert "Re-enter in session 2" in page
    again = f"/t/{tournament.slug}/desk/players/P0001/again/"
    assert client.post(again, {"key": key()}).status_code == 303
    assert client.post(again, {"key": key()}).status_code == 409
    assert "Re-enter" not in client.get(f"/t/{tournament.slug}/desk/players/P0007/").content.decode()
    html = client.get(address).content.decode()
    assert "Session 2" in html and "1 re-entered" in html and "not started" in html
    players = client.get(f"/t/{tournament.slug}/desk/players/").content.decode()
    assert "session 2" in players and "counts as a loss" not in players, "nobody is late before it begins"
    home = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    assert "Pair round 3" in home and "Round 4" in home, "the road goes on through the second session"
    add_entries(tournament, ["New"])
    session(tournament, 2)
    sent = {"what": "day", "key": key(), "rounds": 1, "size": 4, "points": ""}
    assert client.post(address, sent).status_code == 303
    assert tournament.stages.get(number=3).stage_entries.count() == 4 and tournament.stages.get(
        number=3
    ).sources == [1, 2]
    log = client.get(f"/t/{tournament.slug}/desk/log/").content.decode()
    assert "a session opened" in log.lower() and "a day with carried-over points opened" in log.lower()
    for wrong in ({"rounds": ""}, {"rounds": 99}, {"rounds": 1, "points": "many"}, {"rounds": 1, "size": 1}):
        assert client.post(address, {"what": "day", "key": key(), **wrong}).status_code == 422


def test_others_may_not_open_stages(client):
    tournament = factories.TournamentFactory(entries=4)
    address = f"/t/{tournament.slug}/desk/stages/"
    assert client.get(address).status_code == 302
    client.force_login(factories.UserFactory())
    assert client.get(address).status_code == 404, "strangers do not learn that there is such an event"
    assert client.post(address, {"what": "session"}).status_code == 404


@pytest.mark.parametrize("players", [2, 60])
def test_the_page_of_stages_asks_as_little_for_many_players_as_for_few(
    client, players, django_assert_max_num_queries
):
    owner = factories.UserFactory()
    client.force_login(owner)
    tournament = factories.TournamentFactory(entries=players, owner=owner)
    with django_assert_max_num_queries(12):
        client.get(f"/t/{tournament.slug}/desk/stages/")
