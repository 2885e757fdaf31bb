"""A rehearsal: a copy of an event with simulated players, marked, not listed, and gone in one step."""

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import key
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.models import Staff, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def event(client) -> Tournament:
    owner = UserFactory(username="ada")
    client.force_login(owner)
    tournament = TournamentFactory(owner=owner, entries=10, published=True, rounds_planned=4, capacity=10)
    Staff.objects.create(tournament=tournament, user=UserFactory(username="bo"), role="scorekeeper")
    return tournament


def rehearse(client, event, **fields) -> Tournament:
    sent = {"players": 12, "with_staff": "on", "key": key(), **fields}
    assert client.post(f"/t/{event.slug}/desk/rehearsal/", sent).status_code == 303
    return Tournament.objects.get(demo=True)


def test_it_has_the_settings_the_staff_and_as_many_players_as_asked_for(client, event):
    before = dump_event(event)
    copy = rehearse(client, event)
    assert (copy.name, copy.demo, copy.listed) == ("Rehearsal: Friday night", True, False)
    assert (copy.rounds_planned, copy.ruleset.key, copy.state) == (4, "mtr", "open")
    assert copy.entries.filter(status="playing").count() == 12  # also beyond the event's player limit
    assert {member.user.username: member.role for member in copy.staff.all()} == {
        "ada": "owner",
        "bo": "scorekeeper",
    }
    RoundFactory(tournament=copy, results=True)
    assert integrity.check(copy) == [] and dump_event(event) == before


def test_it_is_found_on_no_public_list_and_its_players_are_no_known_players(client, event):
    copy = rehearse(client, event)
    name = copy.entries.get(code="P0002").name
    text = client.get(f"/t/{event.slug}/desk/regulars/", {"name": name[:4]}).content.decode()
    assert name not in text
    assert "Rehearsal: Friday night" in client.get("/").content.decode()  # one's own
    client.logout()
    assert "Rehearsal" not in client.get("/").content.decode()


def test_the_form_offers_as_many_as_there_are_and_is_done_once(client, event):
    assert 'value="10"' in client.get(f"/t/{event.slug}/desk/rehearsal/").content.decode()
    for _ in range(2):
        rehearse(client, event, key="abc")
    for players in ("5", "501", "", "many"):
        assert client.post(f"/t/{event.slug}/desk/rehearsal/", {"players": players}).status_code == 422
    assert Tournament.objects.count() == 2


def test_it_goes_in_one_step_and_only_with_ones_own(client, event):
    copy = rehearse(client, event)
    page = f"/t/{copy.slug}/desk/delete/"
    assert f'value="{copy.name}"' in client.get(page).content.decode()
    assert 'value="' + event.name not in client.get(f"/t/{event.slug}/desk/delete/").content.decode()
    stranger = UserFactory()
    TournamentFactory(owner=stranger, name="Theirs", entries=0, demo=True)
    client.force_login(stranger)
    assert "Rehearsal" not in client.get("/demo/").content.decode()
    client.post("/demo/")
    assert set(Tournament.objects.all()) == {event, copy}
    client.force_login(event.owner)
    client.post("/demo/")
    assert set(Tournament.objects.all()) == {event}
