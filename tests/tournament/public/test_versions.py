"""The versions that phones poll are plain SQL: they say what the ORM says, on both databases."""

import datetime as dt
from ast import literal_eval
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from pairings.draft.services import draft_next_round
from tests.factories import TWO_NIL, TournamentFactory, enter_results
from tournament.models import Entry, Flag, Tournament
from tournament.public.versions import load_device_version, load_event_version, load_player_version
from tournament.results.shorthand import parse_slip
from tournament.services.event_settings import change_settings
from tournament.services.judging import answer_call, call_judge, settle_call
from tournament.services.reports import report_result
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.self_service import change_player_link, send_message

pytestmark = pytest.mark.django_db


def event_row(event: Tournament) -> tuple[Any, ...]:
    return event.pk, event.seed, event.lineage, event.public_revision


def is_over(event: Tournament) -> bool | None:
    until = event.announcement_until
    return until and until <= timezone.now()


def player_row(event: Tournament, entry: Entry) -> tuple[Any, ...]:
    newest = max((seat.match.version for seat in entry.seats.all()), default=None)
    return *event_row(event), newest, is_over(event)


def device_row(event: Tournament, entry: Entry) -> tuple[Any, ...]:
    seats = entry.seats.exclude(round__state="draft").order_by("-round__number")
    match = next((seat.match for seat in seats), None)
    slips = dict(match.reports.values_list("source", "slip")) if match else {}
    calls = Flag.objects.filter(kind="call", entry__seats__match=match) if match else Flag.objects.none()
    call = calls.order_by("done", "-number").values_list("number", "judge", "done").first()
    latest = (match.pk, match.version) if match else (None, None)
    reports = slips.get("a"), slips.get("b")
    return *event_row(event), entry.key_hash, *latest, *reports, *(call or (None,) * 3), is_over(event)


def announce(minutes: int) -> Callable[[Tournament], Any]:
    until = timezone.now() + dt.timedelta(minutes=minutes)
    return lambda event: Tournament.objects.filter(pk=event.pk).update(announcement_until=until)


STEPS: list[Callable[[Tournament], Any]] = [
    lambda event: None,
    lambda event: change_settings(event, reporting="on"),
    lambda event: report_result(event, "P0001", 1, parse_slip("21")),
    lambda event: report_result(
        event, event.entries.get(code="P0001").seats.get().opponent.code, 1, parse_slip("20")
    ),
    lambda event: call_judge(event, "P0001", "slow play"),
    lambda event: answer_call(event, 1, actor="judge"),
    lambda event: settle_call(event, 1),
    lambda event: call_judge(event, "P0001"),
    lambda event: settle_call(event, 2),
    lambda event: event.flags.filter(number=1).update(done=False),
    lambda event: send_message(event, "P0001", "We are late."),
    lambda event: change_player_link(event, "P0003", key_hash="0" * 64),
    announce(5),
    announce(-5),
    lambda event: record_result(event, 1, 1, TWO_NIL),
    lambda event: enter_results(event, 1),
    draft_next_round,
    lambda event: publish_round(event, 2),
]


def test_each_version_is_what_the_orm_reads_after_every_change():
    event, other = (TournamentFactory(entries=5, published=True) for _ in range(2))
    for step in STEPS:
        step(event)
        for each in (event, other):
            each.refresh_from_db()
            assert literal_eval(load_event_version(each.slug)) == (*event_row(each), is_over(each))
            for entry in each.entries.all():
                assert literal_eval(load_player_version(each.slug, entry.code)) == player_row(each, entry)
                assert literal_eval(load_device_version(each.slug, entry.code)) == device_row(each, entry)


def test_the_unknown_have_no_version():
    event = TournamentFactory(entries=2)
    assert load_event_version("nowhere") == load_player_version("nowhere", "P0001") == ""
    assert load_device_version("nowhere", "P0001") == load_device_version(event.slug, "P9999") == ""
    assert literal_eval(load_player_version(event.slug, "P9999")) == (*event_row(event), None, None)
