"""The clock on the desk, on phones and on the venue's screens: its buttons, its page, time for one table."""

import datetime as dt
import re
import time

import pytest
from django.urls import reverse
from django.utils import timezone

from standings.bracket.cut import make_cut
from tests.factories import TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tournament.event.clock import clock_of, length_of
from tournament.models import Staff
from tournament.services.clock import add_minutes, pause_clock, schedule_clock, seen_of, start_clock
from tournament.services.event_settings import change_settings
from tournament.services.rounds import extend_table

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stopped(monkeypatch):
    """The server's time stands still, so that a second cannot pass between two steps."""
    now = timezone.now().replace(microsecond=0)
    monkeypatch.setattr(timezone, "now", lambda: now)


@pytest.fixture
def hall(client):
    """An event whose first round was just published; its organizer is signed in."""
    tournament = TournamentFactory(entries=4, published=True, round_minutes=50, time_zone="Europe/Berlin")
    client.force_login(tournament.owner)
    return tournament


def page(client, tournament, name: str, *args, **query) -> str:
    answer = client.get(reverse(name, args=[tournament.slug, *args]), query)
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def do(client, tournament, what: str, number: int = 1, *, htmx: bool = False, **sent):
    headers = {"HX-Request": "true"} if htmx else {}
    address = reverse("change-clock", args=[tournament.slug, number, what])
    return client.post(address, sent, headers=headers)


def state_of(tournament, number: int = 1) -> str:
    return clock_of(tournament.rounds.get(number=number)).state(timezone.now())


def test_publishing_offers_to_start_the_clock_and_does_not_start_it(client):
    tournament = TournamentFactory(entries=4, drafted=True, round_minutes=50)
    client.force_login(tournament.owner)
    answer = client.post(reverse("publish", args=[tournament.slug, 1]), {"seen": ""}, follow=True)
    assert "Start the clock: 50 min" in answer.content.decode()
    assert state_of(tournament) == "off"
    assert "data-ends" not in page(client, tournament, "public-event")
    shown = page(client, tournament, "public-clock")
    assert "The clock is off." in shown and "data-ends" not in shown
    own = page(client, tournament, "desk-clock", 1)
    assert own.count("btn-primary") == 1 and 'name="minutes" value="50"' in own


def test_a_round_without_a_usual_length_asks_for_the_minutes_once(client):
    tournament = TournamentFactory(entries=4, published=True)
    client.force_login(tournament.owner)
    answer = do(client, tournament, "start", page="clock")
    assert answer.status_code == 409 or answer.status_code == 422 or answer.status_code == 400
    assert answer.content.decode().count("Enter the minutes of the round.") == 1


def test_the_clock_runs_by_plain_buttons(client, hall):
    for what, state, words in (
        ("start", "running", "Clock of round 1 started: 50 minutes"),
        ("pause", "paused", "paused with 50:00 left"),
        ("resume", "running", "resumed, ends"),
        ("stop", "off", "turned off"),
    ):
        answer = do(client, hall, what, page="clock" if what == "stop" else "")
        assert answer.status_code == 303 and ("/clock/" in answer["Location"]) == (what == "stop")
        assert words in client.get(answer["Location"]).content.decode()
        assert state_of(hall) == state
    soon = (timezone.now() + dt.timedelta(hours=2)).astimezone(dt.timezone(dt.timedelta(hours=1)))
    do(client, hall, "schedule", at=f"{soon:%H:%M}", minutes=40)
    assert state_of(hall) == "scheduled" and f"starts {soon:%H:%M}" in page(client, hall, "desk-round", 1)
    do(client, hall, "length", minutes=45)
    do(client, hall, "start", minutes=20)
    do(client, hall, "add", minutes=-5)
    assert hall.rounds.get(number=1).minutes == 15
    do(client, hall, "set", left="9:30")
    left = clock_of(hall.rounds.get(number=1)).seconds(timezone.now())
    assert 560 <= left <= 570


def test_what_makes_no_sense_keeps_what_was_typed_and_says_one_line(client, hall):
    past = f"{timezone.now() - dt.timedelta(hours=2):%H:%M}"
    for what, sent, words in (
        ("pause", {}, "The clock of round 1 is not running."),
        ("resume", {}, "is not paused"),
        ("add", {"minutes": "5"}, "Start it first"),
        ("add", {"minutes": "five"}, "Enter a whole number"),
        ("add", {}, "required"),
        ("start", {"minutes": "0"}, "Enter a whole number from 1 to 600."),
        ("start", {"minutes": "10000000000000000000"}, "Enter a whole number from 1 to 600."),
        ("schedule", {"at": "25:00"}, "Enter a valid time"),
        ("schedule", {"at": past}, f"{past} is in the past"),
        ("length", {"minutes": ""}, "required"),
        ("set", {}, "Enter the time left or"),
        ("set", {"left": "<b>"}, "is not a time left"),
        ("set", {"left": "9:30", "ends": "14:00"}, "Enter the time left or"),
    ):  # fmt: skip
        for htmx in (False, True):
            answer = do(client, hall, what, htmx=htmx, **sent)
            assert 400 <= answer.status_code < 500 and words in answer.content.decode(), (what, sent)
    assert 'value="&lt;b&gt;"' in do(client, hall, "set", left="<b>").content.decode()
    assert do(client, hall, "explode").status_code == do(client, hall, "start", number=9).status_code == 404
    assert hall.actions.last().kind == "publish"


def test_a_form_sent_twice_is_done_once(client, hall):
    start_clock(hall, 1)
    for _ in range(2):
        answer = do(client, hall, "add", htmx=True, minutes=5, key="a-key")
        assert answer.status_code == 200 and "data-ends" in answer.content.decode()
    assert hall.rounds.get(number=1).minutes == 55


def test_desks_phones_and_screens_hear_of_each_change_and_of_nothing_else(client, hall):
    polls = [
        reverse("clock-controls", args=[hall.slug, 1]), reverse("public-now", args=[hall.slug]),
        reverse("public-pairings", args=[hall.slug, 1]), reverse("player-now", args=[hall.slug, "P0001"]),
        reverse("screen-of-part", args=[hall.slug, "clock"]), reverse("screen-part", args=[hall.slug]),
    ]  # fmt: skip

    def marks() -> list[str]:
        return [client.get(poll).content.decode().split('data-v="')[1].split('"')[0] for poll in polls]

    before = marks()
    soon = f"{timezone.now() + dt.timedelta(hours=3):%H:%M}"
    for change in (schedule_clock, soon), (start_clock,), (add_minutes, 5), (pause_clock,), (add_minutes, -1):
        change[0](hall, 1, *change[1:])
        for poll, mark in zip(polls, before, strict=True):
            assert client.get(poll, {"v": mark}).status_code == 200, (poll, change)
        before = marks()
        assert [
            client.get(poll, {"v": mark}).status_code for poll, mark in zip(polls, before, strict=True)
        ] == [204] * len(polls)


def test_a_judge_sees_the_clock_gives_time_with_a_reason_and_runs_nothing(client, hall):
    judge = UserFactory()
    Staff.objects.create(tournament=hall, user=judge, role=Staff.Role.JUDGE)
    start_clock(hall, 1)
    client.force_login(judge)
    for name in ("desk-round", "desk-clock"):
        shown = page(client, hall, name, 1)
        assert "data-ends" in shown and "Pause" not in shown and "Set the clock" not in shown
    assert do(client, hall, "pause").status_code == 403
    answer = client.post(reverse("extension", args=[hall.slug, 1, 2]), {"minutes": 5, "why": "deck check"})
    assert answer.status_code == 303
    assert "Table 2: 5 min </a> (deck check)" in page(client, hall, "desk-clock", 1)


def test_the_timer_shows_the_end_and_each_table_with_extra_time(client, hall):
    start_clock(hall, 1)
    ends = clock_of(hall.rounds.get(number=1)).ends
    extend_table(hall, 1, 2, 5, "deck check of somebody")
    shown = page(client, hall, "public-clock")
    local = dt.timezone(dt.timedelta(hours=1 if time.gmtime().tm_mon in (11, 12, 1, 2) else 2))
    assert f"ends {ends.astimezone(local):%H:%M}" in shown
    own = shown.split("Table 2, 5 min more:")[1]
    assert f"ends {(ends + dt.timedelta(minutes=5)).astimezone(local):%H:%M}" in own and "data-quiet" in own
    assert "deck check" not in shown and "Friday night" in shown
    pause_clock(hall, 1)
    shown = page(client, hall, "public-clock")
    assert (
        ">50:00<" in shown
        and "paused" in shown
        and "Table 2, 5 min more: 55:00 left" in shown
        and "data-ends" not in shown
    )
    enter_results(hall, 1)
    assert "Table 2" not in page(client, hall, "public-clock")
    complete_round(hall, 1)
    assert "This round is complete." in page(client, hall, "public-clock")
    make_cut(hall, 4)
    start_clock(hall, 2, 30)
    assert "data-ends" in page(client, hall, "public-clock") and "Pause" in page(client, hall, "desk-bracket")


def test_the_turns_after_time_are_on_desk_phone_and_screen(client):
    tournament = TournamentFactory(
        entries=4, published=True, round_minutes=50, overrides={"turns_after_time": 5}
    )
    client.force_login(tournament.owner)
    start_clock(tournament, 1)
    places = [("desk-round", 1), ("player", "P0001"), ("public-clock",), ("public-event",)]
    for name, *args in places:
        assert "Time is up, 5 more turns" in page(client, tournament, name, *args), name
    assert "5 turns after time" in page(client, tournament, "public-clock")


def test_the_servers_time_is_told_uncached_and_without_a_query(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get("/time/")
    assert abs(int(answer.content) / 1000 - time.time()) < 1
    assert "no-store" in answer["Cache-Control"] and not answer.cookies


@pytest.mark.parametrize("htmx", [True, False])
def test_two_who_give_five_minutes_at_once_give_five(client, hall, htmx):
    start_clock(hall, 1)
    shown = page(client, hall, "desk-clock", 1)
    seen = re.search(r'name="seen" value="([^"]+)"', shown)[1]
    sent = {"minutes": 5, "seen": seen, "page": "" if htmx else "clock"}
    assert do(client, hall, "add", htmx=htmx, **sent, key="ana").status_code in (200, 302, 303)
    late = do(client, hall, "add", htmx=htmx, **sent, key="ben")
    assert late.status_code == 409
    assert "Someone else changed the clock meanwhile. Check it, then press again." in late.content.decode()
    assert length_of(hall.rounds.get()) == 55
    fresh = re.search(r'name="seen" value="([^"]+)"', late.content.decode())[1]
    assert do(client, hall, "add", htmx=htmx, **sent | {"seen": fresh}, key="ben-again").status_code < 400
    assert length_of(hall.rounds.get()) == 60


@pytest.mark.parametrize("what", ["pause", "stop", "length", "set"])
def test_every_button_says_what_it_was_pressed_on(client, hall, what):
    start_clock(hall, 1)
    shown = page(client, hall, "desk-clock", 1)
    add_minutes(hall, 1, 5)
    seen = re.findall(r'name="seen" value="([^"]+)"', shown)
    assert len(set(seen)) == 1 and len(seen) >= 6
    sent = {"seen": seen[0], "page": "clock", "minutes": 40, "left": "12:00"}
    assert do(client, hall, what, **sent).status_code == 409
    assert length_of(hall.rounds.get()) == 55 and state_of(hall) == "running"


def test_a_form_that_was_refused_can_be_sent_again(client, hall):
    start_clock(hall, 1)
    old = seen_of(hall.rounds.get())
    add_minutes(hall, 1, 5)
    answer = do(client, hall, "set", seen=old, page="clock", left="12:00")
    assert answer.status_code == 409 and 'value="12:00"' in answer.content.decode()
    assert f'name="seen" value="{old}"' not in answer.content.decode()


def test_a_desk_hears_that_time_is_up_though_nothing_was_written(client, hall, monkeypatch):
    start_clock(hall, 1)
    extend_table(hall, 1, 2, 3, "deck check")
    shown = page(client, hall, "desk-round", 1)
    mark = re.search(r'status/" data-v="([^"]+)"', shown)[1]
    status = reverse("desk-status", args=[hall.slug, 1])
    assert client.get(status, {"v": mark}).status_code == 204
    now = timezone.now()
    for minutes, past in ((51, 1), (54, 2)):
        monkeypatch.setattr(timezone, "now", lambda: now + dt.timedelta(minutes=minutes))  # noqa: B023
        answer = client.get(status, {"v": mark})
        assert answer.status_code == 200
        fetch = re.search(r'hx-get="([^"]+rows/\?since=\d+)"', answer.content.decode())[1]
        rows = client.get(fetch).content.decode()
        assert rows.count("Past time") == 1, minutes
        mark = re.search(r'status/" data-v="([^"]+)"', rows)[1]
        assert mark.endswith(f".{past}") and client.get(status, {"v": mark}).status_code == 204


def test_judges_run_the_clock_only_where_the_event_lets_them(client, hall):
    judge = UserFactory()
    Staff.objects.create(tournament=hall, user=judge, role="judge")
    client.force_login(judge)
    assert do(client, hall, "start").status_code == 403
    assert "Start the clock" not in page(client, hall, "desk-clock", 1)
    assert "Set the clock" not in page(client, hall, "judge")
    change_settings(hall, judge_clock=True)
    assert "Set the clock" in page(client, hall, "judge")
    assert "Start the clock" in page(client, hall, "desk-clock", 1)
    assert do(client, hall, "start", page="clock").status_code == 303
    assert state_of(hall) == "running"
