"""Two-step sign-in on a phone, without a mouse: set up, recovery codes, a wrong code and the right one."""

import base64
import re
import time

import pytest
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import expect

from tests.browser import looks_right, open_as
from tests.factories import UserFactory
from tests.journeys.test_keyboard_browser import press

pytestmark = [pytest.mark.django_db(transaction=True)]
PHONE = [("light", 390), ("dark", 390)]


def app_code(later=0):
    """What the app shows: of the key that was set up, so many half minutes later."""
    clock = TOTP(TOTPDevice.objects.get().bin_key, drift=later)
    return f"{clock.token():06d}"


def type_into(page, label, text):
    """Tab to a field, and type."""
    for _ in range(60):
        if page.evaluate("document.activeElement.labels?.[0]?.innerText.trim() || ''").startswith(label):
            break
        page.keyboard.press("Tab")
    page.keyboard.type(text)


def test_it_is_set_up_and_asked_for_with_keys_alone(live_server, page):
    ada = UserFactory(username="ada", password="correct horse")
    page.set_viewport_size({"width": 390, "height": 844})
    open_as(page, live_server, ada, "/account/")
    press(page, "Set up two-step sign-in")
    looks_right(page, *PHONE)
    key = base64.b32decode(re.sub(r"\s", "", page.locator("#key").inner_text()))
    type_into(page, "Code", f"{TOTP(key, drift=-1).token():06d}")
    type_into(page, "Password", "correct horse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Recovery codes of ada")).to_be_visible()
    assert page.get_by_role("listitem").count() >= 10
    looks_right(page, *PHONE)
    press(page, "I have saved them")
    expect(page.get_by_text("10 recovery codes are left.")).to_be_visible()
    looks_right(page, *PHONE)
    page.get_by_role("button", name="Sign out").press("Enter")

    page.goto(f"{live_server.url}/login/?next=/new/")
    type_into(page, "Username", "ada")
    type_into(page, "Password", "correct horse")
    page.keyboard.press("Enter")
    page.wait_for_url("**/login/code/**")
    code = page.get_by_label("Code")
    expect(code).to_be_focused()
    looks_right(page, *PHONE)
    page.keyboard.type("000000" if app_code() != "000000" else "111111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This code is wrong or was used before.")).to_be_visible()
    looks_right(page, *PHONE)
    time.sleep(1.1)  # the wait after a wrong code
    expect(code).to_be_focused()
    code.press("Control+a")
    page.keyboard.type(app_code())
    page.keyboard.press("Enter")
    page.wait_for_url("**/new/")
