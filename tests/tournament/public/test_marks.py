import datetime as dt
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import resolve
from django.utils import timezone

from pairings.draft.services import draft_next_round
from standings.bracket.results import record_bracket_result
from tests.chance import SEED
from tests.conftest import THOROUGH, empty
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tests.tournament.public.changes import Change, changes_of
from tests.tournament.public.shown import SHOWN, parts_showing
from tournament.models import Entry, Flag, Tournament
from tournament.public import responses
from tournament.public.versions import load_device_version, load_event_version, load_player_version
from tournament.results.shorthand import parse_slip
from tournament.services.clock import start_clock
from tournament.services.entries import add_entry
from tournament.services.event_settings import change_announcement, change_settings
from tournament.services.events import delete_event, finish_tournament
from tournament.services.judging import answer_call, call_judge, settle_call
from tournament.services.reports import report_result
from tournament.services.results import extend_table, record_result
from tournament.services.rounds import publish_round
from tournament.services.self_service import change_player_link, send_message

pytestmark = pytest.mark.django_db
MARK = re.compile(r'data-v="[^"]*"')
PRIZE = {"by": "place", "first": 1, "last": 1, "points": None, "label": "", "amount": "9", "what": "cup"}


def before_round_1() -> Tournament:
    tournament = TournamentFactory(entries=2, self_registration=True, capacity=8, name_privacy="alias")
    add_entry(tournament, {}, {"name": "Ada Ruiz", "last_name": "Ruiz", "alias": "Ace"})
    return tournament


def in_round_2() -> Tournament:
    tournament = TournamentFactory(entries=5, rounds=1, round_minutes=50)
    complete_round(tournament, 1)
    RoundFactory(tournament=tournament)
    start_clock(tournament, 2)
    extend_table(tournament, 2, 1, 3)
    change_announcement(tournament, "Lunch")
    return tournament


def over() -> Tournament:
    tournament = TournamentFactory(entries=4, rounds=1, with_cut=2, prizes=[PRIZE])
    record_bracket_result(tournament, 2, 1, TWO_NIL)
    finish_tournament(tournament)
    return tournament


def answer_of(tournament: Tournament, part: str) -> HttpResponse:
    """Return the view's own response; empty if there is none."""
    request, path = HttpRequest(), f"/t/{tournament.slug}/{part}"
    request.method, request.path = "GET", path
    view = resolve(path)
    try:
        return view.func(request, *view.args, **view.kwargs)
    except Http404:
        return HttpResponse(headers={"ETag": "none"})


def mark_of(tournament: Tournament, part: str, monkeypatch) -> str:
    """The mark that browsers have; nothing is rendered for it."""
    with monkeypatch.context() as patched:
        patched.setattr(responses, "render_to_string", lambda *about: "")
        answer = answer_of(tournament, part)
    return answer.get("ETag") or answer.part_version


def body_of(tournament: Tournament, part: str) -> str:
    empty()
    return MARK.sub("", answer_of(tournament, part).content.decode())


@contextmanager
def written(tournament: Tournament, *changes: Change) -> Iterator[None]:
    """The changes, taken back at the end; but for those that a constraint refuses."""
    with transaction.atomic():
        for change in changes:
            try:
                with transaction.atomic():
                    change.write(tournament)
            except IntegrityError:
                continue
        yield
        transaction.set_rollback(True)


@pytest.mark.long
@pytest.mark.any_value
@pytest.mark.parametrize("event", [before_round_1, in_round_2, over])
def test_the_mark_of_a_part_follows_all_it_shows(event, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    tournament = event()
    marks = {part: mark_of(tournament, part, monkeypatch) for part in SHOWN}
    bodies = {part: body_of(tournament, part) for part in SHOWN}
    others = defaultdict(list)  # what parts do not show, by these parts
    changes = list(changes_of(tournament))
    for change in changes if THOROUGH else changes[SEED % 3 :: 3]:
        listed = parts_showing(change.field)
        others[frozenset(SHOWN) - listed].append(change)
        with written(tournament, change):
            for part in listed:
                if mark_of(tournament, part, monkeypatch) == marks[part]:
                    assert body_of(tournament, part) == bodies[part], f"{part} shows {change.field}"
    forgotten = defaultdict(set)
    for parts, unlisted in others.items():
        with written(tournament, *unlisted):
            differ = [part for part in parts if body_of(tournament, part) != bodies[part]]
        for change in unlisted if differ else ():  # which of them?
            with written(tournament, change):
                for part in differ:
                    if body_of(tournament, part) != bodies[part]:
                        forgotten[part].add(change.field)
        assert not differ or forgotten.keys() >= {*differ}, f"{differ} shows one of {unlisted}"
    assert forgotten == {}, "shown, and not listed"


def remade(tournament: Tournament) -> Tournament:
    delete_event(tournament, tournament.name)
    return TournamentFactory(entries=4, published=True)


def restored(tournament: Tournament) -> Tournament:
    Tournament.objects.filter(pk=tournament.pk).update(lineage="1a2b3c4d")
    tournament.refresh_from_db()
    return tournament


@pytest.mark.parametrize("again", [remade, restored])
def test_an_event_that_is_there_again_under_its_address_or_number_has_marks_of_its_own(again, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    event = TournamentFactory(entries=4, published=True)
    before = {part: mark_of(event, part, monkeypatch) for part in SHOWN}
    event = again(event)
    same = {part for part in SHOWN if mark_of(event, part, monkeypatch) == before[part]}
    assert same == {"rounds/2/pairings/"}  # which is not there


def event_row(event: Tournament) -> tuple[Any, ...]:
    return event.pk, event.seed, event.lineage, event.public_revision


def is_over(event: Tournament) -> bool | None:
    until = event.announcement_until
    return until and until <= timezone.now()


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


def seated(event: Tournament, side: str) -> str:
    code: str = event.entries.get(seats__match__table=1, seats__side=side).code
    return code


STEPS: list[Callable[[Tournament], Any]] = [
    lambda event: None,
    lambda event: change_settings(event, reporting="on"),
    lambda event: report_result(event, seated(event, "a"), 1, parse_slip("21")),
    lambda event: report_result(event, seated(event, "b"), 1, parse_slip("20")),
    lambda event: call_judge(event, seated(event, "a"), "slow play"),
    lambda event: answer_call(event, 1, actor="judge"),
    lambda event: settle_call(event, 1),
    lambda event: call_judge(event, seated(event, "a")),
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
            assert load_event_version(each.slug) == (*event_row(each), is_over(each))
            for entry in each.entries.all():
                posted = entry.seats.exclude(round__state="draft")
                newest = max((seat.match.version for seat in posted), default=None)
                row = *event_row(each), newest, is_over(each)
                assert load_player_version(each.slug, entry.code) == row
                assert load_device_version(each.slug, entry.code) == device_row(each, entry)


def test_the_unknown_have_no_version():
    event = TournamentFactory(entries=2)
    assert load_event_version("nowhere") == load_player_version("nowhere", "P0001") == ()
    assert load_device_version("nowhere", "P0001") == load_device_version(event.slug, "P9999") == ()
    assert load_player_version(event.slug, "P9999") == (*event_row(event), None, None)
