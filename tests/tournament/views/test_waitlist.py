import pytest

from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.services.test_waitlist import enrol, opened
from tests.tournament.views.desk import key
from tests.tournament.views.test_events import sent as sent_settings
from tournament.services.drops import check_in_entry, drop_entry
from tournament.services.entries import add_entries
from tournament.services.event_settings import change_registration
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def full(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = opened(owner=owner)
    enrol(tournament, "Wanda West", "Xenia Xu")
    return tournament


def send(client, tournament, part, **fields):
    sent = {"key": key(), **fields}
    return Page(client.post(f"/t/{tournament.slug}/desk/{part}", sent, follow=True))


@pytest.mark.parametrize(
    ("part", "fields"),
    [
        ("players/P0001/drop/", {}),
        ("players/P0001/remove/", {}),
        ("players/P0001/disqualify/", {"why": "fixed a match"}),
        ("registration/", {"self_registration": "on", "capacity": 5}),
        ("no-shows/", {"codes": "P0001"}),
    ],
)
def test_one_free_spot_names_one_player(client, full, part, fields):
    check_in_entry(full, "P0002")
    html = send(client, full, part, **fields)
    assert "Wanda West moved up from the waitlist." in html and "Xenia Xu moved" not in html


def test_several_are_named_at_once_by_registration_and_settings_alike(client, full):
    full.refresh_from_db()
    settings = sent_settings(full, capacity="6")
    shown = send(client, full, "registration/", self_registration="on", capacity="")
    assert "2 players moved up from the waitlist: Wanda West, Xenia Xu." in shown
    undo_action(full, full.actions.latest("number").number)
    shown = send(client, full, "settings/", **settings)
    assert "2 players moved up from the waitlist: Wanda West, Xenia Xu." in shown


def test_the_undo_that_frees_a_spot_names_who_gets_it(client, full):
    add_entries(full, ["Zoe Zorn"])
    change_registration(full, self_registration=True, capacity=5)
    last = full.actions.get(kind="register", changes__0__fact="entries/P0007")
    assert "Wanda West moved up from the waitlist" in send(client, full, "undo/", number=last.number)


def test_one_who_is_admitted_or_frees_no_spot_is_named_once_or_not(client, full):
    html = send(client, full, "players/P0006/admit/")
    assert "Xenia Xu is playing." in html and "moved up" not in html
    assert "moved up" not in send(client, full, "players/P0006/drop/")
    assert "moved up" not in send(client, full, "players/P0001/paid/")


def test_who_has_dropped_is_counted_apart_from_who_has_a_spot(client):
    tournament = TournamentFactory(entries=24, rounds=1, capacity=24)
    drop_entry(tournament, "P0003")
    client.force_login(tournament.owner)
    for part, words in (("players/", "23 players of 24 spots, 1 free · 1 no longer playing"),
                        ("", "Players 23 of 24 spots · 1 no longer playing")):  # fmt: skip
        assert words in page(client, f"/t/{tournament.slug}/desk/{part}"), part
