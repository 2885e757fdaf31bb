"""Files and values that are small to send and large to read are refused, in words."""

import gzip
import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import TournamentFactory, UserFactory
from tests.security.forms_on_pages import forms_on

pytestmark = pytest.mark.django_db
DEEP = 100_000  # more than Python's reader of JSON goes down
NESTED = [
    b"[" * DEEP,
    b'{"a":' * DEEP,
    b"[" * DEEP + b"]" * DEEP,
    b'{"match_points":' + b"[" * 900 + b"]" * 900 + b"}",
]
NUMBERS = [b'{"match_points": {"win": 1' + b"0" * 9000 + b"}}", b'{"match_points": {"win": 1e999999999}}']
LONG = [b"," * 1_900_000, b"a,\n" * 600_000]


def bomb(kind):
    """40 MB of nothing in 40 kB."""
    content = b"\0" * 40_000_000
    if kind == "gzip":
        return gzip.compress(content)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", content)
    return file.getvalue()


@pytest.fixture
def event(client):
    """An event whose organizer is signed in."""
    tournament = TournamentFactory(entries=2)
    client.force_login(tournament.owner)
    return tournament


@pytest.mark.parametrize(
    "content", [*NESTED, *NUMBERS, bomb("gzip"), bomb("zip")], ids=lambda content: content[:9]
)
def test_a_ruleset_from_a_file_that_is_no_ruleset_is_refused(client, content):
    client.force_login(UserFactory())
    sent = {"file": SimpleUploadedFile("r.json", content), "name": "Bomb", "publisher_name": "Bombs"}
    answer = client.post("/rulesets/import/", sent)
    assert answer.status_code == 422, answer.status_code


@pytest.mark.parametrize(
    "content", [*NESTED, bomb("gzip"), bomb("zip"), *LONG], ids=lambda content: content[:9]
)
def test_a_list_of_players_that_is_none_is_refused(client, event, content):
    address = f"/t/{event.slug}/desk/import/"
    answer = client.post(address, {"file": SimpleUploadedFile("list.csv", content)})
    assert answer.status_code == 422, answer.content.decode()
    assert event.entries.count() == 2


@pytest.mark.parametrize("seen", ["[" * 19_000, '{"a":' * 3_000, '"', "[1]"], ids=lambda seen: seen[:5])
def test_hidden_json_of_a_form_that_is_none_is_refused(client, event, seen):
    address = f"/t/{event.slug}/desk/settings/"
    form = next(form for form in forms_on(client.get(address), address) if "seen" in form.fields)
    answer = client.post(address, form.fields | {"seen": seen, "venue": "Elsewhere"})
    assert answer.status_code == 422
    event.refresh_from_db()
    assert event.venue == ""


def test_a_body_that_says_it_is_packed_is_not_unpacked(client, event):
    address = f"/t/{event.slug}/desk/announcement/"
    packed = gzip.compress(b"text=Lunch")
    kind = "application/x-www-form-urlencoded"
    client.post(address, packed, content_type=kind, headers={"Content-Encoding": "gzip"})
    event.refresh_from_db()
    assert event.announcement == ""


def test_a_form_is_no_json(client, event):
    client.post(
        f"/t/{event.slug}/desk/announcement/", json.dumps({"text": "Lunch"}), content_type="application/json"
    )
    event.refresh_from_db()
    assert event.announcement == ""
