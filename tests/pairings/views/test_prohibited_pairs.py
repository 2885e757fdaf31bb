import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import Page, page, press
from tests.tournament.views.desk import signed_in
from tournament.services.entries import add_entry

ADD = "Add to the do-not-pair list"


@pytest.fixture
def desk(client):
    tournament = signed_in(client, entries=0)
    for name in ("Ada", "Bo", "Chen", "Dee"):
        add_entry(tournament, {}, {"name": name})
    return tournament


def address(tournament):
    return f"/t/{tournament.slug}/desk/apart/"


def test_a_pair_on_the_list_is_not_paired_until_it_is_removed_and_the_page_says_what_labels_do(client, desk):
    assert "ignores labels when pairing" in page(client, address(desk))
    apart = {"pairing": {"labels_apart_until_round": 3}}
    labeled = TournamentFactory(entries=2, owner=desk.owner, overrides=apart)
    assert "up to round 3" in page(client, address(labeled))
    shown = press(client, page(client, address(desk)), ADD, a="Ada", b="Ch")
    assert "Ada – Chen" in shown.all("main .list li")[0]
    desk.refresh_from_db()
    RoundFactory(tournament=desk)
    assert desk.rounds.get().seats.get(entry__name="Ada").opponent.name != "Chen"
    press(client, shown, "Remove from list")
    desk.refresh_from_db()
    assert desk.forbidden == []


@pytest.mark.parametrize(("a", "b"), [("Ada", "Ada"), ("Ada", "Nobody"), ("", "Bo"), ("\x00", "Bo")])
def test_a_pair_of_no_two_players_is_refused(client, desk, a, b):
    form = page(client, address(desk)).form(ADD)
    refused = Page(client.post(form.action, {**form.fields, "a": a, "b": b}))
    assert refused.status == 422 and refused.all('[role="alert"]')
    desk.refresh_from_db()
    assert desk.forbidden == []
