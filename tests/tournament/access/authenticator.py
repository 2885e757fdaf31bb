"""An account with two-step sign-in, and an authenticator app for tests."""

import re
import time

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.test import TestCase

from tests.factories import UserFactory
from tests.pages import Page, page

PASSWORD = "correct horse"
RIGHT = {"username": "ada", "password": PASSWORD}
KEY = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
CODE = "/login/code/"
TWO_STEP = "/account/two-step/"
SET_UP = f"{TWO_STEP}app/"
OFF = f"{TWO_STEP}off/"
CODES = f"{TWO_STEP}codes/"
RENEW = f"{CODES}new/"


@pytest.fixture(autouse=True)
def wait(monkeypatch):
    """Time stands still, so that a code stays right; calling this lets so many seconds pass."""
    clock = [time.time()]
    monkeypatch.setattr("time.time", lambda: clock[0])

    def let_pass(seconds):
        clock[0] += seconds

    return let_pass


@pytest.fixture
def ada():
    return with_two_step(UserFactory(**RIGHT))


def with_two_step(user):
    """Give the account an authenticator app, and recovery codes as `codes`."""
    TOTP.activate(user, KEY)
    user.codes = RecoveryCodes.activate(user).generate_codes()
    return user


def app_code(later=0, key=KEY):
    return format_hotp_value(hotp_value(key, int(time.time()) // 30 + later))


def enter_password(client, query=""):
    answer = client.post(f"/login/{query}", RIGHT)
    assert (answer.status_code, answer["Location"]) == (302, CODE)
    assert not is_signed_in(client)
    return answer["Location"]


def sign_in(client, code, query=""):
    return client.post(enter_password(client, query), {"code": code})


def is_signed_in(client):
    return client.get("/account/").status_code == 200


def confirm(client, address, password=PASSWORD):
    """Enter the password once more, as this page asks. Returns the answer."""
    return client.post(client.get(address)["Location"], {"password": password})


def set_up(client):
    """Turn two-step sign-in on in this browser. Returns the key and the answer to the app's code."""
    if client.get(SET_UP).status_code == 302:
        confirm(client, SET_UP)
    key = page(client, SET_UP).one("#authenticator_secret").text.strip()
    with TestCase.captureOnCommitCallbacks(execute=True):
        return key, client.post(SET_UP, {"code": app_code(key=key)})


def shown_codes(answer):
    return re.findall(r"\b\d{8}\b", Page(answer).words)
