"""Passwords are checked a few at a time: those who try many wait for their own, others get in."""

from contextlib import ExitStack

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher, PBKDF2PasswordHasher
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory

from tests.factories import UserFactory
from tournament.access import passwords, throttle
from tournament.access.passwords import OneAtATimeHasher, password_turn
from tournament.access.throttle import Limit, remember_device
from tournament.errors import Refused
from tournament.web import sessions

pytestmark = pytest.mark.django_db
BUSY = "Many people are signing in at once. Wait 10 seconds, then try again."
RIGHT = {"username": "ada", "password": "correct horse"}


def request_from(address, device=""):
    request = RequestFactory(REMOTE_ADDR=address).post("/login/")
    if device:
        answer = HttpResponse()
        remember_device(answer, device)
        request.COOKIES = {name: cookie.value for name, cookie in answer.cookies.items()}
    return request


@pytest.fixture
def crowd():
    """Two in line from each of these addresses, where there is room."""
    with ExitStack() as inside:

        def wait(*addresses):
            for address in addresses * 2:
                try:
                    inside.enter_context(password_turn(request_from(address), "nobody"))
                except Refused as refusal:
                    assert (refusal.status, str(refusal)) == (503, BUSY)

        yield wait


def sign_in(address="10.0.0.1", **sent):
    return Client(REMOTE_ADDR=address).post("/login/", {**RIGHT, **sent})


def test_those_who_try_many_wait_for_their_own(crowd):
    UserFactory(**RIGHT)
    crowd("10.0.0.9")
    busy = sign_in("10.0.0.9")
    assert (busy.status_code, busy["Retry-After"]) == (503, "10")
    assert BUSY in busy.content.decode()
    assert sign_in("10.0.0.1").status_code == 302
    new = {"username": "bea", "password1": "a good long one", "password2": "a good long one"}
    assert Client(REMOTE_ADDR="10.0.0.9").post("/signup/", new).status_code == 503
    assert Client(REMOTE_ADDR="10.0.0.1").post("/signup/", new).status_code == 303


def test_a_known_device_gets_in_even_through_a_crowd_of_its_own_network(crowd):
    UserFactory(**RIGHT)
    known = Client(REMOTE_ADDR="10.0.0.9")
    assert known.post("/login/", RIGHT).status_code == 302
    known.post("/logout/")
    crowd("10.0.0.9", "10.0.0.8")
    assert sign_in("10.0.0.1").status_code == 503
    assert known.post("/login/", RIGHT).status_code == 302
    assert not passwords._waiting["device of ada"]


def test_places_are_given_back(crowd):
    UserFactory(**RIGHT)
    for _ in range(5):
        assert sign_in(password="wrong").status_code == 422
    assert passwords._waiting == {}


def test_many_wrong_passwords_from_one_network_end_and_known_devices_stay(monkeypatch):
    monkeypatch.setattr(sessions, "WRONG_PASSWORDS", Limit("test", most=3, seconds=300))
    UserFactory(**RIGHT)
    known = Client()
    known.post("/login/", RIGHT)
    answers = [sign_in("127.0.0.1", username=f"u{n}", password="guess").status_code for n in range(4)]
    assert answers == [422, 422, 422, 429]
    spent = sign_in("127.0.0.1")
    assert spent.status_code == 429 and "wrong passwords came from this network" in spent.content.decode()
    assert Client().post("/admin/login/", RIGHT)["Location"] == "/login/?next=%2Fadmin%2F"
    assert sign_in("10.0.0.1").status_code == 302
    known.post("/logout/")
    assert known.post("/login/", RIGHT).status_code == 302


def test_right_passwords_count_for_nothing_and_a_hall_is_far_from_the_limit(monkeypatch):
    monkeypatch.setattr(sessions, "WRONG_PASSWORDS", Limit("test", most=3, seconds=300))
    UserFactory(**RIGHT)
    assert {sign_in().status_code for _ in range(6)} == {302}
    assert throttle.WRONG_PASSWORDS.most >= 30 and throttle.SIGN_UPS.most >= 30


def test_new_accounts_from_one_network_are_limited(monkeypatch):
    monkeypatch.setattr("tournament.views.accounts.SIGN_UPS", Limit("test", most=2, seconds=300))
    answers = [
        Client().post(
            "/signup/", {"username": f"u{n}", "password1": "a good long one", "password2": "a good long one"}
        )
        for n in range(3)
    ]
    assert [answer.status_code for answer in answers] == [303, 303, 429]
    assert "Too many accounts" in answers[-1].content.decode()


def test_passwords_are_hashed_as_django_does():
    hasher = OneAtATimeHasher()
    hasher.iterations = 1000
    kept = hasher.encode("correct horse", "salt")
    assert hasher.verify("correct horse", kept) and not hasher.verify("wrong", kept)
    assert kept == PBKDF2PasswordHasher().encode("correct horse", "salt", 1000)


@pytest.mark.django_db(transaction=True)
def test_no_one_who_writes_waits_for_a_hash(monkeypatch, client):
    ada = UserFactory(**RIGHT)
    client.force_login(ada)
    writing = []
    encode = MD5PasswordHasher.encode

    def note(*args):
        writing.append(connection.in_atomic_block)
        return encode(*args)

    monkeypatch.setattr(MD5PasswordHasher, "encode", note)
    sent = {
        "old_password": RIGHT["password"],
        "new_password1": "another good one",
        "new_password2": "another good one",
    }
    assert client.post("/account/", sent).status_code == 303
    assert sign_in(password="another good one").status_code == 302
    new = {"username": "bea", "password1": "a good long one", "password2": "a good long one"}
    assert Client().post("/signup/", new).status_code == 303
    assert len(writing) >= 4 and not any(writing)


def test_one_is_hashed_at_a_time(monkeypatch):
    held = []
    monkeypatch.setattr(
        PBKDF2PasswordHasher, "encode", lambda *args: held.append(passwords._hashing.locked())
    )
    OneAtATimeHasher().encode("correct horse", "salt")
    assert held == [True] and not passwords._hashing.locked()
