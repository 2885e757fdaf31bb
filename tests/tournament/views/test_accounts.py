from contextlib import contextmanager

import pytest
from django.contrib.auth.models import User

from tests.factories import TournamentFactory, UserFactory
from tests.pages import Page, page
from tournament.models import Tournament
from tournament.services import events

pytestmark = pytest.mark.django_db
ADA = {"username": "ada", "password1": "correct horse", "password2": "correct horse"}


@pytest.mark.parametrize(("wanted", "lands"), [("/new/", "/new/"), ("https://evil.example/", "/")])
def test_signing_up_signs_in_and_goes_where_one_wanted_on_this_site(client, wanted, lands):
    answer = client.post(f"/signup/?next={wanted}", ADA)
    assert (answer.status_code, answer["Location"]) == (302, lands)
    assert client.get("/new/").status_code == 200


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"username": "ada", "password1": "short", "password2": "short"},
        ADA | {"password2": "battery staple"},
        ADA | {"username": "a\x00a"},
        ADA | {"username": "x" * 999},
    ],
)
def test_a_bad_sign_up_is_refused(client, fields):
    assert client.post("/signup/", fields).status_code == 422


def test_a_sign_up_sent_twice_at_once_makes_one_account_and_says_that_the_name_is_taken(client, monkeypatch):
    @contextmanager
    def late_turn(request):
        UserFactory(username="ada")
        yield

    monkeypatch.setattr("tournament.web.account_adapter.password_turn", late_turn)
    for _ in range(2):
        answer = client.post("/signup/", ADA)
        assert answer.status_code == 422
        assert "A user with that username already exists." in Page(answer)
    assert User.objects.count() == 1 and "_auth_user_id" not in client.session


def test_signing_in_and_out(client):
    UserFactory(username="ada", password="correct horse")
    assert client.post("/login/", {"username": "ada", "password": "wrong"}).status_code == 422
    answer = client.post("/login/", {"username": "ada", "password": "correct horse", "next": "/new/"})
    assert (answer.status_code, answer["Location"]) == (302, "/new/")
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").status_code == 302
    assert client.get("/new/")["Location"] == "/login/?next=%2Fnew%2F"


def test_demo_events_go_with_one_button_and_others_stay(client, monkeypatch):
    owner = UserFactory()
    for name in ("Demo one", "Demo two"):
        TournamentFactory(entries=2, owner=owner, name=name)
    Tournament.objects.update(demo=True)
    TournamentFactory(entries=2, owner=owner, name="Real")
    assert client.post("/demo/").status_code == 302
    client.force_login(UserFactory())
    assert client.post("/demo/").status_code == 403
    client.force_login(owner)
    assert "Demo one" in page(client, page(client, "/").link("Remove demo events"))
    delete = events._delete

    def delete_all(tournament):  # as a second press at the same moment does
        for each in Tournament.objects.filter(demo=True):
            delete(each)

    monkeypatch.setattr(events, "_delete", delete_all)
    home = Page(client.post("/demo/", follow=True))
    assert "Removed: 1 demo events." in home and "Remove demo events" not in home
    assert list(Tournament.objects.values_list("name", flat=True)) == ["Real"]
