import pytest
from django.core.management import call_command
from django.test import Client

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.pages import Page, page
from tests.tournament.views.desk import key, signed_in
from tests.tournament.views.phones import enrol, known, opened
from tournament.history.describe import describe_actions
from tournament.models import Flag
from tournament.services.entries import remove_entry
from tournament.services.event_settings import change_registration
from tournament.services.self_service import MOST_OPEN, send_message, settle_message
from tournament.services.undo import undo_action
from tournament.views import registration

pytestmark = pytest.mark.django_db


def test_who_is_not_that_player_is_told_how_to_tell_staff(client):
    tournament = TournamentFactory(entries=2)
    RoundFactory(tournament=tournament)
    public = page(client, f"/t/{tournament.slug}/players/P0001/")
    answer = client.get(public.one('a[href$="/flag/?round=1"]')["href"])
    assert answer.status_code == 404 and answer["Cache-Control"] == "private, no-store"
    assert "Only a player's own link" in Page(answer) and "ask at the event desk" in Page(answer)


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
    for address in ("", "rounds/1/", "flags/"):
        shown = page(staff, desk + address)
        assert "I won 2–1 & <b>not</b>" in shown and "Player 03" in shown
        assert shown.all(f'[href="{desk}rounds/1/tables/{table}/correct/"]')
    assert staff.post(f"{desk}flags/1/done/", {"key": key()}).status_code == 303
    assert "1 player message" not in page(staff, desk)
    assert page(staff, f"{desk}flags/").words.count("I won") == 1, "among those done"
    undo_action(tournament, tournament.actions.latest("number").number)
    assert "1 player message" in page(staff, desk)


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
    address = f"/t/{tournament.slug}/desk/registration/"
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
        assert Page(answer).all(".notice.error, .invalid-feedback, [role=alert]"), wrong
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
    first, second = (page(client, f"/t/{tournament.slug}/desk/registration/", page=n) for n in (1, 2))
    assert "3 on the waitlist" in first and "Waits 2" not in first
    assert "Waits 2" in second and "3" in second.all("td.no")


@pytest.mark.parametrize(
    ("hall", "https", "words"), [(False, False, True), (True, False, False), (False, True, False)]
)
def test_an_address_that_no_phone_can_open_says_so(client, settings, hall, https, words):
    settings.HALL_MODE, settings.HTTPS = hall, https
    tournament = signed_in(client, entries=2)
    for name in ("registration", "poster"):
        shown = page(client, f"/t/{tournament.slug}/desk/{name}/")
        assert ("Only this machine can open this address" in shown) is words
