import datetime as dt
import time

import pytest
from django.urls import reverse
from django.utils import timezone

from standings.bracket.cut import make_cut
from tests.factories import enter_results
from tests.pages import Page, page, press
from tests.steps import complete_round
from tests.tournament.views.desk import HTMX, sign_in_staff, signed_in
from tournament.event.clock import round_clock, round_length
from tournament.services.clock import add_minutes, pause_clock, schedule_clock, start_clock
from tournament.services.results import extend_table


@pytest.fixture(autouse=True)
def stopped(monkeypatch):
    now = timezone.now().replace(microsecond=0)
    monkeypatch.setattr(timezone, "now", lambda: now)


@pytest.fixture
def hall(client):
    tournament = signed_in(client, entries=4, published=True, round_minutes=50, time_zone="Europe/Berlin")
    return tournament


def at(client, tournament, name: str, *args) -> Page:
    return page(client, reverse(name, args=[tournament.slug, *args]))


def do(client, tournament, what: str, number: int = 1, *, htmx: bool = False, **sent):
    address = reverse("change-clock", args=[tournament.slug, number, what])
    return client.post(address, sent, **(HTMX if htmx else {}))


def counts_down(shown: Page) -> bool:
    return bool(shown.all("[data-ends]"))


def clock_state(tournament, number: int = 1) -> str:
    return round_clock(tournament.rounds.get(number=number)).state(timezone.now())


def local(tournament, moment) -> str:
    with timezone.override(tournament.time_zone):
        return f"{timezone.localtime(moment):%H:%M}"


def test_publishing_offers_to_start_the_clock_and_asks_once_for_minutes_where_no_length_is_usual(client):
    tournament = signed_in(client, entries=4, drafted=True, round_minutes=50)
    shown = Page(client.post(reverse("publish", args=[tournament.slug, 1]), {"seen": ""}, follow=True))
    assert "Start the clock: 50 min" in shown and clock_state(tournament) == "off"
    timer = at(client, tournament, "public-clock")
    assert "The clock is off." in timer and not counts_down(timer)
    assert not counts_down(at(client, tournament, "public-event"))
    own = at(client, tournament, "desk-clock", 1)
    assert own.all("button.btn.primary") == ["Start the clock"]
    assert own.form("Start the clock")["minutes"] == "50"
    tournament = signed_in(client, entries=4, published=True)
    refused = Page(do(client, tournament, "start", page="clock"))
    assert refused.status == 400 and refused.words.count("Enter the minutes of the round.") == 1


def test_the_clock_runs_by_plain_buttons(client, hall):
    shown = at(client, hall, "desk-round", 1)
    for button, state, words in (
        ("Start the clock: 50 min", "running", "Clock of round 1 runs until"),
        ("Pause", "paused", "paused with 50:00 left"),
        ("Resume", "running", "Clock of round 1 runs until"),
    ):
        shown = press(client, shown, button)
        assert words in shown and shown.all("h1") and clock_state(hall) == state
    shown = press(client, at(client, hall, "desk-clock", 1), "Turn the clock off")
    assert "turned off" in shown and clock_state(hall) == "off"
    soon = local(hall, timezone.now() + dt.timedelta(hours=2))
    shown = press(client, shown, "Start at this time", at=soon, minutes=40)
    assert clock_state(hall) == "scheduled" and f"starts {soon}" in str(
        at(client, hall, "desk-round", 1).soup
    )
    shown = press(client, shown, "Change the length", minutes=45)
    shown = press(client, shown, "Start the clock", minutes=20)
    do(client, hall, "add", minutes=-5)
    assert hall.rounds.get(number=1).minutes == 15
    do(client, hall, "set", ends=soon)
    assert 6000 <= round_clock(hall.rounds.get(number=1)).seconds(timezone.now()) <= 7200


def test_what_makes_no_sense_keeps_what_was_typed_and_says_one_line(client, hall):
    for what, sent, words in (
        ("pause", {}, "The clock of round 1 is not running."),
        ("add", {"minutes": "five"}, "Enter a whole number"),
        ("start", {"minutes": "10000000000000000000"}, "Enter a whole number from 1 to 600."),
        ("schedule", {"at": "25:00"}, "Enter a valid time"),
        ("length", {"minutes": ""}, "required"),
        ("set", {"ends": "<b>"}, "Enter a valid time"),
    ):
        for htmx in (False, True):
            answer = do(client, hall, what, htmx=htmx, **sent)
            assert 400 <= answer.status_code < 500 and words in Page(answer), (what, sent)
    assert Page(do(client, hall, "set", ends="<b>")).form("Set the end")["ends"] == "<b>"
    assert do(client, hall, "explode").status_code == do(client, hall, "start", number=9).status_code == 404
    assert hall.actions.last().kind == "publish"


def test_desks_phones_and_screens_hear_of_each_change_and_of_nothing_else(client, hall):
    polls = [
        reverse("clock-controls", args=[hall.slug, 1]), reverse("public-now", args=[hall.slug]),
        reverse("public-pairings", args=[hall.slug, 1]), reverse("player-now", args=[hall.slug, "P0001"]),
        reverse("screen-of-part", args=[hall.slug, "clock"]), reverse("screen-part", args=[hall.slug]),
    ]  # fmt: skip

    def marks() -> list[str]:
        return [page(client, poll).soup.select_one("[data-v]")["data-v"] for poll in polls]

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
    sign_in_staff(client, hall)
    assert do(client, hall, "start").status_code == 403
    assert "Start the clock" not in at(client, hall, "desk-clock", 1)
    start_clock(hall, 1)
    for name in ("desk-round", "desk-clock"):
        shown = at(client, hall, name, 1)
        assert counts_down(shown) and "Pause" not in shown and "Set the clock" not in shown
    assert "Set the clock" not in at(client, hall, "judge")
    assert do(client, hall, "pause").status_code == 403 and clock_state(hall) == "running"
    answer = client.post(reverse("extension", args=[hall.slug, 1, 2]), {"minutes": 5, "why": "deck check"})
    assert answer.status_code == 303
    assert "Table 2: 5 min (deck check)" in at(client, hall, "desk-clock", 1)


def test_the_timer_shows_the_end_and_each_table_with_extra_time(client, hall):
    start_clock(hall, 1)
    ends = round_clock(hall.rounds.get(number=1)).ends
    extend_table(hall, 1, 2, 5, "deck check of somebody")
    shown = at(client, hall, "public-clock")
    assert f"ends {local(hall, ends)}" in shown and "deck check" not in shown and "Friday night" in shown
    own = shown.words.split("Table 2, 5 min more:")[1]
    assert f"ends {local(hall, ends + dt.timedelta(minutes=5))}" in own and shown.all("[data-quiet]")
    pause_clock(hall, 1)
    shown = at(client, hall, "public-clock")
    assert "50:00" in shown and "paused" in shown and "Table 2, 5 min more: 55:00 left" in shown
    assert not counts_down(shown)
    enter_results(hall, 1)
    assert "Table 2" not in at(client, hall, "public-clock")
    complete_round(hall, 1)
    assert "This round is complete." in at(client, hall, "public-clock")
    for name in ("desk-round", "desk-clock", "clock-controls", "public-round"):
        shown = at(client, hall, name, 1)
        assert "50:00 left" not in shown and not counts_down(shown) and "Clock off" not in shown, name
    make_cut(hall, 4)
    start_clock(hall, 2, 30)
    assert counts_down(at(client, hall, "public-clock")) and "Pause" in at(client, hall, "desk-bracket")


def test_the_turns_after_time_are_on_desk_phone_and_screen(client):
    turns = {"turns_after_time": 5}
    tournament = signed_in(client, entries=4, published=True, round_minutes=50, overrides=turns)
    start_clock(tournament, 1)
    places = [("desk-round", 1), ("player", "P0001"), ("public-clock",), ("public-event",)]
    for name, *args in places:
        assert "Time is up, 5 more turns" in str(at(client, tournament, name, *args).soup), name
    assert "5 turns after time" in at(client, tournament, "public-clock")


def test_the_servers_time_is_told_uncached_and_without_a_query(client, django_assert_num_queries):
    before = time.time_ns()
    with django_assert_num_queries(0):
        answer = client.get("/time/")
    assert before // 10**6 <= int(answer.content) <= time.time_ns() // 10**6
    assert "no-store" in answer["Cache-Control"] and not answer.cookies


@pytest.mark.parametrize("htmx", [True, False])
def test_two_who_give_five_minutes_at_once_give_five(client, hall, htmx):
    start_clock(hall, 1)
    shown = at(client, hall, "desk-clock", 1)
    sent = shown.form("+5").fields | {"page": "" if htmx else "clock"}
    assert do(client, hall, "add", htmx=htmx, **sent | {"key": "ana"}).status_code in (200, 303)
    late = do(client, hall, "add", htmx=htmx, **sent | {"key": "ben"})
    assert late.status_code == 409
    assert "Someone else changed the clock meanwhile. Check it, then press again." in Page(late)
    assert round_length(hall.rounds.get()) == 55
    fresh = Page(late).form("+5").fields
    assert do(client, hall, "add", htmx=htmx, **fresh).status_code < 400
    assert round_length(hall.rounds.get()) == 60


def test_every_button_says_what_it_was_pressed_on_and_a_refused_form_can_be_sent_again(client, hall):
    start_clock(hall, 1)
    shown = at(client, hall, "desk-clock", 1)
    add_minutes(hall, 1, 5)
    for button, typed in {
        "Pause": {},
        "Turn the clock off": {},
        "Change the length": {"minutes": 40},
    }.items():
        assert press(client, shown, button, **typed).status == 409, button
    again = press(client, shown, "Change the length", minutes=45)
    assert again.status == 409 and round_length(hall.rounds.get()) == 55 and clock_state(hall) == "running"
    form = again.form("Change the length")
    assert form["minutes"] == "45" and form["seen"] != shown.form("Change the length")["seen"]
    assert press(client, again, "Change the length").status == 200


def test_a_desk_hears_that_time_is_up_though_nothing_was_written(client, hall, monkeypatch):
    start_clock(hall, 1)
    extend_table(hall, 1, 2, 3, "deck check")
    status = reverse("desk-status", args=[hall.slug, 1])
    mark = at(client, hall, "desk-round", 1).one('[data-poll$="status/"]')["data-v"]
    assert client.get(status, {"v": mark}).status_code == 204
    now = timezone.now()
    for minutes, past in ((51, 1), (54, 2)):
        monkeypatch.setattr(timezone, "now", lambda: now + dt.timedelta(minutes=minutes))  # noqa: B023
        fetch = page(client, status, v=mark).one('[hx-get*="rows/?since="]')["hx-get"]
        rows = page(client, fetch)
        assert rows.words.count("Past time") == 1, minutes
        mark = rows.one('[data-poll$="status/"]')["data-v"]
        assert mark.endswith(f".{past}") and client.get(status, {"v": mark}).status_code == 204
