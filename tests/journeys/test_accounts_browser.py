import base64
import re
import time

import pytest
from django.contrib.sessions.models import Session
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import expect

from tests.browser import LOOKS, PHONE, looks_right, open_as, press, send
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Match, Staff

pytestmark = pytest.mark.django_db(transaction=True)


def app_code(later=0):
    """What the app shows: of the key that was set up, so many half minutes later."""
    clock = TOTP(TOTPDevice.objects.get().bin_key, drift=later)
    return f"{clock.token():06d}"


def type_into(page, label, text):
    for _ in range(60):
        if page.evaluate("document.activeElement.labels?.[0]?.innerText.trim() || ''").startswith(label):
            break
        page.keyboard.press("Tab")
    page.keyboard.type(text)


def test_two_step_sign_in_is_set_up_and_asked_for_with_keys_alone(live_server, page):
    ada = UserFactory(username="ada", password="correct horse")
    page.set_viewport_size(PHONE)
    open_as(page, live_server, ada, "/account/")
    press(page, "Set up two-step sign-in")
    looks_right(page, *LOOKS)
    key = base64.b32decode(re.sub(r"\s", "", page.locator("#key").inner_text()))
    type_into(page, "Code", f"{TOTP(key).token():06d}")
    type_into(page, "Password", "correct horse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Recovery codes of ada")).to_be_visible()
    assert page.get_by_role("listitem").count() >= 10
    looks_right(page, *LOOKS)
    press(page, "I have saved them")
    expect(page.get_by_text("10 recovery codes are left.")).to_be_visible()
    page.get_by_role("button", name="Sign out").press("Enter")

    page.goto(f"{live_server.url}/login/?next=/new/")
    type_into(page, "Username", "ada")
    type_into(page, "Password", "correct horse")
    page.keyboard.press("Enter")
    page.wait_for_url("**/login/code/**")
    code = page.get_by_label("Code")
    expect(code).to_be_focused()
    page.keyboard.type("000000" if app_code() != "000000" else "111111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This code is wrong or was used before.")).to_be_visible()
    looks_right(page, *LOOKS)
    time.sleep(1.1)  # the wait after a wrong code
    expect(code).to_be_focused()
    code.press("Control+a")
    page.keyboard.type(app_code(1))  # the code of this half minute may have been used above
    page.keyboard.press("Enter")
    page.wait_for_url("**/new/")


def sign_in(page, name):
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("correct horse")
    send(page, "Sign in")


def test_a_scorekeeper_is_invited_signed_out_and_loses_nothing(page, live_server, settings):
    settings.SITE_URL = live_server.url
    mia, _anna = (UserFactory(username=name, password="correct horse") for name in ("mia", "anna"))
    tournament = TournamentFactory(entries=8, owner=mia, published=True)
    open_as(page, live_server, mia, f"/t/{tournament.slug}/desk/staff/")
    page.get_by_role("combobox", name="Role").select_option(label="scorekeeper")
    page.get_by_role("button", name="Create invitation").click()
    page.get_by_role("img", name="QR code").wait_for()
    looks_right(page, *LOOKS)
    address = page.locator(".address").inner_text()
    send(page, "Sign out")

    page.goto(address)
    page.get_by_role("heading", name="Join Friday night as scorekeeper").wait_for()
    with page.expect_navigation():
        page.get_by_role("main").get_by_role("link", name="Sign in").click()
    sign_in(page, "anna")
    page.get_by_role("button", name="Accept as anna").click()
    page.get_by_text("as scorekeeper.").wait_for()
    assert Staff.objects.get(user__username="anna").role == "scorekeeper"

    page.goto(f"{live_server.url}/t/{tournament.slug}/desk/rounds/1/")
    Session.objects.all().delete()
    page.locator("#line").fill("2 20")
    page.locator("#line").press("Enter")
    page.get_by_text("It is kept: sign in").wait_for()
    assert not Match.objects.filter(result__isnull=False).exists()
    sign_in(page, "anna")
    assert page.get_by_role("textbox", name="text").input_value() == "2 20"
    looks_right(page, *LOOKS)
    page.get_by_role("button", name="Send it now").click()
    page.locator("#match-2.in").wait_for()
    assert Match.objects.get(table=2).winner == "a"
