import datetime as dt

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page
from tests.tournament.views.desk import key, signed_in
from tests.tournament.views.phones import enrol, filled, known, opened, text
from tournament.access.player_link import fresh_player_key, hash_key, keys_cookie
from tournament.access.throttle import Limit
from tournament.history.describe import describe_actions
from tournament.models import Entry, Flag, Tournament
from tournament.monitoring.log_lines import mask
from tournament.services.corrections import merge_entries
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_registration
from tournament.services.events import finish_tournament
from tournament.services.self_service import MOST_OPEN, change_player_link, send_message
from tournament.services.undo import undo_action
from tournament.views import registration, self_service


def test_a_player_registers_and_the_device_knows_who_it_is_from_then_on(client):
    tournament = opened()
    answer = enrol(client, tournament, contact="kim@example.org", external_id="77")
    assert answer.status_code == 303 and "key" not in answer["Location"]
    kim = tournament.entries.get(name="Kim Lee")
    shown = page(client, answer["Location"])
    assert "you are registered" in shown and shown.soup.select('img[src^="data:image/svg"]')
    secret = client.cookies[keys_cookie()].value
    assert f"/t/{tournament.slug}/key/{secret}/" in str(shown.soup)
    assert kim.key_hash == hash_key(secret) and secret not in kim.key_hash
    assert (kim.contact, kim.external_id) == ("kim@example.org", "77")
    assert "Kim Lee" in page(client, f"/t/{tournament.slug}/me/")


def test_what_is_personal_and_the_key_never_enter_the_log(client):
    tournament = opened()
    enrol(client, tournament, "Kim Lee", contact="kim@example.org", external_id="X-77", last_name="Lee")
    action = tournament.actions.latest("number")
    logged = f"{action.changes} {action.actor} {action.reason} {action.body}"
    secrets = (
        "Kim",
        "Lee",
        "kim@",
        "X-77",
        client.cookies[keys_cookie()].value,
        Entry.objects.last().key_hash,
    )
    assert [secret for secret in secrets if secret in logged] == []
    assert describe_actions(tournament, [action])[0].actor == "player Kim Lee"
    assert Entry.objects.last().last_name == "Lee"
    assert "Lee, Kim" in page(client, f"/t/{tournament.slug}/players/")


def test_a_form_sent_twice_registers_once_and_with_another_key_gives_no_link(client):
    tournament = opened()
    form, address = filled(tournament), f"/t/{tournament.slug}/register/"
    first = client.post(address, form)
    thief = Client()
    thief.post(address, {**form, "player_key": fresh_player_key()})
    assert "does not know you" in page(thief, f"/t/{tournament.slug}/me/")
    client.cookies.clear()  # the first answer was lost on its way, and registration closed meanwhile
    change_registration(tournament, self_registration=False)
    again = client.post(address, form)
    assert first["Location"] == again["Location"]
    assert client.cookies[keys_cookie()].value == form["player_key"]
    assert tournament.entries.filter(name="Kim Lee").count() == 1


def test_the_same_name_is_asked_is_that_you_and_may_answer_no(client):
    tournament = opened()
    answer = enrol(client, tournament, " PLAYER  01 ")
    shown = Page(answer)
    assert shown.status == 422 and "Someone with this name is already registered. If that is you" in shown
    assert shown.soup.select(f'[href="/t/{tournament.slug}/players/P0001/"]')
    assert tournament.entries.count() == 2
    assert enrol(client, tournament, "Player 01", another="on").status_code == 303
    assert tournament.entries.filter(name="Player 01").count() == 2


def test_names_that_are_hidden_in_public_stay_so_and_one_device_lists_its_players(client):
    tournament = opened(0)
    enrol(client, tournament, "Kim Lee")
    enrol(client, tournament, "Sol Lee")
    shown = page(client, f"/t/{tournament.slug}/me/")
    kim, sol = (f"/t/{tournament.slug}/me/{code}/" for code in ("P0001", "P0002"))
    assert (shown.link("Kim Lee"), shown.link("Sol Lee")) == (kim, sol)
    assert client.post(f"{kim}forget/").status_code == 303
    assert [client.get(own).status_code for own in (kim, sol)] == [404, 200]
    Tournament.objects.update(name_privacy="initial")
    enrol(client, tournament, "Kim Lee")
    asked = enrol(Client(), tournament, "Kim Lopez")
    assert "Kim L." in Page(asked) and "Kim Lee" not in text(asked)
    assert enrol(Client(), tournament, "Kim Moss").status_code == 303


@pytest.mark.parametrize(
    ("state", "setup"),
    [
        ("open", {"self_registration": False}),
        ("running", {"rounds": 1}),
        ("finished", {"rounds": 1}),
        ("draft", {}),
        ("paired", {"drafted": True}),
    ],
)
def test_closed_registration_says_so_and_what_to_do(client, state, setup):
    tournament = TournamentFactory(entries=4, **{"self_registration": True, **setup})
    if state == "finished":
        finish_tournament(tournament)
    if state == "draft":
        Tournament.objects.update(state="draft")
    entries = tournament.entries.count()
    shown, sent = client.get(f"/t/{tournament.slug}/register/"), enrol(client, tournament)
    assert (shown.status_code, sent.status_code) == ((404, 404) if state == "draft" else (200, 409))
    if state != "draft":
        assert "Registration is closed" in Page(shown) and not Page(shown).all("main form")
    assert tournament.entries.count() == entries


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "at least 1 letter"),
        ({"name": "\u202e\u200b \u2066"}, "at least 1 letter"),
        ({"name": "x" * 10**6}, "at most 80 characters"),
        ({"name": "Kim\x00Lee"}, "Null characters"),
        ({"contact": "x" * 121}, "at most 120"),
        ({"player_key": "short"}, "did not arrive intact"),
        ({"player_key": "../../../etc/passwd/aaaaaaaaaaaa"}, "did not arrive intact"),
        ({"key": "no key <b>"}, "did not arrive intact"),
    ],
)
def test_bad_input_is_refused_in_words_and_nothing_is_written(client, fields, words):
    tournament = opened(1)
    tournament.entries.update(external_id="7")
    answer = client.post(f"/t/{tournament.slug}/register/", {**filled(tournament), **fields})
    assert answer.status_code in (400, 422) and words in Page(answer)
    assert tournament.entries.count() == 1


def test_registering_does_not_tell_whose_membership_number_is_taken_but_staff_see_it(client):
    tournament = opened(2)
    tournament.entries.filter(code="P0001").update(external_id="7")
    for name, number in (("Kim", "7"), ("Lou", "8")):
        assert enrol(client, tournament, name, external_id=number).status_code == 303
    data = client.get(f"/t/{tournament.slug}/me/P0003/data.json").json()["player"]
    assert data["external_id"] == "7" and "notes" not in data
    client.force_login(UserFactory(is_superuser=True))
    players = f"/t/{tournament.slug}/desk/players/"
    said = "Several players have the membership number 7: Player 01 (P0001), Kim (P0003)."
    assert all(said in page(client, players + end) for end in ("", "P0001/", "P0003/"))
    assert "Several players" not in page(client, f"{players}P0004/")
    merge_entries(tournament, "P0001", "P0003", reason="registered again")
    assert "Several players" not in page(client, players)


def test_a_hall_behind_one_address_registers_and_a_script_is_stopped(client, monkeypatch):
    assert self_service.REGISTRATIONS.most >= 300
    monkeypatch.setattr(self_service, "REGISTRATIONS", Limit("test", most=3, seconds=600))
    tournament = opened()
    answers = [enrol(Client(), tournament, f"Kim {n}") for n in range(4)]
    assert [answer.status_code for answer in answers] == [303, 303, 303, 429]
    assert answers[-1]["Retry-After"] == "600" and "not registered yet" in Page(answers[-1])


def test_a_link_opens_its_own_event_only_by_a_cookie_bound_to_the_host(client, settings):
    tournament, other = opened(), opened()
    secret = fresh_player_key()
    change_player_link(tournament, "P0001", key_hash=hash_key(secret))
    wrong = client.get(f"/t/{other.slug}/key/{secret}/")
    assert wrong.status_code == 404 and "Ask at the event desk" in Page(wrong)
    opening = client.get(f"/t/{tournament.slug}/key/{secret}/")
    assert opening["Location"] == f"/t/{tournament.slug}/me/P0001/"
    cookie = opening.cookies[keys_cookie()]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"
    for answer in (opening, client.get(opening["Location"])):
        assert answer["Cache-Control"] == "private, no-store" and answer["X-Robots-Tag"] == "noindex"
        assert answer["Referrer-Policy"] == "same-origin"
    assert client.get(f"/t/{other.slug}/me/P0001/").status_code == 404
    assert "does not know you" in page(client, f"/t/{other.slug}/me/")
    change_player_link(tournament, "P0001", key_hash=hash_key(fresh_player_key()))  # replaced by another
    assert client.get(opening["Location"]).status_code == 404
    assert client.post(f"{opening['Location']}leave/", {"key": key()}).status_code == 404
    settings.SESSION_COOKIE_SECURE = True
    tournament = opened()
    secret = fresh_player_key()
    change_player_link(tournament, "P0001", key_hash=hash_key(secret))
    address = f"/t/{tournament.slug}/key/{secret}/"
    cookie = client.get(address).cookies["__Host-players"]
    assert cookie["secure"] and cookie["path"] == "/" and not cookie["domain"]
    assert secret not in mask(f"Not Found: {address}")


def test_a_tampered_cookie_is_nobodys(client):
    tournament = opened()
    own = known(client, tournament)
    for value in ("", "x", "." * 5000, "0" * 32, "é" * 30, "'; DROP TABLE", "0" * 32 + ".<b>"):
        client.cookies[keys_cookie()] = value
        assert "does not know you" in page(client, f"/t/{tournament.slug}/me/")
        assert client.get(own).status_code == 404


def test_one_checks_in_by_phone_in_the_time_set_for_it_and_not_outside(client):
    now, hour = timezone.now(), dt.timedelta(hours=1)
    tournament = opened()
    own = known(client, tournament)
    for start, end, open_ in ((-2, -1, False), (1, 2, False), (-1, 1, True)):
        times = {"check_in_from": now + start * hour, "check_in_until": now + end * hour}
        change_registration(tournament, **{name: time.isoformat() for name, time in times.items()})
        shown = page(client, own)
        assert ("Check in" in shown.all("button")) is open_
        answer = client.post(f"{own}check-in/", {"key": key()})
        assert answer.status_code == (303 if open_ else 409)
        assert ("by phone ended on" in shown, "by phone opens on" in shown) == (end < 0, start > 0)
    assert tournament.entries.get(code="P0001").checked_in and "checked in" in page(client, own)


def test_a_drop_of_ones_own_is_undone_by_phone_until_the_next_round_is_paired(client):
    tournament = TournamentFactory(entries=6, published=True)
    own = known(client, tournament)
    drop_entry(tournament, "P0001")
    assert "Undo my drop" not in page(client, own)
    assert client.post(f"{own}return/", {"key": key()}).status_code == 409
    tournament = TournamentFactory(entries=6, published=True)
    own = known(client, tournament)
    client.post(f"{own}leave/", {"key": key()})
    own = known(client, tournament)  # under a new link and name, too
    rename_entry(tournament, "P0001", "Ada Ruiz")
    assert "Undo my drop" in page(client, own)
    for _press in range(2):  # a second press finds the player in
        assert client.post(f"{own}return/", {"key": key()}).status_code == 303
    one = tournament.entries.get(code="P0001")
    assert (one.status, one.dropped_after) == ("playing", None)
    assert "Undo my drop" not in page(client, own)
    client.post(f"{own}leave/", {"key": key()})
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament, drafted=True)
    assert "Undo my drop" not in page(client, own)
    answer = client.post(f"{own}return/", {"key": key()})
    assert answer.status_code == 409 and "Ask at the event desk" in Page(answer)


def test_an_undefeated_player_is_asked_twice(client):
    tournament = TournamentFactory(entries=6, published=True)
    enter_results(tournament, 1)  # the first-listed players win
    seats = tournament.seats.filter(match__table=1).order_by("side")
    winner, loser = seats.values_list("entry__code", flat=True)

    def status(code):
        return tournament.entries.get(code=code).status

    own = known(client, tournament, winner)
    asked = client.post(f"{own}leave/", {"key": key()})
    assert "You have not lost a match" in Page(asked) and status(winner) == "playing"
    assert client.post(f"{own}leave/", {"key": key(), "sure": "on"}).status_code == 303
    own = known(client, tournament, loser)
    assert client.post(f"{own}leave/", {"key": key()}).status_code == 303
    assert (status(winner), status(loser)) == ("dropped", "dropped")


def test_one_withdraws_before_round_1_and_drops_later_after_a_page_that_says_what_it_means(client):
    tournament = TournamentFactory(entries=7)  # six play: nobody has a bye
    own = known(client, tournament)
    assert "Your spot opens up" in page(client, f"{own}leave/")
    assert client.post(f"{own}leave/", {"key": key()}).status_code == 303
    one = tournament.entries.get(code="P0001")
    assert (one.status, one.dropped_after, one.stage_entries.count()) == ("dropped", 0, 0)
    shown = page(client, own)
    assert "Withdrawn before round 1" in shown and "Points and rank appear" not in shown
    RoundFactory(tournament=tournament)
    own = known(client, tournament, "P0002")
    assert "Your match this round is still open" in page(client, f"{own}leave/")
    client.post(f"{own}leave/", {"key": key()})
    two = tournament.entries.get(code="P0002")
    assert (two.status, two.dropped_after) == ("dropped", 1)
    action = tournament.actions.latest("number")
    assert describe_actions(tournament, [action])[0].sentence == "Player 02 dropped"
    undo_action(tournament, action.number)
    assert tournament.entries.get(code="P0002").status == "playing"


def test_public_pages_link_to_registration_and_set_no_cookie(client):
    tournament = opened(2, capacity=2)
    enrol(Client(), tournament, "Kim Waits")
    home = f"/t/{tournament.slug}/"
    for path in ("", "players/", "players/P0001/", "players/P0003/"):
        answer = client.get(home + path)
        assert not answer.cookies and "csrf" not in text(answer)
    assert page(client, home).soup.select(f'[href="{home}register/"]')
    assert "1 on the waitlist" in page(client, home)
    assert "Waitlist number 1" in page(client, f"{home}players/")
    assert "Waitlist: number 1" in page(client, f"{home}players/P0003/")


def test_the_own_page_costs_the_same_whatever_the_size_and_writes_nothing(client):
    counts = []
    for players in (4, 40):
        tournament = TournamentFactory(entries=players, rounds=2)
        page = known(client, tournament)
        for address in (page, f"/t/{tournament.slug}/me/", f"{page}leave/", f"{page}flag/", f"{page}link/"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(address).status_code == 200
            assert {query["sql"].split()[0].upper() for query in queries} <= {"SELECT", "DECLARE"}
            counts.append(len(queries))
    assert counts[:5] == counts[5:] and max(counts) <= 19


def test_leaving_says_what_becomes_of_the_place_before_and_after_the_start(client):
    tournament = opened(2, capacity=2)
    enrol(client, tournament, "Waits")
    first = Client()
    leave = f"{known(first, tournament)}leave/"
    assert "goes to the first player on the waitlist" in page(first, leave)
    RoundFactory(tournament=tournament)
    waiting = page(client, f"/t/{tournament.slug}/me/P0003/leave/")
    assert "You will leave the waitlist" in waiting and "next rounds" not in waiting
    assert "Drop Player 01 from the next rounds?" in page(first, leave)


def test_who_is_not_that_player_is_told_how_to_tell_staff(client):
    tournament = TournamentFactory(entries=2)
    RoundFactory(tournament=tournament)
    answer = client.get(f"/t/{tournament.slug}/me/P0001/flag/?round=1")
    assert answer.status_code == 404 and answer["Cache-Control"] == "private, no-store"
    assert "Only a player's own link" in Page(answer) and "ask at the event desk" in Page(answer)


def test_wrong_tell_staff_arrives_on_the_desk_until_it_is_done(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    own = known(client, tournament, "P0003")
    wrote = client.post(f"{own}flag/", {"key": key(), "round": 1, "text": "I won\u202e 2–1 & <b>not</b>"})
    assert wrote.status_code == 303
    flag = Flag.objects.get()
    assert flag.text == "I won 2–1 & <b>not</b>" and flag.round.number == 1
    assert "I won" not in str(list(tournament.actions.values_list("changes", flat=True)))
    staff, desk = Client(), f"/t/{tournament.slug}/desk/"
    staff.force_login(tournament.owner)
    table = tournament.seats.select_related("match").get(entry__code="P0003").match.table
    assert "1 player message" in page(staff, f"{desk}rounds/1/")
    for address in ("", "flags/"):
        shown = page(staff, desk + address)
        assert "I won 2–1 & <b>not</b>" in shown and "Player 03" in shown
        assert not address or shown.all(f'[href="{desk}rounds/1/tables/{table}/correct/"]')
    assert staff.post(f"{desk}flags/1/done/", {"key": key()}).status_code == 303
    assert "Needs attention" not in page(staff, desk)
    assert page(staff, f"{desk}flags/").words.count("I won") == 1, "among those done"
    undo_action(tournament, tournament.actions.latest("number").number)
    assert "Needs attention" in page(staff, desk)


def test_a_player_has_so_many_open_messages_and_writes_again_when_one_is_done(client):
    tournament = TournamentFactory(entries=4)
    address = f"{known(client, tournament)}flag/"

    def write(text, **fields):
        return client.post(address, {"key": key(), "text": text, **fields})

    for number in range(MOST_OPEN):
        send_message(tournament, "P0001", f"wrong {number}")
    refused = write("and another")
    assert refused.status_code == 409 and "messages from you to read" in Page(refused)
    assert Page(refused).all("textarea") == ["and another"]
    Flag.objects.filter(number=1).update(done=True)
    assert write("and another").status_code == 303
    answers = write("x" * 301), write(" \u202e "), write("x", round="9")
    assert [answer.status_code for answer in answers] == [422, 400, 404]


def test_staff_set_places_and_times_in_the_events_own_time_zone(client):
    tournament = signed_in(client, entries=3, time_zone="America/New_York")
    address = f"/t/{tournament.slug}/desk/players/before/"
    sent = {"self_registration": "on", "capacity": 4, "check_in_from": "2026-07-01T18:00"}
    times = {"check_in_until": "2026-07-01T19:00"}
    assert client.post(address, {"key": key(), **sent, **times}).status_code == 303
    tournament.refresh_from_db()
    assert tournament.check_in_from.isoformat() == "2026-07-01T22:00:00+00:00"
    shown = page(client, address)
    assert shown.one("[name=check_in_from]")["value"] == "2026-07-01T18:00"
    assert f"/t/{tournament.slug}/register/" in shown
    for wrong in (
        {"capacity": 2},
        {"capacity": 0},
        {"check_in_until": "2026-07-01T17:00"},
        {"check_in_from": "soon"},
        {"check_in_from": "0001-01-01T00:00"},
        {"check_in_until": "9999-12-31T23:59"},
    ):
        answer = client.post(address, {"key": key(), **sent, **wrong})
        assert answer.status_code in (400, 409, 422), wrong
        assert Page(answer).all(".notice.bad, .error, [role=alert]"), wrong
    tournament.refresh_from_db()
    assert tournament.capacity == 4
    poster = f"/t/{tournament.slug}/desk/poster/"
    closed = "cannot register themselves right now"
    assert "Register with your phone" in page(client, poster) and closed not in page(client, poster)
    change_registration(tournament, self_registration=False)
    assert closed in page(client, poster)


def test_a_long_waiting_list_comes_in_pages_that_count_on(client, monkeypatch):
    monkeypatch.setattr(registration, "PAGE", 2)
    tournament = opened(1, owner=UserFactory(), capacity=1)
    client.force_login(tournament.owner)
    for number in range(3):
        enrol(Client(), tournament, f"Waits {number}")
    first, second = (page(client, f"/t/{tournament.slug}/desk/players/before/", page=n) for n in (1, 2))
    assert "3 on the waitlist" in first and "Waits 2" not in first
    assert "Waits 2" in second and "3" in second.all(".list .soft")


@pytest.mark.parametrize(
    ("hall", "https", "words"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_an_address_that_no_phone_can_open_says_so(client, settings, hall, https, words):
    settings.HALL_MODE, settings.HTTPS = hall, https
    tournament = signed_in(client, entries=2)
    for name in ("players/before", "poster"):
        shown = page(client, f"/t/{tournament.slug}/desk/{name}/")
        assert ("Phones cannot open this address" in shown) is words
