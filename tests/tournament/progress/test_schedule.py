"""The end an event promises: rounds, minutes, the bracket, and a stated pause between rounds."""

import datetime as dt

import pytest

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tournament.models import Round
from tournament.progress.facts import progress_facts_of
from tournament.progress.schedule import PAUSE, bracket_rounds, planned_end, round_up, schedule_of
from tournament.services.entries import add_entries
from tournament.services.events import finish_tournament
from tournament.services.stages import add_stage

START = dt.datetime(2026, 11, 27, 18, 0, tzinfo=dt.UTC)


def test_rounds_and_the_pauses_between_them_make_the_end():
    assert planned_end(START, 5, 50) == START + dt.timedelta(minutes=5 * 50 + 4 * PAUSE)
    assert planned_end(START, 1, 50) == START + dt.timedelta(minutes=50)


def test_a_bracket_has_as_many_rounds_as_halve_it_to_one():
    assert [bracket_rounds(size) for size in (0, 1, 2, 3, 4, 5, 8, 9, 64)] == [0, 0, 1, 2, 2, 3, 3, 4, 6]


def test_a_promise_is_rounded_up_to_five_minutes():
    assert round_up(START) == START
    assert round_up(START + dt.timedelta(seconds=1)) == START + dt.timedelta(minutes=5)
    assert round_up(START + dt.timedelta(minutes=59)) == START + dt.timedelta(minutes=60)


@pytest.mark.django_db
def test_the_desk_and_the_public_page_promise_the_same_end(client):
    tournament = TournamentFactory(
        entries=24, ruleset="mtr", round_minutes=50, starts_at=START.isoformat(), time_zone="Europe/Berlin"
    )
    client.force_login(tournament.owner)
    for address in ("", "desk/", "desk/settings/"):
        text = client.get(f"/t/{tournament.slug}/{address}").content.decode()
        assert "about 02:50 on 28 Nov" in text, address  # 8 rounds of 50 minutes and 7 pauses from 19:00
        assert "5 Swiss rounds" in text and "and 3 of the bracket" in text and "10 min between" in text


@pytest.mark.django_db
def test_a_running_event_counts_from_the_round_that_was_published_last():
    tournament = TournamentFactory(
        entries=8, rounds_planned=3, cut=0, round_minutes=40, starts_at=START.isoformat()
    )
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    RoundFactory(tournament=tournament)
    late = START + dt.timedelta(hours=2)
    Round.objects.filter(number=2).update(published_at=late)
    plan = schedule_of(tournament, progress_facts_of(tournament))
    assert plan is not None and plan.ends == late + dt.timedelta(minutes=2 * 40 + PAUSE)


@pytest.mark.django_db
def test_a_further_session_promises_nothing_before_its_first_round():
    tournament = TournamentFactory(
        entries=4, rounds_planned=1, cut=0, round_minutes=40, starts_at=START.isoformat()
    )
    enter_results(tournament, RoundFactory(tournament=tournament).number)
    add_stage(tournament, minutes=30)
    assert schedule_of(tournament, progress_facts_of(tournament)) is None
    add_entries(tournament, ["Ann", "Ben"])
    number = RoundFactory(tournament=tournament).number
    Round.objects.filter(number=number).update(published_at=START)
    plan = schedule_of(tournament, progress_facts_of(tournament))
    assert plan is not None and (plan.minutes, plan.ends) == (30, START + dt.timedelta(minutes=30))


@pytest.mark.django_db
def test_without_minutes_or_after_the_end_nothing_is_promised():
    silent = TournamentFactory(entries=4, starts_at=START.isoformat())
    assert schedule_of(silent, progress_facts_of(silent)) is None
    over = TournamentFactory(entries=4, rounds=2, round_minutes=40)
    finish_tournament(over)
    assert schedule_of(over, progress_facts_of(over)) is None
