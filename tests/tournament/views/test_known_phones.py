import pytest
from django.test import Client

from tests.factories import TournamentFactory
from tests.pages import Page, page
from tests.tournament.services.test_results import codes, running
from tests.tournament.views.desk import key, match_of
from tests.tournament.views.phones import known
from tests.tournament.views.test_reports import Phone
from tournament.access import throttle
from tournament.access.codes import ALPHABET, LENGTH, personal_code
from tournament.access.player_link import found_cookie, keys_cookie, phone_key
from tournament.history.describe import describe_actions
from tournament.results.shorthand import slip_check
from tournament.services.anonymity import anonymize_entry
from tournament.services.entries import remove_entry, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.self_service import change_player_link, make_links, renew_link


@pytest.fixture
def event():
    return running("on")


def code_of(event, player) -> str:
    return personal_code(event.entries.get(code=player))


def claim(phone, event, player, code):
    return phone.post(f"/t/{event.slug}/me/{player}/this-is-me/", {"key": key(), "code": code})


def test_the_only_player_found_opens_at_once_and_is_remembered_without_rights():
    event = TournamentFactory(entries=3)
    rename_entry(event, "P0001", "Ada Ruiz")
    for phone in (Client(), Client()):  # each who asks the same is remembered on the own phone
        shared = phone.get(f"/t/{event.slug}/players/", {"q": "rui"})
        assert shared.status_code == 302 and not shared.cookies and "public" in shared["Cache-Control"]
        own = phone.get(shared["Location"])
        assert own["Cache-Control"] == "private, no-store"
        assert own["Location"] == f"/t/{event.slug}/players/P0001/"
        assert page(phone, f"/t/{event.slug}/me/").link("Ada Ruiz") == own["Location"]
        assert phone.get(f"/t/{event.slug}/me/P0001/").status_code == 404
        assert phone.get(f"/t/{event.slug}/players/", {"q": "player"}).status_code == 200


def test_a_found_player_is_forgotten_alone_and_gone_with_the_entry(client):
    event, other = TournamentFactory(entries=3), TournamentFactory(entries=3)
    for player in ("P0001", "P0002", "P0003"):
        client.get(f"/t/{event.slug}/me/{player}/found/")
    assert client.post(f"/t/{event.slug}/me/P0001/forget/").status_code == 303
    remove_entry(event, "P0002")
    remembered = page(client, f"/t/{event.slug}/me/")
    assert [f"Player 0{n}" in remembered.all("main a") for n in (1, 2, 3)] == [False, False, True]
    assert client.get(f"/t/{event.slug}/me/P0002/found/").status_code == 404
    assert "Player 03" not in page(client, f"/t/{other.slug}/me/")


@pytest.mark.parametrize("forged", ["", "x", "." * 5000, "W1sxLCJQMDAwMSJdXQ:1tZ:abc", "é"])
def test_a_forged_cookie_is_nobodys(client, forged):
    event = TournamentFactory(entries=2)
    client.cookies[found_cookie()] = forged
    assert "does not know you" in page(client, f"/t/{event.slug}/me/")


@pytest.mark.parametrize("linked", ["no link", "staff", "own"])
def test_the_personal_code_makes_a_phone_the_players_own(client, event, linked):
    player, opponent = codes(event)
    if linked == "own":
        known(Client(), event, player)
    code = code_of(event, player)
    if linked == "staff":
        make_links(event)
        assert code_of(event, player) == code, "a printed card stays right when links are made"
    own = f"/t/{event.slug}/me/{player}/"
    assert client.get(own).status_code == 404
    assert "Your personal code" in page(client, f"{own}this-is-me/")
    done = claim(client, event, player, f" {code.lower().replace('-', ' ')}")
    assert (done["Location"], done["Cache-Control"]) == (own, "private, no-store")
    assert "This phone now opens your page." in page(client, own) and code in page(client, f"{own}link/")
    assert client.get(f"/t/{event.slug}/me/{opponent}/").status_code == 404
    [line] = describe_actions(event, [event.actions.latest("number")])
    name = event.entries.get(code=player).name
    assert line.sentence == f"A phone was added to the page of {name}, by personal code"
    renew_link(event, player)
    assert client.get(own).status_code == 404
    assert claim(client, event, player, code).status_code == 422


def test_a_phone_forgets_a_player_it_knows_by_code_and_keeps_another(client, event):
    first, second = (f"/t/{event.slug}/me/{player}/" for player in codes(event))
    for player in codes(event):
        claim(client, event, player, code_of(event, player))
    assert client.post(f"{first}forget/").status_code == 303
    assert (client.get(first).status_code, client.get(second).status_code) == (404, 200)


@pytest.mark.parametrize("end", ["revoked", "anonymous"])
def test_a_code_that_was_ended_opens_nothing(client, event, end):
    player, _opponent = codes(event)
    page = known(Client(), event, player)
    code = code_of(event, player)
    claim(client, event, player, code)
    if end == "revoked":
        change_player_link(event, player, key_hash="")
    else:
        anonymize_entry(event, player)
    assert client.get(page).status_code == 404
    assert claim(Client(), event, player, code).status_code == 422


def test_what_the_opponent_holds_opens_nothing(event):
    player, opponent = codes(event)
    check = slip_check(event.slug, 1, 1, (player, opponent))
    phone = Client()
    for code in (check, f"1-1-{check}"[:12], code_of(event, opponent), player):
        assert claim(phone, event, player, code).status_code == 422
    entry = event.entries.get(code=player)
    for forged in (f"{entry.pk}-{'0' * 32}", f"{entry.pk}-", phone_key(event.entries.get(code=opponent))):
        phone.cookies[keys_cookie()] = forged
        for part in ("", "link/", "decklist/", "data/", "data.json", "leave/", "report/"):
            assert phone.get(f"/t/{event.slug}/me/{player}/{part}").status_code == 404, (forged, part)
    assert match_of(event).result is None and not event.actions.filter(actor=f"player:{player}").exists()


def test_too_many_wrong_codes_from_one_network_stop_it_and_no_other(event):
    player, opponent = codes(event)
    hall = Client(REMOTE_ADDR="2001:db8:1:2::1")
    for guess in range(throttle.WRONG_CODES.most):
        wrong = claim(hall, event, (player, opponent)[guess % 2], "ZZZ-ZZZ")
        assert wrong.status_code == 422 and "not your personal code" in Page(wrong)
    neighbor = Client(REMOTE_ADDR="2001:db8:1:2::9")  # of the same line
    spent = claim(neighbor, event, player, code_of(event, player))
    assert spent.status_code == 429 and "Too many wrong codes" in Page(spent)
    assert keys_cookie() not in neighbor.cookies
    assert claim(Client(), event, player, code_of(event, player)).status_code == 303


def test_strangers_of_many_networks_together_find_no_code_of_an_event(event, monkeypatch):
    monkeypatch.setattr(
        "tournament.access.codes.WRONG_CODES_OF_EVENT", throttle.Limit("test", most=6, seconds=600)
    )
    own = Phone(event, codes(event)[0])
    own.send("report", "20")
    match = f"/t/{event.slug}/rounds/1/tables/1/code/AAAA/"
    answers = []
    for n in range(3):  # at the three places where a code can be guessed
        stranger = Client(REMOTE_ADDR=f"192.0.2.{n}")
        answers.append(claim(stranger, event, f"P000{n + 1}", "wrong").status_code)
        answers.append(stranger.get(match).status_code)
    assert answers == [422, 404] * 3
    assert claim(Client(REMOTE_ADDR="192.0.2.9"), event, "P0003", code_of(event, "P0003")).status_code == 429
    assert Client(REMOTE_ADDR="192.0.2.9").get(match).status_code == 429
    assert own.send("sign", "20", code="wrong").status_code == 429
    other = running("on")
    assert claim(Client(), other, "P0003", code_of(other, "P0003")).status_code == 303
    assert throttle.WRONG_CODES_OF_EVENT.most < len(ALPHABET) ** LENGTH / 4_000_000, "too few to find one"


def test_who_claims_to_be_someone_sees_the_public_name_alone(client, event):
    player, _opponent = codes(event)
    rename_entry(event, player, "Ada Secretname")
    change_settings(event, name_privacy="initial")
    shown = page(client, f"/t/{event.slug}/me/{player}/this-is-me/")
    assert "Ada S" in shown and "Secretname" not in shown
