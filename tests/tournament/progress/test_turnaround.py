"""What the next round waits for and when it starts, from a log with its times; and the event's home that shows it."""

import datetime as dt
import re
from unittest import mock
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory
from tournament.models import Staff
from tournament.progress.facts import progress_facts_of
from tournament.progress.log_times import LogTimes, log_times_of
from tournament.progress.pictures import lengths_picture_of, tables_picture_of
from tournament.progress.schedule import schedule_of
from tournament.progress.turnaround import span_words, turnaround_of
from tournament.results.slip import Slip
from tournament.services.clock import start_clock
from tournament.services.drops import drop_entry
from tournament.services.judge_calls import call_judge
from tournament.services.results import clear_result, record_result
from tournament.services.rounds import extend_table
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2026, 11, 27, 12, 0, tzinfo=dt.UTC)


@pytest.fixture
def clock():
    """The time of day, in minutes from noon, for everything that is written and read."""

    class Clock:
        minutes = 0.0

    with mock.patch("django.utils.timezone.now", lambda: NOON + dt.timedelta(minutes=Clock.minutes)):
        yield Clock


def played(clock, players=8, **fields):
    """Two rounds: the first from 12:00 to the last result 12:55, then 4 + 6 minutes; of the second half is in."""
    tournament = TournamentFactory(entries=players, rounds_planned=3, cut=0, round_minutes=50, **fields)
    tables = players // 2
    for number, start in ((1, 0), (2, 65)):
        clock.minutes = start - 6 if number > 1 else start
        RoundFactory(tournament=tournament)
        clock.minutes = start
        start_clock(tournament, number)
        for table in range(1, tables + 1) if number == 1 else range(1, tables // 2 + 1):
            clock.minutes = start + (55 if table == tables else 30 + table * 10 / tables)
            record_result(tournament, number, table, TWO_NIL, actor=tournament.owner)
    tournament.refresh_from_db()
    return tournament


def turnaround(tournament):
    tournament.refresh_from_db()
    return turnaround_of(tournament, progress_facts_of(tournament))


def test_round_3_waits_for_two_tables_by_deadline_extension_and_pace(clock):
    tournament = played(clock)
    clock.minutes = 100
    first = turnaround(tournament)
    assert (
        first.waits == "Round 3 waits for 2 tables, about 20 min."
    )  # until time at 13:55, and 5 more as before
    assert first.starts == "about 14:10" and (first.past, first.extended) == (0, 0)
    extend_table(tournament, 2, 4, 10)
    more = turnaround(tournament)
    assert more.waits == "Round 3 waits for 2 tables, about 30 min." and more.starts == "about 14:20"
    clock.minutes = 118
    assert (turnaround(tournament).past, turnaround(tournament).extended) == (1, 1)
    clock.minutes = 140  # longer than ever: nothing is claimed
    overdue = turnaround(tournament)
    assert (overdue.waits, overdue.starts, overdue.past) == ("Round 3 waits for 2 tables.", "", 2)
    for table in (3, 4):
        record_result(tournament, 2, table, TWO_NIL)
    assert (turnaround(tournament).waits, turnaround(tournament).starts) == ("", "about 14:30")
    assert span_words((NOON, NOON + dt.timedelta(minutes=7)), dt.UTC) == "12:00 to 12:07"


def test_the_desk_learns_with_the_last_result_when_the_next_round_starts(clock, client):
    tournament = played(clock)
    clock.minutes = 100
    client.force_login(tournament.owner)
    box = f"/t/{tournament.slug}/desk/rounds/2/box/"
    answers = [
        client.post(box, {"text": line, "key": uuid4().hex}, headers={"HX-Request": "true"}).content.decode()
        for line in ("3 20", "4 20")
    ]
    assert ["about 13:50" in answer for answer in answers] == [False, True]


def test_the_end_of_the_day_moves_with_the_turnaround_for_staff_and_for_everyone(clock, client):
    tournament = played(clock)
    clock.minutes = 100
    facts = progress_facts_of(tournament)
    plan = schedule_of(tournament, facts, turnaround(tournament))
    assert f"{plan.ends:%H:%M}" == "15:05" and plan.pause == 15 and "15 min between" in plan.words
    extend_table(tournament, 2, 4, 20)
    assert f"{schedule_of(tournament, facts, turnaround(tournament)).ends:%H:%M}" == "15:25"
    client.force_login(tournament.owner)
    for page in ("", "desk/"):
        assert "15:25" in client.get(f"/t/{tournament.slug}/{page}").content.decode(), page


def test_the_first_result_of_a_table_counts_until_it_is_cleared_or_undone(clock):
    tournament = TournamentFactory(entries=4, published=True)
    clock.minutes = 10
    record_result(tournament, 1, 1, TWO_NIL, actor="ana")
    clock.minutes = 20
    record_result(tournament, 1, 1, Slip("intentional_draw", 0, 0))
    record_result(tournament, 1, 2, TWO_NIL, actor="ana")
    tournament.refresh_from_db()
    times = log_times_of(tournament)
    assert times.times_of(1) == [NOON + dt.timedelta(minutes=10), NOON + dt.timedelta(minutes=20)]
    assert times.entered_by(1) == {"ana": 2}
    clear_result(tournament, 1, 1)
    tournament.refresh_from_db()
    undo_action(tournament, tournament.revision - 1)
    tournament.refresh_from_db()
    assert log_times_of(tournament).times_of(1) == []
    fresh = LogTimes()
    fresh.read_on(tournament)
    assert (fresh.entered, fresh.last) == (times.entered, times.last)  # read on is the same as read at once


def test_the_pictures_have_the_numbers_of_the_log(clock):
    tournament = played(clock)
    clock.minutes = 100
    now = turnaround(tournament)
    picture = tables_picture_of(now)
    assert picture.summary == "Round 2: 2 of 4 tables entered at 13:40."
    assert picture.head == ["Round 1", "Round 2"] and [line.kind for line in picture.lines] == [
        "before", "now", "expected",
    ]  # fmt: skip
    assert dict(picture.numbers)["13:30"] == ["0", "0"] and dict(picture.numbers)["13:40"] == ["2", "2"]
    assert [mark.label for mark in picture.marks] == ["time, 13:55"]
    lengths = lengths_picture_of(now)
    assert lengths.rows[0].numbers == ["50", "5", "4", "6", "–"] and lengths.rows[0].total == "65 min"
    open_ = lengths.rows[1]  # in play for 35 minutes; the first round needed 5 minutes after time
    assert (open_.label, open_.numbers, open_.total) == (
        "Round 2",
        ["35", "–", "–", "–", "20"],
        "about 55 min",
    )
    assert [bar.kind for bar in open_.bars] == ["playing", "expected"]


def test_a_file_without_its_log_makes_no_picture_and_no_claim():
    tournament = TournamentFactory(
        entries=8, rounds=2, published=True, recorded=True, rounds_planned=4, cut=0
    )
    now = turnaround(tournament)
    assert now.waits == "Round 4 waits for 4 tables." and now.starts == "" and now.lengths == []
    assert tables_picture_of(now) is None and lengths_picture_of(now) is None


def test_the_home_shows_the_round_what_waits_who_is_there_and_what_was_done(clock, client):
    tournament = played(clock)
    clock.minutes = 118
    extend_table(tournament, 2, 4, 10)
    drop_entry(tournament, "P0003")
    member = UserFactory(username="lena")
    Staff.objects.create(tournament=tournament, user=member, role="judge")
    client.force_login(tournament.owner)
    with mock.patch("django.contrib.sessions.backends.base.SessionBase.get_expiry_age", return_value=10**9):
        page = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    words = " ".join(page.split())
    assert "Round 2: 2 of 4 tables outstanding </h1>" in words and page.count("btn-primary") == 1
    assert "1 past time" in words and "1 with a time extension" in words
    assert (
        "Drop to check: Player 03" in words and "2 results this round" in words and "no change yet" in words
    )
    assert 'aria-label="Round 2: 2 of 4 tables entered at 13:58."' in words
    changes = page.split('id="changes"')[1]
    assert (
        changes.index("Player 03 dropped") < changes.index("10-minute time extension") < changes.index("2–0")
    )
    assert 'aria-label="Undo: Player 03 dropped"' in changes


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
    assert counts[:2] == counts[2:]
    assert counts[1] <= 12 and counts[0] <= 22  # the newest changes are put into words once


def test_the_desk_of_the_round_says_when_the_next_starts_renewed_every_minute(clock, client):
    tournament = played(clock)
    client.force_login(tournament.owner)
    clock.minutes = 100
    address = f"/t/{tournament.slug}/desk/rounds/2/"
    page = " ".join(client.get(address).content.decode().split())
    assert "Round 3 starts <b>about 14:10</b>" in page
    minute = int((NOON + dt.timedelta(minutes=100)).timestamp()) // 60
    assert client.get(f"{address}turnaround/?v={minute}").status_code == 204
    extend_table(tournament, 2, 4, 10)
    clock.minutes = 101
    assert "<b>about 14:20</b>" in client.get(f"{address}turnaround/?v={minute}").content.decode()
    assert "starts" not in client.get(f"/t/{tournament.slug}/desk/rounds/1/turnaround/").content.decode()


def test_a_judge_call_is_listed_before_the_next_round(clock, client):
    tournament = played(clock)
    clock.minutes = 100
    call_judge(tournament, tournament.seats.filter(round__number=2, match__result=None)[0].entry.code)
    clock.minutes = 104
    client.force_login(tournament.owner)
    page = " ".join(client.get(f"/t/{tournament.slug}/desk/").content.decode().split())
    assert re.search(r"Judge call at table [34]", page) and "open for 4 min" in page
    tournament.rounds.filter(number=2).update(state="complete")
    assert "Judge call at table" not in client.get(f"/t/{tournament.slug}/desk/").content.decode()


def test_the_open_home_follows_every_change_and_the_minutes(clock, client):
    tournament = TournamentFactory(entries=8, published=True, round_minutes=50)
    client.force_login(tournament.owner)
    now = f"/t/{tournament.slug}/desk/now/"
    page = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    mark = re.search(r'desk/now/" data-v="([^"]+)"', page)[1]
    assert client.get(now, {"v": mark}).status_code == 204
    record_result(tournament, 1, 1, TWO_NIL)
    part = client.get(now, {"v": mark}).content.decode()
    assert "Round 1: 3 of 4 tables outstanding" in " ".join(part.split()) and "<html" not in part
    assert (
        '<input type="text"' not in part and "<textarea" not in part
    )  # nothing that someone types in is swapped
    mark = re.search(r'desk/now/" data-v="([^"]+)"', part)[1]
    assert client.get(now, {"v": mark}).status_code == 204
    clock.minutes += 1
    assert client.get(now, {"v": mark}).status_code == 200
