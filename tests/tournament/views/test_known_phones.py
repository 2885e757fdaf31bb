"""How a phone comes to know its player: found by name, or by the code on the slip."""

import pytest
from django.test import Client

from tests.factories import TournamentFactory
from tests.tournament.services.test_reports import codes, running
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known, text
from tournament.access import throttle
from tournament.access.found_players import cookie_name
from tournament.access.player_link import cookie_name as key_cookie
from tournament.results.slip_code import phone_code
from tournament.services.entries import remove_entry, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.player_links import make_links, renew_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def event():
    """An event with a round in progress whose slips have phone codes."""
    return running("on")


def code_of(event, player) -> str:
    match = event.seats.get(entry__code=player, round__number=1).match
    return phone_code(event.pk, 1, match.table, player)


def claim(phone, event, player, code):
    return phone.post(f"/t/{event.slug}/me/{player}/this-is-me/", {"key": key(), "code": code})


def test_the_only_player_found_opens_at_once_and_is_remembered_without_rights(client):
    event = TournamentFactory(entries=3)
    rename_entry(event, "P0001", "Ada Ruiz")
    shared = client.get(f"/t/{event.slug}/players/", {"q": "rui"})
    assert shared.status_code == 302 and not shared.cookies and "public" in shared["Cache-Control"]
    own = client.get(shared["Location"])
    assert own["Cache-Control"] == "private, no-store"
    assert own["Location"] == f"/t/{event.slug}/players/P0001/"
    page = text(client.get(f"/t/{event.slug}/me/"))
    assert f'href="/t/{event.slug}/players/P0001/">Ada Ruiz</a>' in page
    assert client.get(f"/t/{event.slug}/me/P0001/").status_code == 404
    assert client.get(f"/t/{event.slug}/players/", {"q": "player"}).status_code == 200


def test_everyone_who_asks_the_same_is_remembered_on_the_own_phone():
    event = TournamentFactory(entries=3)
    rename_entry(event, "P0001", "Ada Ruiz")
    for phone in (Client(), Client()):
        phone.get(phone.get(f"/t/{event.slug}/players/", {"q": "rui"})["Location"])
        assert "Ada Ruiz" in text(phone.get(f"/t/{event.slug}/me/"))


def test_a_found_player_is_forgotten_alone_and_gone_with_the_entry(client):
    event, other = TournamentFactory(entries=3), TournamentFactory(entries=3)
    for player in ("P0001", "P0002", "P0003"):
        client.get(f"/t/{event.slug}/me/{player}/found/")
    assert client.post(f"/t/{event.slug}/me/P0001/forget/").status_code == 303
    remove_entry(event, "P0002")
    page = text(client.get(f"/t/{event.slug}/me/"))
    assert [f"players/P000{n}/" in page for n in (1, 2, 3)] == [False, False, True]
    assert client.get(f"/t/{event.slug}/me/P0002/found/").status_code == 404
    assert "players/P0003/" not in text(client.get(f"/t/{other.slug}/me/"))


@pytest.mark.parametrize("forged", ["", "x", "." * 5000, "W1sxLCJQMDAwMSJdXQ:1tZ:abc", "é"])
def test_a_forged_cookie_is_nobodys(client, forged):
    event = TournamentFactory(entries=2)
    client.cookies[cookie_name()] = forged
    assert "does not know you" in text(client.get(f"/t/{event.slug}/me/"))


@pytest.mark.parametrize("linked", [False, True])
def test_the_phone_code_on_the_slip_makes_a_phone_the_players_own(client, event, linked):
    if linked:
        make_links(event)
    player, opponent = codes(event)
    assert client.get(f"/t/{event.slug}/me/{player}/").status_code == 404
    assert "Phone code beside your name" in text(client.get(f"/t/{event.slug}/me/{player}/this-is-me/"))
    done = claim(client, event, player, code_of(event, player).lower())
    assert (
        done["Location"] == f"/t/{event.slug}/me/{player}/" and done["Cache-Control"] == "private, no-store"
    )
    assert client.get(done["Location"]).status_code == 200
    assert client.get(f"/t/{event.slug}/me/{opponent}/").status_code == 404
    renew_link(event, player)
    assert client.get(done["Location"]).status_code == 404


def test_another_code_and_too_many_of_them_open_nothing(client, event):
    player, opponent = codes(event)
    for _guess in range(throttle.WRONG_CODES.most):
        wrong = claim(client, event, player, code_of(event, opponent))
        assert wrong.status_code == 422 and "not your phone code" in text(wrong)
    spent = claim(client, event, player, code_of(event, player))
    assert spent.status_code == 429 and "Too many wrong codes" in text(spent)
    assert key_cookie() not in client.cookies
    assert not event.actions.filter(kind="player link").exists()


def test_the_wrong_codes_of_a_stranger_shut_out_neither_player_of_the_table(event):
    stranger = Client(REMOTE_ADDR="2001:db8:1:2::1")
    player, opponent = codes(event)
    for _guess in range(throttle.WRONG_CODES.most):
        assert claim(stranger, event, player, "wrong").status_code == 422
    for code in (player, opponent):
        assert claim(Client(), event, code, code_of(event, code)).status_code == 303
    neighbor = Client(REMOTE_ADDR="2001:db8:1:2::9")  # of the same line
    assert claim(neighbor, event, player, code_of(event, player)).status_code == 429


def test_strangers_of_many_networks_do_not_find_a_code(event, monkeypatch):
    monkeypatch.setattr(
        "tournament.views.known_phones.WRONG_CODES_OF_ALL", throttle.Limit("test", most=5, seconds=600)
    )
    player, _opponent = codes(event)
    answers = [claim(Client(REMOTE_ADDR=f"192.0.2.{n}"), event, player, "wrong") for n in range(6)]
    assert [answer.status_code for answer in answers] == [422] * 5 + [429]
    assert throttle.WRONG_CODES_OF_ALL.most < 31**4 / 4000, "too few to find one"


def test_without_phone_codes_the_desk_is_the_way(client, event):
    player, _opponent = codes(event)
    code = code_of(event, player)
    change_settings(event, reporting="off")
    page = text(client.get(f"/t/{event.slug}/me/{player}/this-is-me/"))
    assert "Phone code" not in page and "At the event desk" in page
    refused = claim(client, event, player, code)
    assert refused.status_code == 409 and "Ask at the event desk" in text(refused)


def test_a_link_that_only_the_player_knows_is_not_replaced_by_a_code(client, event):
    player, _opponent = codes(event)
    page = known(phone := Client(), event, player)
    refused = claim(client, event, player, code_of(event, player))
    assert refused.status_code == 409 and "which only you know" in text(refused)
    assert phone.get(page).status_code == 200


def test_who_claims_to_be_someone_sees_the_public_name_alone(client, event):
    player, _opponent = codes(event)
    rename_entry(event, player, "Ada Secretname")
    change_settings(event, name_privacy="initial")
    page = text(client.get(f"/t/{event.slug}/me/{player}/this-is-me/"))
    assert "Ada S" in page and "Secretname" not in page
