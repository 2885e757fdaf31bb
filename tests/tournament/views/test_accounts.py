"""Accounts: signing up, in and out; the demo events go."""

from contextlib import contextmanager

import pytest
from django.contrib.auth import get_user_model

from tests.factories import TournamentFactory, UserFactory
from tournament.models import Tournament
from tournament.services import event_deletion

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


def test_a_sign_up_sent_twice_at_once_makes_one_account_and_says_that_the_name_is_taken(client, monkeypatch):
    @contextmanager
    def late_turn(request):
        UserFactory(username="ada")
        yield

    monkeypatch.setattr("tournament.views.accounts.password_turn", late_turn)
    fields = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}
    answers = [client.post("/signup/", fields) for _ in "12"]
    assert [answer.status_code for answer in answers] == [422, 422]
    for answer in answers:
        assert "A user with that username already exists." in answer.content.decode()
    assert get_user_model().objects.count() == 1 and "_auth_user_id" not in client.session


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


def test_demo_events_removed_twice_at_once_are_removed_once(client, monkeypatch):
    owner = UserFactory()
    for name in ("Demo one", "Demo two"):
        TournamentFactory(entries=2, owner=owner, name=name)
    Tournament.objects.update(demo=True)
    delete = event_deletion._delete

    def delete_all(tournament):
        for each in Tournament.objects.all():
            delete(each)

    monkeypatch.setattr(event_deletion, "_delete", delete_all)
    client.force_login(owner)
    assert client.post("/demo/").status_code == 303
    assert "Removed: 1 demo events." in client.get("/").content.decode()
    assert not Tournament.objects.exists()
