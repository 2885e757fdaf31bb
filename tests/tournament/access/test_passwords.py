from contextlib import ExitStack
from copy import copy

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher, PBKDF2PasswordHasher
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory

from tests.factories import UserFactory
from tournament.access import passwords, throttle
from tournament.access.passwords import OneAtATimeHasher, password_turn
from tournament.access.throttle import Limit
from tournament.errors import Refused
from tournament.web import sessions

pytestmark = pytest.mark.django_db
BUSY = "Many people are signing in at once. Wait 10 seconds, then try again."
RIGHT = {"username": "ada", "password": "correct horse"}
CHANGED = {"password1": "another good one", "password2": "another good one"}
NEW = {"username": "bea", "password1": "a good long one", "password2": "a good long one"}


@pytest.fixture
def crowd():
    """Two in line from each of these addresses, where there is room."""
    with ExitStack() as inside:

        def wait(*addresses):
            for address in addresses * 2:
                try:
                    request = RequestFactory(REMOTE_ADDR=address).post("/login/")
                    inside.enter_context(password_turn(request, "nobody"))
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
    assert Client(REMOTE_ADDR="10.0.0.9").post("/signup/", NEW).status_code == 503
    assert Client(REMOTE_ADDR="10.0.0.1").post("/signup/", NEW).status_code == 302


def test_a_known_device_gets_in_even_through_a_crowd_of_its_own_network(crowd):
    UserFactory(**RIGHT)
    known = Client(REMOTE_ADDR="10.0.0.9")
    assert known.post("/login/", RIGHT).status_code == 302
    known.post("/logout/")
    crowd("10.0.0.9", "10.0.0.8")
    assert sign_in("10.0.0.1").status_code == 503
    assert known.post("/login/", RIGHT).status_code == 302
    assert not passwords._waiting["device of ada"], "the place is given back"


def test_many_wrong_passwords_from_one_network_end_and_known_devices_stay(monkeypatch):
    assert throttle.WRONG_PASSWORDS.most >= 30 <= throttle.SIGN_UPS.most, "a hall is far from them"
    monkeypatch.setattr(sessions, "WRONG_PASSWORDS", Limit("test", most=3, seconds=300))
    UserFactory(**RIGHT)
    assert {sign_in().status_code for _ in range(6)} == {302}, "right passwords do not count"
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


@pytest.fixture
def known():
    """A device that signed in to ada's account before, where others guess at her password."""
    UserFactory(**RIGHT)
    device = Client()
    device.post("/login/", RIGHT)
    device.post("/logout/")
    guesses = [sign_in("127.0.0.1", password="guess").status_code for _ in range(6)]
    assert guesses[-1] == sign_in("127.0.0.1").status_code == 429
    return device


def test_a_known_device_has_twenty_guesses_of_its_own(known):
    wrong = RIGHT | {"password": "guess"}
    other = Client()
    other.cookies = copy(known.cookies)
    answers = [device.post("/login/", wrong).status_code for device in [known] * 19 + [other] * 2]
    assert answers == [422] * 20 + [429]
    assert known.post("/login/", RIGHT).status_code == other.post("/login/", RIGHT).status_code == 429


def test_a_known_device_gets_past_the_guesses_of_others_and_ends_their_lock(known):
    assert known.post("/login/", RIGHT | {"password": "guess"}).status_code == 422
    assert known.post("/login/", RIGHT).status_code == sign_in("127.0.0.1").status_code == 302
    known.post("/logout/")
    UserFactory(**RIGHT | {"username": "bea"})
    wrong = RIGHT | {"username": "bea", "password": "guess"}
    for _ in range(
        throttle.WRONG_PASSWORDS_OF_ACCOUNT.most + 1
    ):  # under another name it is a device like any
        last = known.post("/login/", wrong).status_code
    assert last == 429 and sign_in("127.0.0.1").status_code == 302, "one name is locked, not the other"


def test_a_new_password_ends_what_a_device_may(known):
    kept = Client(REMOTE_ADDR="10.0.0.1")
    kept.force_login(User.objects.get())
    kept.post("/account/password/", {"oldpassword": RIGHT["password"], **CHANGED})
    kept.post("/logout/")
    for _ in range(6):
        locked = sign_in("127.0.0.1", password="guess").status_code
    assert locked == 429
    now = RIGHT | {"password": "another good one"}
    assert known.post("/login/", now).status_code == 429
    assert kept.post("/login/", now).status_code == 302  # where it was changed it is known


def test_passwords_are_hashed_as_django_does_and_one_at_a_time(monkeypatch):
    hasher, held, encode = OneAtATimeHasher(), [], PBKDF2PasswordHasher.encode
    hasher.iterations = 1000

    def note(*args):
        held.append(passwords._hashing.locked())
        return encode(*args)

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", note)
    kept = hasher.encode("correct horse", "salt")
    assert hasher.verify("correct horse", kept) and not hasher.verify("wrong", kept)
    assert kept == PBKDF2PasswordHasher().encode("correct horse", "salt", 1000)
    assert held == [True, True, True, False] and not passwords._hashing.locked()


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
    changed = client.post("/account/password/", {"oldpassword": RIGHT["password"], **CHANGED})
    assert changed.status_code == 302
    assert sign_in(password="another good one").status_code == 302
    assert Client().post("/signup/", NEW).status_code == 302
    assert len(writing) >= 4 and not any(writing)
