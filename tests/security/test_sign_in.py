import logging
import re

import pytest
from django.conf import settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import UserFactory
from tests.tournament.access.authenticator import CODE, RIGHT, ada, app_code, is_signed_in, wait
from tournament.access.throttle import WRONG_PASSWORDS_OF_ACCOUNT, Limit
from tournament.services.accounts import reset_link
from tournament.web.sessions import SessionStore

pytestmark = pytest.mark.django_db
__all__ = ["ada", "wait"]  # fixtures
NEW = {"username": "bea", "password1": "a good long one", "password2": "a good long one"}


@pytest.fixture
def planted(client):
    """The key of a session that somebody else has, and has put into this browser."""
    session = SessionStore()
    session["theirs"] = "something"
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return session.session_key


def holder_of(key):
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    return client


def sign_in_with_a_code(client, planted):
    client.post("/login/", RIGHT)
    half_way = client.session.session_key
    assert half_way != planted
    client.post(CODE, {"code": app_code()})
    assert half_way != client.session.session_key and not is_signed_in(holder_of(half_way))


@pytest.mark.parametrize("way", ["password", "code", "sign-up"])
def test_who_planted_a_session_is_not_signed_in_with_it(client, planted, way, request):
    if way == "sign-up":
        client.post("/signup/", NEW)
    elif way == "password":
        UserFactory(**RIGHT)
        client.post("/login/", RIGHT)
    else:
        request.getfixturevalue("ada")
        sign_in_with_a_code(client, planted)
    assert is_signed_in(client) and client.session.session_key != planted
    assert not is_signed_in(holder_of(planted)) and not Session.objects.filter(pk=planted).exists()


def test_a_made_up_key_is_no_session_and_another_account_finds_nothing_of_the_first(client):
    UserFactory(**RIGHT)
    client.cookies[settings.SESSION_COOKIE_NAME] = "a" * 32
    client.post("/login/", RIGHT)
    assert is_signed_in(client) and client.session.session_key != "a" * 32
    UserFactory(**RIGHT | {"username": "bea"})
    client.post("/login/", RIGHT)
    session = client.session
    session["mine"] = "something"
    session.save()
    client.post("/login/", RIGHT | {"username": "bea"})
    assert "mine" not in client.session and not is_signed_in(holder_of(session.session_key))


def test_signing_out_ends_the_session_on_the_server_and_another_form_token_begins(client):
    UserFactory(**RIGHT)
    client.get("/login/")
    tokens = [client.cookies[settings.CSRF_COOKIE_NAME].value]
    client.post("/login/", RIGHT)
    client.get("/account/")
    tokens.append(client.cookies[settings.CSRF_COOKIE_NAME].value)
    key = client.session.session_key
    assert tokens[0] != tokens[1] and is_signed_in(holder_of(key))
    client.post("/logout/")
    assert not is_signed_in(holder_of(key)) and not Session.objects.exists()


def test_each_sign_in_and_each_wrong_one_is_a_line_without_a_name(client, caplog):
    ada = UserFactory(**RIGHT)
    with caplog.at_level(logging.INFO, logger="tournament.accounts"):
        for sent in (RIGHT | {"password": "wrong"}, RIGHT | {"username": "zoe"}, {}, RIGHT):
            client.post("/login/", sent)
        client.post("/signup/", NEW)
    wrong = "a wrong name or password"
    ours = [record.getMessage() for record in caplog.records if record.name == "tournament.accounts"]
    bea = User.objects.get(username="bea")
    signed_in = f"account {ada.pk} signed in with a password"
    assert ours == [wrong, wrong, signed_in, f"account {bea.pk} signed up"]


@pytest.fixture
def hashed(monkeypatch):
    hashes = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(MD5PasswordHasher, "encode", lambda *args: hashes.append(1) or encode(*args))
    return hashes


def without_tokens(answer):
    return re.sub(r'"x-csrftoken": "\w+"|name="csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


@pytest.mark.parametrize("kind", ["active", "inactive", "two-step", "locked"])
def test_a_wrong_password_and_an_unknown_name_get_the_same_answer_for_the_same_work(kind, hashed, request):
    if kind == "two-step":
        request.getfixturevalue("ada")
    else:
        UserFactory(**RIGHT, is_active=kind != "inactive")
    answers = []
    for name in ("ada", "zoe"):
        for _try in range(WRONG_PASSWORDS_OF_ACCOUNT.most + 1 if kind == "locked" else 1):
            client = Client()
            del hashed[:]
            with CaptureQueriesContext(connection) as queries:
                answer = client.post("/login/", {"username": name, "password": "a wrong guess"})
        page = without_tokens(answer).replace(name, "…")
        answers.append((answer.status_code, page, len(queries), len(hashed), set(client.cookies)))
    assert answers[0] == answers[1]
    assert answers[0][0] == (429 if kind == "locked" else 422)
    assert ("Wait a few minutes" in answers[0][1]) == (kind == "locked")


def test_closed_accounts_and_links_for_a_new_password_do_not_tell_whose_they_are(client):
    UserFactory(**RIGHT, is_active=False)
    right, wrong = (Client().post("/login/", sent) for sent in (RIGHT, RIGHT | {"password": "wrong"}))
    assert right.status_code == wrong.status_code == 422
    assert without_tokens(right) == without_tokens(wrong)
    link = reset_link(UserFactory()).removeprefix(settings.SITE_URL)
    wrong, unknown = link[:-2] + "x/", re.sub("/password/[^/]+/", "/password/zzzz/", link)
    pages = [without_tokens(client.get(address)) for address in (wrong, unknown)]
    assert pages[0].replace(wrong, unknown) == pages[1]


def test_names_cannot_be_tried_out_by_signing_up(monkeypatch):
    monkeypatch.setattr("tournament.web.account_adapter.SIGN_UPS", Limit("test", most=3, seconds=300))
    UserFactory(username="bea")
    taken = [Client().post("/signup/", NEW | {"password2": "another"}) for _guess in range(5)]
    assert [answer.status_code for answer in taken] == [422, 422, 422, 429, 429]
    assert "already exists" not in taken[-1].content.decode()
