"""An account with two-step sign-in, and an authenticator app for tests."""

import base64
import time

import pytest
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.factories import UserFactory
from tests.pages import page
from tournament.services.two_step import turn_on

PASSWORD = "correct horse"
RIGHT = {"username": "ada", "password": PASSWORD}
KEY = "3132333435363738393031323334353637383930"
CODE = "/login/code/"
SET_UP = "/account/two-step/"


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
    """An account with two-step sign-in, set up half a minute ago."""
    user = UserFactory(**RIGHT)
    user.codes = turn_on(user, KEY, app_code(-1), PASSWORD)
    user.refresh_from_db()
    return user


def app_code(later=0, key=KEY):
    """What the app shows now, or so many half minutes later."""
    clock = TOTP(bytes.fromhex(key), drift=later)
    clock.time = time.time()
    return f"{clock.token():06d}"


def enter_password(client, query=""):
    answer = client.post(f"/login/{query}", RIGHT)
    assert answer.status_code == 303 and answer["Location"].startswith(CODE)
    assert not is_signed_in(client)
    return answer["Location"]


def sign_in(client, code, query=""):
    """The answer to the code, after the right password."""
    return client.post(enter_password(client, query), {"code": code})


def is_signed_in(client):
    return client.get("/account/").status_code == 200


def end_wait():
    """The wait after a wrong code is over."""
    for device in (TOTPDevice, StaticDevice):
        device.objects.update(throttling_failure_timestamp=None)


def new_key(client):
    """(the key that the set-up page shows in groups of four, how its form sends it back)."""
    shown = page(client, SET_UP)
    (groups,) = shown.all("#key")
    assert [len(group) for group in groups.split()] == [4] * 8
    assert shown.one('img[src^="data:image/svg+xml"]')
    assert shown.one(f'a[href*="secret={groups.replace(" ", "")}"]'), "a link for an app on the same device"
    signed = shown.one('[name="signed_key"]')["value"]
    return base64.b32decode(groups.replace(" ", "")).hex(), signed
