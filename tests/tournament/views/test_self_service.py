"""A player's own pages: registering, the secret link, check-in, leaving, telling staff; and who tries to cheat."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.tournament.views.desk import key
from tests.tournament.views.phones import enrol, filled, known, opened, text
from tournament.access.player_link import cookie_name, fresh_player_key, hash_of
from tournament.access.throttle import Limit
from tournament.history.describe import describe_actions
from tournament.models import Entry, Tournament
from tournament.monitoring.log_lines import mask
from tournament.services.drops import drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_registration
from tournament.services.events import finish_tournament
from tournament.services.self_service import change_player_link
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def test_a_player_registers_and_the_device_knows_who_it_is_from_then_on(client):
    tournament = opened()
    answer = enrol(client, tournament, contact="kim@example.org", external_id="77")
    assert answer.status_code == 303 and "key" not in answer["Location"]
    kim = tournament.entries.get(name="Kim Lee")
    page = text(client.get(answer["Location"]))
    assert "you are registered" in page and "data:image/svg" in page
    secret = client.cookies[cookie_name()].value
    assert f"/t/{tournament.slug}/key/{secret}/" in page
    assert kim.key_hash == hash_of(secret) and secret not in kim.key_hash
    assert (kim.contact, kim.external_id) == ("kim@example.org", "77")
    assert "Kim Lee" in text(client.get(f"/t/{tournament.slug}/me/"))


def test_what_is_personal_and_the_key_never_enter_the_log(client):
    tournament = opened()
    enrol(client, tournament, "Kim Lee", contact="kim@example.org", external_id="X-77")
    action = tournament.actions.order_by("-number").first()
    logged = f"{action.changes} {action.actor} {action.reason} {action.body}"
    for secret in ("Kim", "kim@", "X-77", client.cookies[cookie_name()].value, Entry.objects.last().key_hash):
        assert secret not in logged
    assert describe_actions(tournament, [action])[0].actor == "player Kim Lee"


def test_a_form_sent_twice_registers_once_and_gives_the_same_link(client):
    tournament = opened()
    form = filled(tournament)
    first = client.post(f"/t/{tournament.slug}/register/", form)
    client.cookies.clear()  # the first answer was lost on its way, and registration closed meanwhile
    change_registration(tournament, self_registration=False)
    again = client.post(f"/t/{tournament.slug}/register/", form)
    assert first["Location"] == again["Location"]
    assert client.cookies[cookie_name()].value == form["player_key"]
    assert tournament.entries.filter(name="Kim Lee").count() == 1


def test_who_has_seen_anothers_form_gets_no_link_by_sending_it_with_another_key(client):
    tournament = opened()
    form = filled(tournament)
    client.post(f"/t/{tournament.slug}/register/", form)
    thief = Client()
    thief.post(f"/t/{tournament.slug}/register/", {**form, "player_key": fresh_player_key()})
    assert "does not know you" in text(thief.get(f"/t/{tournament.slug}/me/"))


def test_the_same_name_is_asked_is_that_you_and_may_answer_no(client):
    tournament = opened()
    response = enrol(client, tournament, " PLAYER  01 ")
    assert (
        response.status_code == 422
        and "Someone with this name is already registered. If that is you" in text(response)
    )
    assert f"/t/{tournament.slug}/players/P0001/" in text(response)
    assert tournament.entries.count() == 2
    assert enrol(client, tournament, "Player 01", another="on").status_code == 303
    assert tournament.entries.filter(name="Player 01").count() == 2


def test_asking_gives_away_no_name_the_public_pages_hide(client):
    tournament = opened(0)
    Tournament.objects.update(name_privacy="initial")
    enrol(client, tournament, "Kim Lee")
    assert "Kim Lee" not in text(enrol(Client(), tournament, "Kim Lopez"))
    assert "Kim L." in text(enrol(Client(), tournament, "Kim Lopez"))
    assert enrol(Client(), tournament, "Kim Moss").status_code == 303


@pytest.mark.parametrize("state", ["draft", "running", "finished", "paired", "closed"])
def test_closed_registration_says_so_and_what_to_do(client, state):
    tournament = (
        TournamentFactory(entries=4, rounds=1)
        if state in ("running", "finished")
        else TournamentFactory(entries=4)
    )
    if state != "closed":
        change_registration(tournament, self_registration=True)
    if state == "finished":
        finish_tournament(tournament)
    if state == "draft":
        Tournament.objects.update(state="draft")
    if state == "paired":
        from pairings.draft.services import draft_next_round

        draft_next_round(tournament)
    entries = tournament.entries.count()
    page, sent = client.get(f"/t/{tournament.slug}/register/"), enrol(client, tournament)
    assert (page.status_code, sent.status_code) == ((404, 404) if state == "draft" else (200, 409))
    if state != "draft":
        assert "Registration is closed" in text(page) and "<form" not in text(page).split("<footer")[0]
    assert tournament.entries.count() == entries


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, "required"),
        ({"name": "\u202e\u200b \u2066"}, "at least 1 letter"),
        ({"name": "x" * 10**6}, "at most 80 characters"),
        ({"name": "Kim\x00Lee"}, "Null characters"),
        ({"contact": "x" * 121}, "at most 120"),
        ({"player_key": "short"}, "did not arrive intact"),
        ({"player_key": "../../../etc/passwd/aaaaaaaaaaaa"}, "did not arrive intact"),
        ({"key": "no key <b>"}, "did not arrive intact"),
        ({"external_id": "7"}, "This membership number is already registered"),
    ],
)
def test_bad_input_is_refused_in_words_and_nothing_is_written(client, fields, words):
    tournament = opened(1)
    tournament.entries.update(external_id="7")
    answer = client.post(f"/t/{tournament.slug}/register/", {**filled(tournament), **fields})
    assert answer.status_code in (400, 422) and words in text(answer)
    assert tournament.entries.count() == 1


def test_a_name_is_shown_as_written_and_never_as_markup(client):
    tournament = opened(0)
    page = text(client.get(enrol(client, tournament, "<script>alert(1)</script>\u202e Kim")["Location"]))
    assert "&lt;script&gt;alert(1)&lt;/script&gt; Kim" in page and "<script>alert" not in page


def test_a_hall_behind_one_address_registers_and_a_script_is_stopped(client, monkeypatch):
    from tournament.views import self_service

    tournament = opened()
    monkeypatch.setattr(self_service, "REGISTRATIONS", Limit("test", most=3, seconds=600))
    answers = [enrol(Client(), tournament, f"Kim {n}") for n in range(4)]
    assert [answer.status_code for answer in answers] == [303, 303, 303, 429]
    assert answers[-1]["Retry-After"] == "600" and "not registered yet" in text(answers[-1])
    monkeypatch.undo()
    assert self_service.REGISTRATIONS.most >= 300


def test_a_link_opens_its_own_event_only_and_leaves_no_key_in_the_address(client):
    tournament, other = opened(), opened()
    secret = fresh_player_key()
    change_player_link(tournament, "P0001", key_hash=hash_of(secret))
    wrong = client.get(f"/t/{other.slug}/key/{secret}/")
    assert wrong.status_code == 404 and "Ask at the event desk" in text(wrong)
    opened_ = client.get(f"/t/{tournament.slug}/key/{secret}/")
    assert opened_["Location"] == f"/t/{tournament.slug}/me/P0001/"
    cookie = opened_.cookies[cookie_name()]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"
    for answer in (opened_, client.get(opened_["Location"])):
        assert answer["Cache-Control"] == "private, no-store" and answer["X-Robots-Tag"] == "noindex"
        assert answer["Referrer-Policy"] == "same-origin"
    assert client.get(f"/t/{other.slug}/me/P0001/").status_code == 404
    assert "does not know you" in text(client.get(f"/t/{other.slug}/me/"))


def test_a_link_that_was_replaced_opens_nothing_any_more(client):
    tournament = opened()
    page = known(client, tournament)
    assert client.get(page).status_code == 200
    change_player_link(tournament, "P0001", key_hash=hash_of(fresh_player_key()))
    assert client.get(page).status_code == 404
    assert client.post(f"{page}leave/", {"key": key()}).status_code == 404


@pytest.mark.parametrize(
    "value", ["", "x", "." * 5000, "0" * 32, "é" * 30, "'; DROP TABLE", "0" * 32 + ".<b>"]
)
def test_a_tampered_cookie_is_nobodys(client, value):
    tournament = opened()
    known(client, tournament)
    client.cookies[cookie_name()] = value
    assert "does not know you" in text(client.get(f"/t/{tournament.slug}/me/"))
    assert client.get(f"/t/{tournament.slug}/me/P0001/").status_code == 404


def test_over_https_the_cookie_is_bound_to_the_host_and_the_key_is_in_no_log(client, settings):
    settings.SESSION_COOKIE_SECURE = True
    tournament = opened()
    secret = fresh_player_key()
    change_player_link(tournament, "P0001", key_hash=hash_of(secret))
    address = f"/t/{tournament.slug}/key/{secret}/"
    cookie = client.get(address).cookies["__Host-players"]
    assert cookie["secure"] and cookie["path"] == "/" and not cookie["domain"]
    assert secret not in mask(f"Not Found: {address}")


def test_one_device_of_a_parent_lists_its_children(client):
    tournament = opened(0)
    enrol(client, tournament, "Kim Lee")
    enrol(client, tournament, "Sol Lee")
    page = text(client.get(f"/t/{tournament.slug}/me/"))
    assert re.findall(r'me/(P\d+)/">([^<]*)</a>', page) == [("P0001", "Kim Lee"), ("P0002", "Sol Lee")]
    assert client.post(f"/t/{tournament.slug}/me/P0001/forget/").status_code == 303
    assert client.get(f"/t/{tournament.slug}/me/P0001/").status_code == 404
    assert client.get(f"/t/{tournament.slug}/me/P0002/").status_code == 200


def test_one_checks_in_by_phone_in_the_time_set_for_it_and_not_outside(client):
    now = timezone.now()
    tournament = opened()
    page = known(client, tournament)
    hour = dt.timedelta(hours=1)
    for start, end, open_ in ((-2, -1, False), (1, 2, False), (-1, 1, True)):
        change_registration(
            tournament,
            check_in_from=(now + start * hour).isoformat(),
            check_in_until=(now + end * hour).isoformat(),
        )
        html = text(client.get(page))
        assert ("Check in</button>" in html) is open_
        answer = client.post(f"{page}check-in/", {"key": key()})
        assert answer.status_code == (303 if open_ else 409)
        assert ("by phone ended on" in html, "by phone opens on" in html) == (end < 0, start > 0)
    assert tournament.entries.get(code="P0001").checked_in
    assert "checked in" in text(client.get(page))


def test_a_drop_is_undone_by_phone_until_the_next_round_is_paired(client):
    tournament = TournamentFactory(entries=6, published=True)
    page = known(client, tournament)
    client.post(f"{page}leave/", {"key": key()})
    assert "Undo my drop" in text(client.get(page))
    for _press in range(2):  # a second press finds the player in
        assert client.post(f"{page}return/", {"key": key()}).status_code == 303
    one = tournament.entries.get(code="P0001")
    assert (one.status, one.dropped_after) == ("playing", None) and "Undo my drop" not in text(
        client.get(page)
    )
    client.post(f"{page}leave/", {"key": key()})
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament, drafted=True)
    assert "Undo my drop" not in text(client.get(page))
    answer = client.post(f"{page}return/", {"key": key()})
    assert answer.status_code == 409 and "Ask at the event desk" in text(answer)


def test_a_drop_is_undone_by_phone_under_a_new_link_and_name_too(client):
    tournament = TournamentFactory(entries=6, published=True)
    client.post(f"{known(client, tournament)}leave/", {"key": key()})
    page = known(client, tournament)
    rename_entry(tournament, "P0001", "Ada Ruiz")
    assert "Undo my drop" in text(client.get(page))
    assert client.post(f"{page}return/", {"key": key()}).status_code == 303


def test_a_drop_by_staff_is_not_undone_by_phone(client):
    tournament = TournamentFactory(entries=6, published=True)
    page = known(client, tournament)
    drop_entry(tournament, "P0001")
    assert "Undo my drop" not in text(client.get(page))
    assert client.post(f"{page}return/", {"key": key()}).status_code == 409


def test_an_undefeated_player_is_asked_twice(client):
    tournament = TournamentFactory(entries=6, published=True)
    enter_results(tournament, 1)  # the first-listed players win
    winner, loser = (
        tournament.rounds.get()
        .matches.get(table=1)
        .seats.order_by("side")
        .values_list("entry__code", flat=True)
    )
    page = known(client, tournament, winner)
    asked = client.post(f"{page}leave/", {"key": key()})
    assert "You have not lost a match" in text(asked) and 'name="sure"' in text(asked)
    assert tournament.entries.get(code=winner).status == "playing"
    assert client.post(f"{page}leave/", {"key": key(), "sure": "on"}).status_code == 303
    assert tournament.entries.get(code=winner).status == "dropped"
    page = known(client, tournament, loser)
    assert client.post(f"{page}leave/", {"key": key()}).status_code == 303
    assert tournament.entries.get(code=loser).status == "dropped"


def test_one_withdraws_before_round_1_and_drops_later_after_a_page_that_says_what_it_means(client):
    tournament = TournamentFactory(entries=7)  # six play: nobody has a bye
    page = known(client, tournament)
    assert "Your spot opens up" in text(client.get(f"{page}leave/"))
    assert client.post(f"{page}leave/", {"key": key()}).status_code == 303
    one = tournament.entries.get(code="P0001")
    assert (one.status, one.dropped_after, one.stage_entries.count()) == ("dropped", 0, 0)
    html = text(client.get(page))
    assert "Withdrawn before round 1" in html and "Points and rank appear" not in html
    RoundFactory(tournament=tournament)
    page = known(client, tournament, "P0002")
    assert "Your match this round is still open" in text(client.get(f"{page}leave/"))
    client.post(f"{page}leave/", {"key": key()})
    two = tournament.entries.get(code="P0002")
    assert (two.status, two.dropped_after) == ("dropped", 1)
    action = tournament.actions.order_by("-number").first()
    assert describe_actions(tournament, [action])[0].sentence == "Player 02 dropped"
    undo_action(tournament, action.number)
    assert tournament.entries.get(code="P0002").status == "playing"


def test_nobody_acts_for_somebody_elses_entry(client):
    tournament = opened(4, check_in_until=(timezone.now() + dt.timedelta(hours=1)).isoformat())
    known(client, tournament, "P0001")
    for what in ("check-in", "leave", "flag"):
        sent = client.post(f"/t/{tournament.slug}/me/P0002/{what}/", {"key": key(), "text": "x"})
        assert sent.status_code == 404
    assert tournament.entries.filter(status="playing", checked_in=False).count() == 4
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert strict.post(f"/t/{tournament.slug}/me/P0001/leave/", {"key": key()}).status_code == 403


def test_public_pages_link_to_registration_and_set_no_cookie(client):
    tournament = opened(2, capacity=2)
    enrol(Client(), tournament, "Kim Waits")
    for path in ("", "players/", "players/P0001/", "players/P0003/"):
        answer = client.get(f"/t/{tournament.slug}/{path}")
        assert not answer.cookies and "csrf" not in text(answer)
    assert f"/t/{tournament.slug}/register/" in text(client.get(f"/t/{tournament.slug}/"))
    assert "1 on the waitlist" in text(client.get(f"/t/{tournament.slug}/"))
    assert "waitlist number 1" in text(client.get(f"/t/{tournament.slug}/players/"))
    assert "Waitlist: number 1" in text(client.get(f"/t/{tournament.slug}/players/P0003/"))


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
    assert counts[:5] == counts[5:] and max(counts) <= 16


def test_leaving_says_what_becomes_of_the_place_before_and_after_the_start(client):
    tournament = opened(2, capacity=2)
    enrol(client, tournament, "Waits")
    first = Client()
    page = known(first, tournament)
    assert "goes to the first player on the waitlist" in text(first.get(f"{page}leave/"))
    RoundFactory(tournament=tournament)
    waiting = text(client.get(f"/t/{tournament.slug}/me/P0003/leave/"))
    assert "You will leave the waitlist" in waiting and "next rounds" not in waiting
    assert "Drop Player 01 from the next rounds?" in text(first.get(f"{page}leave/"))


def test_a_player_says_which_is_the_last_name_and_lists_have_it_first(client):
    tournament = opened(players=2)
    assert enrol(client, tournament, "Maria de la Cruz", last_name="de la Cruz").status_code == 303
    entry = Entry.objects.get(name="Maria de la Cruz")
    assert entry.last_name == "de la Cruz"
    assert "de la Cruz, Maria" in text(client.get(f"/t/{tournament.slug}/players/"))
    assert "de la Cruz" not in str(list(tournament.actions.values_list("changes", flat=True)))  # personal
