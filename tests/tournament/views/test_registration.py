"""What players tell staff, and what staff do for them: messages, a new link, places and times."""

import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.desk import key
from tests.tournament.views.phones import enrol, known, opened, text
from tournament.history.describe import describe_actions
from tournament.models import Flag, Staff
from tournament.services.entries import remove_entry
from tournament.services.event_settings import change_registration
from tournament.services.player_messages import MOST_OPEN, send_message, settle_message
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def test_who_is_not_that_player_is_told_how_to_tell_staff(client):
    tournament = TournamentFactory(entries=2)
    RoundFactory(tournament=tournament)
    public = text(client.get(f"/t/{tournament.slug}/players/P0001/"))
    address = re.search(r'href="([^"]*/flag/\?round=1)"', public)[1]
    answer = client.get(address)
    assert answer.status_code == 404 and answer["Cache-Control"] == "private, no-store"
    assert "Only a player's own link" in text(answer).replace("&#x27;", "'")
    assert "ask at the event desk" in text(answer)


def test_the_log_alone_rebuilds_waiting_lists_and_messages(client, capsys):
    tournament = opened(2, capacity=2)
    enrol(client, tournament)
    send_message(tournament, "P0001", "wrong")
    settle_message(tournament, 1)
    remove_entry(tournament, "P0001")  # its message goes with it, and who waited plays
    assert not Flag.objects.exists() and tournament.entries.get(name="Kim Lee").status == "playing"
    call_command("replay", tournament.slug)
    assert "equal after" in capsys.readouterr().out
    sentences = [
        line.sentence for line in describe_actions(tournament, tournament.actions.order_by("number"))
    ]
    assert "Kim Lee on the waitlist" in sentences and "Message 1 marked done" in sentences


def test_wrong_tell_staff_arrives_on_the_desk_until_it_is_done(client):
    owner = UserFactory()
    tournament = TournamentFactory(entries=4, owner=owner)
    RoundFactory(tournament=tournament)
    page = known(client, tournament, "P0003")
    wrote = client.post(f"{page}flag/", {"key": key(), "round": 1, "text": "I won\u202e 2–1 & <b>not</b>"})
    assert wrote.status_code == 303
    flag = Flag.objects.get()
    assert flag.text == "I won 2–1 & <b>not</b>" and flag.round.number == 1
    assert "I won" not in str(list(tournament.actions.values_list("changes", flat=True)))
    staff = Client()
    staff.force_login(owner)
    seat = tournament.seats.select_related("match").get(entry__code="P0003")
    for address in ("", "rounds/1/", "flags/"):
        desk = text(staff.get(f"/t/{tournament.slug}/desk/{address}"))
        assert "I won 2–1 &amp; &lt;b&gt;not&lt;/b&gt;" in desk and "Player 03" in desk
        assert f"/desk/rounds/1/tables/{seat.match.table}/correct/" in desk
    assert staff.post(f"/t/{tournament.slug}/desk/flags/1/done/", {"key": key()}).status_code == 303
    assert "1 player message" not in text(staff.get(f"/t/{tournament.slug}/desk/"))
    last = tournament.actions.order_by("-number").first()
    undo_action(tournament, last.number)
    assert "1 player message" in text(staff.get(f"/t/{tournament.slug}/desk/"))


def test_a_player_has_so_many_open_messages_and_writes_again_when_one_is_done(client):
    tournament = TournamentFactory(entries=4)
    page = known(client, tournament)
    for number in range(MOST_OPEN):
        send_message(tournament, "P0001", f"wrong {number}")
    refused = client.post(f"{page}flag/", {"key": key(), "text": "and another"})
    assert (
        refused.status_code == 409
        and "messages from you to read" in text(refused)
        and "and another" in text(refused)
    )
    Flag.objects.filter(number=1).update(done=True)
    assert client.post(f"{page}flag/", {"key": key(), "text": "and another"}).status_code == 303
    too_long = client.post(f"{page}flag/", {"key": key(), "text": "x" * 301})
    nothing = client.post(f"{page}flag/", {"key": key(), "text": " \u202e "})
    no_round = client.post(f"{page}flag/", {"key": key(), "text": "x", "round": "9"})
    assert [a.status_code for a in (too_long, nothing, no_round)] == [422, 400, 404]


def test_staff_set_places_and_times_in_the_events_own_time_zone(client):
    owner = UserFactory()
    tournament = TournamentFactory(entries=3, owner=owner, time_zone="America/New_York")
    client.force_login(owner)
    page = f"/t/{tournament.slug}/desk/registration/"
    sent = {"key": key(), "self_registration": "on", "capacity": 4, "check_in_from": "2026-07-01T18:00"}
    assert client.post(page, {**sent, "check_in_until": "2026-07-01T19:00"}).status_code == 303
    tournament.refresh_from_db()
    assert tournament.check_in_from.isoformat() == "2026-07-01T22:00:00+00:00"
    html = text(client.get(page))
    assert 'value="2026-07-01T18:00"' in html and f"/t/{tournament.slug}/register/" in html
    wrong = [
        {"capacity": 2},
        {"capacity": 0},
        {"check_in_until": "2026-07-01T17:00"},
        {"check_in_from": "soon"},
        {"check_in_from": "0001-01-01T00:00"},
        {"check_in_until": "9999-12-31T23:59"},
    ]
    for fields in wrong:
        answer = client.post(page, {**sent, "key": key(), **fields})
        assert answer.status_code in (400, 409, 422)
        assert "notice error" in text(answer) or "invalid-feedback" in text(answer) or "alert" in text(answer)
    tournament.refresh_from_db()
    assert tournament.capacity == 4
    poster = f"/t/{tournament.slug}/desk/poster/"
    assert "Register with your phone" in text(client.get(poster))
    assert "cannot register themselves right now" not in text(client.get(poster))
    change_registration(tournament, self_registration=False)
    assert "cannot register themselves right now" in text(client.get(poster))
    Staff.objects.filter(user=owner).update(role="judge")
    assert client.get(page).status_code == 403


@pytest.mark.long
def test_the_desks_pages_cost_the_same_however_many_wait_and_write(client):
    owner = UserFactory()
    client.force_login(owner)
    counts = []
    for many in (4, 30):  # the last changes, which the event's page lists, are of the same kinds
        tournament = opened(1, owner=owner, capacity=1)
        for number in range(many):
            enrol(Client(), tournament, f"Waits {number}")
            send_message(tournament, f"P{number + 1:04d}", "wrong")
        for page in ("registration/", "flags/", ""):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/t/{tournament.slug}/desk/{page}").status_code == 200
            counts.append(len(queries))
    assert counts[:3] == counts[3:]


def test_a_long_waiting_list_comes_in_pages_that_count_on(client, monkeypatch):
    from tournament.views import registration

    monkeypatch.setattr(registration, "PAGE", 2)
    owner = UserFactory()
    client.force_login(owner)
    tournament = opened(1, owner=owner, capacity=1)
    for number in range(3):
        enrol(Client(), tournament, f"Waits {number}")
    first = text(client.get(f"/t/{tournament.slug}/desk/registration/"))
    second = text(client.get(f"/t/{tournament.slug}/desk/registration/?page=2"))
    assert "3 on the waitlist" in first and "Waits 2" not in first
    assert "Waits 2" in second and '<td class="no">3</td>' in second


@pytest.mark.parametrize(
    ("hall", "https", "words"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_an_address_that_no_phone_can_open_says_so(client, settings, hall, https, words):
    settings.HALL_MODE, settings.HTTPS = hall, https
    tournament = TournamentFactory(entries=2, owner=UserFactory())
    client.force_login(tournament.owner)
    for page in ("registration", "poster"):
        html = text(client.get(f"/t/{tournament.slug}/desk/{page}/"))
        assert ("Only this machine can open this address" in html) is words
