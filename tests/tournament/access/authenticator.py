"""An account with two-step sign-in, and an authenticator app for tests."""

import base64
import re
import time

import pytest
from django_otp.oath import TOTP
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.factories import UserFactory
from tests.tournament.views.phones import text
from tournament.services.two_step import turn_on

PASSWORD = "correct horse"
RIGHT = {"username": "ada", "password": PASSWORD}
KEY = "3132333435363738393031323334353637383930"
CODE, SET_UP, OFF, RENEW = (
    "/login/code/",
    "/account/two-step/",
    "/account/two-step/off/",
    "/account/two-step/codes/",
)
NEW = {"new_password1": "another good one", "new_password2": "another good one"}


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
    page = text(client.get(SET_UP))
    groups = re.search(r'id="key">([^<]+)<', page)[1].split()
    assert [len(group) for group in groups] == [4] * 8 and 'src="data:image/svg+xml' in page
    assert f"secret={''.join(groups)}" in page, "a link for an app on the same device"
    return base64.b32decode("".join(groups)).hex(), re.search(r'name="signed_key" value="([^"]+)"', page)[1]


def path_of(link):
    return "/password/" + link.partition("/password/")[2]


def recovery_codes(page):
    return re.findall(r"<li>(\d{5} \d{5})</li>", text(page))


def renewal(client, password):
    """What the form for new recovery codes sends, as the page shows it now."""
    names = ("key", "seen")
    page = text(client.get(RENEW))
    return {name: re.search(rf'name="{name}" value="([^"]+)"', page)[1] for name in names} | {
        "password": password
    }
