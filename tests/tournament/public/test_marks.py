"""Marks: a browser that has a public part hears of every change that the part shows, and of whose event it is."""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import IntegrityError, transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import resolve
from django.utils import timezone

from standings.bracket.results import record_bracket_result
from tests.chance import SEED
from tests.conftest import THOROUGH, empty
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory
from tests.steps import complete_round
from tests.tournament.public.changes import Change, changes_of
from tests.tournament.public.shown import SHOWN, parts_showing
from tournament.models import Tournament
from tournament.public import responses
from tournament.services.clock import start_clock
from tournament.services.entries import add_entry
from tournament.services.event_settings import change_announcement
from tournament.services.events import delete_event, finish_tournament
from tournament.services.rounds import extend_table

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
    """What the view itself answers; empty where it is not there."""
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
