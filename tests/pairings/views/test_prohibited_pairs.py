"""The do-not-pair list, through the desk's page."""

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import key
from tournament.services.entries import add_entry, change_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(client):
    """Four players."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=0, owner=owner)
    for name in ("Ada", "Bo", "Chen", "Dee"):
        add_entry(tournament, {}, {"name": name})
    return tournament


def address(tournament):
    return f"/t/{tournament.slug}/desk/apart/"


def codes(tournament, *names):
    by_name = dict(tournament.entries.values_list("name", "code"))
    return [by_name[name] for name in names]


def test_a_pair_on_the_list_is_not_paired_until_it_is_removed(client, desk):
    page = address(desk)
    assert client.post(page, {"a": "Ada", "b": "Ch", "key": key()}).status_code == 303
    assert "Ada – Chen" in client.get(page).content.decode()
    desk.refresh_from_db()
    RoundFactory(tournament=desk)
    a, b = codes(desk, "Ada", "Chen")
    assert desk.rounds.get().seats.get(entry__code=a).opponent.code != b
    client.post(page, {"a": a, "b": b, "lift": "1", "key": key()})
    desk.refresh_from_db()
    assert desk.forbidden == []


@pytest.mark.parametrize(("a", "b"), [("Ada", "Ada"), ("Ada", "Nobody"), ("", "Bo"), ("\x00", "Bo")])
def test_a_pair_of_no_two_players_is_refused(client, desk, a, b):
    answer = client.post(address(desk), {"a": a, "b": b, "key": key()})
    assert answer.status_code == 422 and 'role="alert"' in answer.content.decode()
    desk.refresh_from_db()
    assert desk.forbidden == []


def test_the_page_says_what_labels_do(client, desk):
    assert "ignores labels when pairing" in client.get(address(desk)).content.decode()
    change_entry(desk, "P0001", labels=["North"])
    labeled = TournamentFactory(
        entries=2, owner=desk.owner, overrides={"pairing": {"labels_apart_until_round": 3}}
    )
    assert "up to round 3" in client.get(address(labeled)).content.decode()
