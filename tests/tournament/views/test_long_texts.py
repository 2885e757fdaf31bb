"""Texts that grow as they are cleaned: Unicode writes some letters as two. What is stored fits, on every database."""

from uuid import uuid4

import pytest
from django.db import models, transaction
from django.http import HttpResponse

from tests.factories import TournamentFactory, UserFactory
from tests.tournament.views.phones import known
from tests.tournament.views.test_events import sent
from tournament.archive import parse_event
from tournament.archive.format import json_from
from tournament.archive.load import dump_event
from tournament.errors import Refused
from tournament.models import Entry, Extension, Flag, Penalty, Tournament
from tournament.services.entries import add_entry, change_entry, change_personal_fields
from tournament.text import clean_name

GROWING = "\ufb1d"  # composed: two letters
TEAM = {"members": [GROWING * 80, "Bo"], "captain": "1"}
PRIZE = {"prizes-TOTAL_FORMS": 1, "prizes-INITIAL_FORMS": 0, "prize_split": "order", "seen": "{}"}
PRIZE |= {"prizes-0-by": "label", "prizes-0-first": 1, "prizes-0-last": 1, "prizes-0-amount": "9"}
# Where people type texts that are cleaned: the page, and a body with the longest that the box takes.
DOORS = [
    ("register/", {"name": GROWING * 80}),
    ("register/", {"name": "Ada", "last_name": GROWING * 80}),
    ("register/", {"name": "Ada", "external_id": GROWING * 60}),
    ("register/", {"name": "Ada", "contact": GROWING * 120}),
    ("me/P0001/flag/", {"text": GROWING * 300}),
    ("desk/players/", {"names": GROWING * 80}),
    ("desk/players/add/", {"name": GROWING * 80}),
    ("desk/players/add/", {"name": "Ada", "labels": GROWING * 60}),
    ("desk/players/P0001/name/", {"name": GROWING * 80}),
    ("desk/players/P0001/person/", {"alias": GROWING * 80, "contact": GROWING * 120}),
    ("desk/players/P0001/person/", {"notes": GROWING * 2000}),
    ("desk/players/P0001/team/", TEAM),
    ("desk/players/P0001/pairing/", {"awarded_byes": 0, "rating_source": GROWING * 40}),
    ("desk/players/P0001/disqualify/", {"why": GROWING * 500}),
    ("desk/penalties/new/", {"code": "P0001", "kind": "warning", "infraction": GROWING * 200}),
    ("desk/penalties/new/", {"code": "P0001", "kind": "warning", "infraction": "x", "judge": GROWING * 150}),
    (
        "desk/penalties/new/",
        {"code": "P0001", "kind": "caution", "infraction": "x", "description": GROWING * 500},
    ),
    ("desk/announcement/", {"text": GROWING * 200}),
    ("desk/settings/place/", {"name": GROWING * 120}),
    ("desk/settings/place/", {"name": "Friday", "venue": GROWING * 200}),
    ("desk/settings/prizes/", {**PRIZE, "prizes-0-label": GROWING * 40}),
    ("desk/settings/prizes/", {**PRIZE, "prizes-0-label": "x", "prizes-0-what": GROWING * 80}),
    ("desk/rounds/1/box/", {"text": f"1 +5 {GROWING * 290}"}),
    ("desk/rounds/1/tables/1/extension/", {"minutes": 5, "why": GROWING * 200}),
    ("desk/pair/", {"house": "new", "name": GROWING * 80}),
]


COLUMNS = [
    (model, field)
    for model in (Entry, Extension, Flag, Penalty, Tournament)
    for field in model._meta.concrete_fields
    if isinstance(field, models.CharField | models.TextField) or field.name in ("members", "labels", "prizes")
]


def stored_texts() -> list[tuple[models.Field, str]]:
    return [
        (field, value)
        for model, field in COLUMNS
        for value in model._default_manager.values_list(field.name, flat=True)
    ]


def overlong_texts() -> list[str]:
    """Columns with texts longer than they allow, as SQLite lets them be."""
    return [
        str(field)
        for field, text in stored_texts()
        if isinstance(text, str) and field.max_length and len(text) > field.max_length
    ]


@pytest.mark.long
def test_a_text_that_grows_is_cut_or_refused_and_the_event_can_be_loaded_again(client):
    owner = UserFactory()
    client.force_login(owner)
    events = {
        "": TournamentFactory(owner=owner, entries=5, self_registration=True),
        "rounds": TournamentFactory(owner=owner, entries=4, published=True),
        "team": TournamentFactory(owner=owner, entries=4, team=True),
        "pair": TournamentFactory(owner=owner, entries=5, ruleset="twixt"),  # which has house opponents
    }
    known(client, events[""], "P0001")
    for end, body in DOORS:
        tournament = next(events[word] for word in reversed(events) if word in end)
        with transaction.atomic():
            assert post(client, tournament, end, body, "z").status_code in (200, 302, 303), (end, body)
            assert any("zzzzz" in str(text) for _field, text in stored_texts()), (end, body)  # it is the door
            transaction.set_rollback(True)
        with transaction.atomic():
            assert post(client, tournament, end, body, GROWING).status_code < 500, (end, body)
            assert overlong_texts() == [], (end, body)
            event = Tournament.objects.get(pk=tournament.pk)
            assert parse_event(json_from(dump_event(event).encode(), end)).slug == tournament.slug
            transaction.set_rollback(True)
        tournament.refresh_from_db()


def post(client, tournament: Tournament, end: str, body: dict, text: str) -> HttpResponse:
    """Send the body with `text` in the place of each letter that grows."""

    def replaced(value):
        if isinstance(value, list):
            return [replaced(each) for each in value]
        return value.replace(GROWING, text) if isinstance(value, str) else value

    hidden = {"key": uuid4().hex, "player_key": "0" * 32}
    hidden |= sent(tournament) if "settings" in end else {}
    words = {name: replaced(value) for name, value in body.items()}
    return client.post(f"/t/{tournament.slug}/{end}", {**hidden, **words})


def test_what_a_form_lets_through_is_refused_where_it_is_written():
    tournament = TournamentFactory(entries=1)
    with pytest.raises(Refused, match="Membership number can have at most 60 characters"):
        add_entry(tournament, {}, {"name": "Ada", "external_id": clean_name(GROWING * 60)})
    with pytest.raises(Refused, match="Rating source can have at most 40 characters"):
        change_entry(tournament, "P0001", rating_source="x" * 41)
    with pytest.raises(Refused, match="Contact can have at most 120 characters"):
        change_personal_fields(tournament, "P0001", contact="x" * 121)
    assert overlong_texts() == []
