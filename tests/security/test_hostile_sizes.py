import gzip
import io
import time
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import TournamentFactory, UserFactory
from tests.security.sent import forms_on
from tournament.services.event_settings import change_registration

pytestmark = pytest.mark.django_db
DEEP = 100_000  # more than Python's reader of JSON goes down


def zipped(content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", content)
    return file.getvalue()


NOTHING = b"\0" * 40_000_000
FILES = {
    "lists in lists": b"[" * DEEP,
    "objects in objects": b'{"a":' * DEEP,
    "closed lists in lists": b"[" * DEEP + b"]" * DEEP,
    "a deep value": b'{"match_points":' + b"[" * 900 + b"]" * 900 + b"}",
    "a long number": b'{"match_points": {"win": 1' + b"0" * 9000 + b"}}",
    "a large number": b'{"match_points": {"win": 1e999999999}}',
    "a number for an object": b'{"match_points": 3}',
    "a gzip bomb": gzip.compress(NOTHING),
    "a zip bomb": zipped(NOTHING),
}
PILE = "a" + "\u0301" * 30_000 + "\u0323" * 30_000  # putting these marks in order takes ten seconds
LISTS = {"many columns": b"," * 1_900_000, "many lines": b"a,\n" * 600_000}


@pytest.fixture
def event(client):
    tournament = TournamentFactory(entries=2)
    client.force_login(tournament.owner)
    return tournament


@pytest.mark.parametrize("name", FILES)
def test_a_ruleset_from_a_file_that_is_no_ruleset_is_refused(client, name):
    client.force_login(UserFactory())
    sent = {"file": SimpleUploadedFile("r.json", FILES[name]), "name": "Bomb"}
    assert client.post("/rulesets/import/", sent).status_code == 422


@pytest.mark.parametrize("name", [*FILES, *LISTS])
def test_a_list_of_players_that_is_none_is_refused(client, event, name):
    file = SimpleUploadedFile("list.csv", (FILES | LISTS)[name])
    assert client.post(f"/t/{event.slug}/desk/players/file/", {"file": file}).status_code == 422
    assert event.entries.count() == 2


@pytest.mark.parametrize("page", ["settings/place/", "print/"])
@pytest.mark.parametrize(
    "seen",
    ["[" * 19_000, '{"a":' * 3_000, '"', "[1]", '{"b": ' + "9" * 5_000 + "}"],
    ids=lambda seen: seen[:5],
)
def test_hidden_json_of_a_form_that_is_none_is_refused(client, event, seen, page):
    address = f"/t/{event.slug}/desk/{page}"
    form = next(form for form in forms_on(client.get(address)) if "seen" in form.fields)
    answer = client.post(address, form.fields | {"seen": seen, "venue": "Elsewhere"})
    assert answer.status_code == 422
    event.refresh_from_db()
    assert event.venue == ""


@pytest.mark.parametrize("page", ["settings/place/", "print/"])
def test_hidden_json_with_half_a_character_comes_back_as_it_was_sent(client, event, page):
    address, sent = f"/t/{event.slug}/desk/{page}", {"seen": r'{"a": "\ud800"}', "key": "half"}
    answer = client.post(address, sent | {"venue": "x" * 500, "screen_seconds": "0"})
    assert answer.status_code == 422
    assert any(form.fields.get("seen") == [sent["seen"]] for form in forms_on(answer))


@pytest.mark.parametrize(
    ("body", "kind", "packing"),
    [
        (
            gzip.compress(b"text=Lunch", mtime=0),
            "application/x-www-form-urlencoded",
            {"Content-Encoding": "gzip"},
        ),
        (b'{"text": "Lunch"}', "application/json", {}),
    ],
    ids=["gzip", "json"],
)
def test_a_body_is_neither_unpacked_nor_read_as_json(client, event, body, kind, packing):
    client.post(f"/t/{event.slug}/desk/announcement/", body, content_type=kind, headers=packing)
    event.refresh_from_db()
    assert event.announcement == ""


@pytest.fixture
def at_once():
    begun = time.process_time()
    yield
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "address", ["/", "/rulesets/", "/t/{slug}/players/", "/t/{slug}/desk/players/check-in/"]
)
def test_a_search_for_a_pile_of_marks_is_answered(client, event, at_once, address):
    assert client.get(address.format(slug=event.slug), {"q": PILE}).status_code == 200


def test_a_pile_of_marks_registers_no_one_and_is_cut_in_a_list(client, event, at_once):
    change_registration(event, self_registration=True)
    answer = client.post(f"/t/{event.slug}/register/", {"name": PILE, "privacy": "on"})
    assert answer.status_code == 422 and event.entries.count() == 2
    client.post(f"/t/{event.slug}/desk/players/", {"names": PILE, "key": "pile"})
    file = SimpleUploadedFile("list.csv", f"{PILE}\nAda".encode())
    client.post(f"/t/{event.slug}/desk/players/file/", {"file": file})
    assert all(len(name) < 80 for name in event.entries.values_list("name", flat=True))
