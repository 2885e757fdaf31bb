import datetime as dt
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page
from tournament.access.fetch import public_tournament
from tournament.models import Round, Tournament
from tournament.progress.next_step import load_progress_facts
from tournament.progress.schedule import (
    EVEN,
    PAUSE,
    bracket_rounds,
    build_schedule,
    load_turnaround,
    play_time,
    round_up,
)
from tournament.services.clock import pause_clock, resume_clock, start_clock
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.events import finish_tournament
from tournament.services.judging import call_judge
from tournament.services.results import extend_table, record_result
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2026, 11, 27, 12, 0, tzinfo=dt.UTC)
START = dt.datetime(2026, 11, 27, 18, 0, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def before_the_start():
    with mock.patch("django.utils.timezone.now", lambda: START):
        yield


def test_an_end_at_five_minutes_is_promised_alike_at_the_desk_and_in_public(client):
    assert play_time(5, 50) == dt.timedelta(minutes=5 * 50 + 4 * PAUSE)
    assert play_time(1, 50) == dt.timedelta(minutes=50)
    assert [bracket_rounds(size) for size in (0, 1, 2, 3, 4, 5, 8, 9, 64)] == [0, 0, 1, 2, 2, 3, 3, 4, 6]
    for seconds, minutes in ((0, 0), (1, 5), (59 * 60, 60)):
        assert round_up(START + dt.timedelta(seconds=seconds), EVEN) == START + dt.timedelta(minutes=minutes)
    tournament = TournamentFactory(
        entries=24, ruleset="mtr", round_minutes=50, starts_at=START.isoformat(), time_zone="Europe/Berlin"
    )
    client.force_login(tournament.owner)
    shown = page(client, f"/t/{tournament.slug}/")
    assert "about 02:50 on 28 Nov" in shown  # 8 rounds of 50 minutes and 7 pauses from 19:00
    assert "5 Swiss rounds, then the top 8. 50 minutes a round." in shown
    plan = home(client, tournament).all(".plan li")
    assert plan[:2] == ["19:00Round 1 about", "20:00Round 2 about"]
    assert plan[4:] == ["23:00Round 5 about", "00:00Top 8 about", "02:50End about"]


def test_a_running_event_counts_from_the_round_that_was_published_last():
    tournament = TournamentFactory(
        entries=8, rounds_planned=3, cut=0, round_minutes=40, starts_at=START.isoformat()
    )
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    RoundFactory(tournament=tournament)
    late = START + dt.timedelta(hours=2)
    Round.objects.filter(number=2).update(published_at=late)
    plan = build_schedule(tournament, load_progress_facts(tournament))
    assert plan is not None and plan.ends == late + dt.timedelta(minutes=2 * 40 + PAUSE)


def test_what_is_late_moves_the_end_with_it():
    tournament = TournamentFactory(
        entries=8, rounds_planned=3, cut=0, round_minutes=40, starts_at=START.isoformat()
    )

    def end_at(minutes):
        with mock.patch("django.utils.timezone.now", lambda: START + dt.timedelta(minutes=minutes)):
            plan = build_schedule(tournament, load_progress_facts(tournament))
        return plan and (plan.ends - START) // dt.timedelta(minutes=1)

    assert [end_at(minutes) for minutes in (-60, 0, 20, 139, 140)] == [140, 140, 160, 280, None]
    number = RoundFactory(tournament=tournament).number  # posted at 0: 40, 50-90, 100-140
    assert [end_at(minutes) for minutes in (30, 40, 61)] == [140, 140, 165]
    enter_results(tournament, number)
    assert [end_at(minutes) for minutes in (30, 50, 70)] == [140, 140, 160]


def test_nothing_is_promised_without_minutes_after_the_end_or_before_a_further_session():
    silent = TournamentFactory(entries=4, starts_at=START.isoformat())
    assert build_schedule(silent, load_progress_facts(silent)) is None
    over = TournamentFactory(entries=4, rounds=2, round_minutes=40)
    finish_tournament(over)
    assert build_schedule(over, load_progress_facts(over)) is None
    tournament = TournamentFactory(
        entries=4, rounds_planned=1, cut=0, round_minutes=40, starts_at=START.isoformat()
    )
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    add_stage(tournament, minutes=30)
    assert build_schedule(tournament, load_progress_facts(tournament)) is None
    add_entries(tournament, ["Ann", "Ben"])
    number = RoundFactory(tournament=tournament).number
    Round.objects.filter(number=number).update(published_at=START)
    plan = build_schedule(tournament, load_progress_facts(tournament))
    assert plan is not None and (plan.minutes, plan.ends) == (30, START + dt.timedelta(minutes=30))


def test_more_rounds_cost_no_more_queries(django_assert_max_num_queries):
    tournament = Tournament.objects.get(pk=TournamentFactory(entries=6, rounds=3).pk)
    with django_assert_max_num_queries(5):
        assert len(load_progress_facts(tournament).swiss) == 3
    with django_assert_max_num_queries(1):
        shown = public_tournament(tournament.slug)
        assert (shown.latest, shown.has_bracket) == (3, False)


# --- the turnaround between rounds, and the home that shows it


@pytest.fixture
def clock():
    """The time of day, in minutes from noon, for everything that is written and read."""

    class Clock:
        minutes = 0.0

    with mock.patch("django.utils.timezone.now", lambda: NOON + dt.timedelta(minutes=Clock.minutes)):
        yield Clock


def played(clock, players=8, **fields):
    """Two rounds: the first is over, the second runs from 13:05 to 13:55 and half of it is in."""
    tournament = TournamentFactory(entries=players, rounds_planned=3, cut=0, round_minutes=50, **fields)
    tables = players // 2
    for number, start in ((1, 0), (2, 65)):
        clock.minutes = start
        RoundFactory(tournament=tournament)
        start_clock(tournament, number)
        for table in range(1, tables + 1) if number == 1 else range(1, tables // 2 + 1):
            clock.minutes = start + (55 if table == tables else 30 + table * 10 / tables)
            record_result(tournament, number, table, TWO_NIL, actor=tournament.owner)
    tournament.refresh_from_db()
    return tournament


def home(client, tournament, part="") -> Page:
    return page(client, f"/t/{tournament.slug}/desk/{part}")


def turnaround(tournament):
    tournament.refresh_from_db()
    return load_turnaround(tournament, load_progress_facts(tournament))


def test_round_3_can_start_when_time_is_up_at_the_last_table(clock):
    silent = TournamentFactory(entries=8, rounds=2, published=True, rounds_planned=4, cut=0)
    assert turnaround(silent).can_start == ""  # without a clock
    tournament = played(clock)
    clock.minutes = 100
    first = turnaround(tournament)
    assert (first.tables, first.entered) == (4, 2)
    assert (first.can_start, first.past) == ("13:55", 0)
    extend_table(tournament, 2, 4, 10)
    assert turnaround(tournament).can_start == "14:05"
    pause_clock(tournament, 2)
    clock.minutes = 110  # ten minutes later it goes on ten minutes later
    assert turnaround(tournament).can_start == "14:15"
    resume_clock(tournament, 2)
    clock.minutes = 128
    assert turnaround(tournament).past == 1
    clock.minutes = 140  # nothing is claimed once time is up
    overdue = turnaround(tournament)
    assert (overdue.can_start, overdue.past) == ("", 2)
    for table in (3, 4):
        record_result(tournament, 2, table, TWO_NIL)
    assert (turnaround(tournament).can_start, turnaround(tournament).outstanding) == ("", [])


def test_the_end_of_the_day_moves_with_the_deadlines_for_staff_and_for_everyone(clock, client):
    tournament = played(clock)
    facts = load_progress_facts(tournament)

    def end():
        plan = build_schedule(tournament, facts, turnaround(tournament))
        return plan and f"{plan.ends:%H:%M}"

    clock.minutes = 100
    assert end() == "14:55"
    extend_table(tournament, 2, 4, 20)
    assert end() == "15:15"
    client.force_login(tournament.owner)
    for shown in (home(client, tournament), page(client, f"/t/{tournament.slug}/")):
        assert "15:15" in shown
    clock.minutes = 600
    assert end() is None  # no end that has passed


def test_the_home_and_the_round_say_when_the_next_can_start_what_waits_and_what_was_done(clock, client):
    tournament = played(clock)
    clock.minutes = 118
    extend_table(tournament, 2, 4, 10)
    ends = NOON + dt.timedelta(minutes=114.5)  # 14:04:30 for table 4
    tournament.rounds.filter(number=2).update(ends_at=ends)
    drop_entry(tournament, "P0003")
    client.force_login(tournament.owner)
    with mock.patch("django.contrib.sessions.backends.base.SessionBase.get_expiry_age", return_value=10**9):
        shown, desk = home(client, tournament), home(client, tournament, "rounds/2/")
    assert "Round 2 of 3" in shown.all("h2") and len(shown.all("main .btn.primary")) == 1
    assert shown.one('[aria-label="2 of 4 tables entered"]') and shown.all(".btn[aria-disabled]") == [
        "Pair round 3"
    ]
    assert "Waiting for 2 tables. Can start at about 14:05." in shown and "1 table is past its time" in shown
    assert "Drop to check: Player 03" in shown and "Waiting for 2 tables. Can start at about 14:05." in desk
    assert desk.all(".btn[aria-disabled]") == ["Pair round 3"]
    changes = " ".join(shown.all(".log > li"))
    places = [changes.index(words) for words in ("Player 03 dropped", "10-minute time extension", "2–0")]
    assert places == sorted(places) and shown.one('[aria-label="Undo: Player 03 dropped"]')


def test_the_home_costs_the_same_for_one_result_and_for_many(client):
    counts = []
    for players, entered in ((14, 6), (40, 18)):
        tournament = TournamentFactory(entries=players, rounds=2, published=True, round_minutes=50)
        for table in range(1, entered + 1):
            record_result(tournament, 3, table, TWO_NIL)
        client.force_login(tournament.owner)
        for _visit in ("first", "again"):
            with CaptureQueriesContext(connection) as queries:
                assert client.get(f"/t/{tournament.slug}/desk/").status_code == 200
            counts.append(len(queries))
    assert counts[:2] == counts[2:] and max(counts) <= 22


def test_a_judge_call_is_listed_before_the_next_round(clock, client):
    tournament = played(clock)
    clock.minutes = 100
    call = tournament.seats.filter(round__number=2, match__result=None).select_related("match")[0]
    call_judge(tournament, call.entry.code)
    clock.minutes = 104
    client.force_login(tournament.owner)
    shown = home(client, tournament)
    assert f"Table {call.match.table}Judge called · 4 min" in shown
    tournament.rounds.filter(number=2).update(state="complete")
    assert "Judge called" not in home(client, tournament)


def test_the_open_home_follows_every_change_and_the_minutes(clock, client):
    tournament = TournamentFactory(entries=8, published=True, round_minutes=50)
    client.force_login(tournament.owner)
    now, polled = f"/t/{tournament.slug}/desk/now/", '[data-poll$="desk/now/"]'
    mark = home(client, tournament).one(polled)["data-v"]
    assert client.get(now, {"v": mark}).status_code == 204
    record_result(tournament, 1, 1, TWO_NIL)
    part = page(client, now, v=mark)
    assert "1 of 4 tables entered" in part and not part.all("html")
    assert not part.all("input[type=text], textarea")  # nothing that someone types in is swapped
    mark = part.one(polled)["data-v"]
    assert client.get(now, {"v": mark}).status_code == 204
    clock.minutes += 1
    assert client.get(now, {"v": mark}).status_code == 200
