"""A second press of a button whose first press leaves nothing to press: answered as the first, and done once."""

from copy import deepcopy
from urllib.parse import urlsplit

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from tests.factories import TournamentFactory, UserFactory
from tests.pages import page
from tests.tournament.views.phones import text
from tournament.models import Tournament
from tournament.services.accounts import reset_link

pytestmark = pytest.mark.django_db

OLD, NEW = "a good long password", "correct horse battery"
NEW_TWICE = {"password1": NEW, "password2": NEW}


@pytest.fixture
def ada():
    return UserFactory(username="ada", password=OLD)


def press_thrice(client, address, **fields):
    """What the next page says after a double click on the form with all that its page hides.

    A third press, after the answer, is known by the form's key, where it has one.
    """
    form = page(client, address).forms
    hidden = next(each for each in form if each.action == address and each.method == "post").fields
    fields = {**hidden, **fields}
    before = Client()
    before.cookies = deepcopy(client.cookies)  # of a double click: sent before the first answer came
    answers = [
        each.post(address, fields) for each in (client, before, *([client] if "key" in fields else []))
    ]
    assert {answer.status_code for answer in answers} <= {302, 303}, [text(answer) for answer in answers]
    assert len({answer["Location"] for answer in answers}) == 1
    both = zip((client, before), answers[:2], strict=True)
    return [page(each, answer["Location"]) for each, answer in both]


def test_signing_up_makes_one_account_and_signs_in(client):
    fields = {"username": "ada", "password1": NEW, "password2": NEW}
    assert all("Sign out" in shown for shown in press_thrice(client, "/signup/", **fields))
    assert get_user_model().objects.count() == 1
    stranger = Client().post("/signup/", {**fields, "password1": OLD, "password2": OLD})
    assert stranger.status_code == 422 and "already exists" in text(stranger)


@pytest.mark.parametrize(
    ("address", "fields", "said"),
    [
        ("/account/password/", {"oldpassword": OLD, **NEW_TWICE}, "Password successfully changed."),
        ("/demo/", {}, "Removed: 1 demo events."),
        ("/t/friday-night/desk/delete/", {"name": "Friday night"}, "Friday night is deleted."),
    ],
)
def test_what_is_done_says_so_twice(client, ada, address, fields, said):
    if "account" not in address:
        TournamentFactory(entries=0, owner=ada, demo="demo" in address)
    client.force_login(ada)
    other = {name: value.upper() for name, value in fields.items()}
    if other:
        assert client.post(address, other).status_code == 422
    first, second = press_thrice(client, address, **fields)
    assert said in first and said in second
    assert not Tournament.objects.exists()
    if other:
        again = client.post(address, other)
        assert said not in text(again) and again.status_code != 303, "another form is another"


def test_an_account_that_is_deleted_says_so_twice(client, ada):
    client.force_login(ada)
    client.post("/account/confirm/", {"password": OLD})
    assert all("Your account is deleted." in shown for shown in press_thrice(client, "/account/delete/"))


def test_a_reset_link_sets_the_password_once(client, ada):
    address = client.get(urlsplit(reset_link(ada)).path)["Location"]
    said = "Password successfully changed."
    assert all(said in shown for shown in press_thrice(client, address, **NEW_TWICE))
    late = client.post(address, {"password1": OLD, "password2": OLD})
    assert late.status_code == 410
    ada.refresh_from_db()
    assert ada.check_password(NEW)
    assert reverse("account_login") in client.get("/account/")["Location"]
