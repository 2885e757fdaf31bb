"""Accounts: signing up, in and out; the demo events go."""

import pytest

from tests.factories import TournamentFactory, UserFactory
from tournament.models import Tournament

pytestmark = pytest.mark.django_db


def test_signing_up_signs_in_and_goes_where_one_wanted(client):
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    answer = client.post("/signup/?next=/new/", fields)
    assert (answer.status_code, answer["Location"]) == (303, "/new/")
    assert client.get("/new/").status_code == 200


def test_signing_up_never_leads_to_another_site(client):
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    assert client.post("/signup/?next=https://evil.example/", fields)["Location"] == "/"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"username": "ada", "password1": "short", "password2": "short"},
        {"username": "ada", "password1": "correct horse", "password2": "battery staple"},
        {"username": "a\x00a", "password1": "correct horse", "password2": "correct horse"},
        {"username": "x" * 999, "password1": "correct horse", "password2": "correct horse"},
    ],
)
def test_a_bad_sign_up_is_refused(client, fields):
    assert client.post("/signup/", fields).status_code == 422


def test_signing_in_and_out(client):
    UserFactory(username="ada", password="correct horse")
    assert client.post("/login/", {"username": "ada", "password": "wrong"}).status_code == 422
    answer = client.post("/login/", {"username": "ada", "password": "correct horse", "next": "/new/"})
    assert (answer.status_code, answer["Location"]) == (302, "/new/")
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").status_code == 302
    assert client.get("/new/")["Location"] == "/login/?next=%2Fnew%2F"


def test_after_five_wrong_passwords_the_door_is_shut(client, settings):
    settings.AXES_ENABLED = True
    UserFactory(username="ada", password="correct horse")
    answers = [client.post("/login/", {"username": "ada", "password": "wrong"}).status_code for _ in range(6)]
    assert answers[-1] == 429
    assert client.post("/login/", {"username": "ada", "password": "correct horse"}).status_code == 429


def test_demo_events_go_with_one_button_and_others_stay(client):
    owner = UserFactory()
    TournamentFactory(entries=2, owner=owner, name="Demo one")
    Tournament.objects.update(demo=True)
    TournamentFactory(entries=2, owner=owner, name="Real")
    assert client.post("/demo/").status_code == 302
    client.force_login(UserFactory())
    assert client.post("/demo/").status_code == 403
    client.force_login(owner)
    assert "Remove demo events" in client.get("/").content.decode()
    assert "Demo one" in client.get("/demo/").content.decode()
    client.post("/demo/")
    assert list(Tournament.objects.values_list("name", flat=True)) == ["Real"]
    assert "Remove demo events" not in client.get("/").content.decode()
