import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from tests.browser import LOOKS, PHONE, looks_right, open_as, press, send
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Match, Staff

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page, name):
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("correct horse")
    send(page, "Sign in")


def test_a_scorekeeper_is_invited_signed_out_and_told_what_was_not_saved(page, live_server, settings):
    settings.SITE_URL = live_server.url
    mia, _anna = (UserFactory(username=name, password="correct horse") for name in ("mia", "anna"))
    tournament = TournamentFactory(entries=8, owner=mia, published=True)
    open_as(page, live_server, mia, f"/t/{tournament.slug}/desk/settings/staff/")
    page.get_by_text("with a link or a QR code").click()
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
    page.get_by_text("What you sent was not saved.").wait_for()
    assert not Match.objects.filter(result__isnull=False).exists()
    sign_in(page, "anna")
    page.locator("#line").fill("2 20")
    page.locator("#line").press("Enter")
    page.locator("#match-2.in").wait_for()
    assert Match.objects.get(table=2).winner == "a"


def test_a_security_key_is_added_and_asked_for(live_server, page):
    UserFactory(username="ada", password="correct horse")
    site = live_server.url.replace(
        "127.0.0.1", "localhost"
    )  # browsers take no address for the name of a site
    browser = page.context.new_cdp_session(page)
    browser.send("WebAuthn.enable")
    key = {"protocol": "ctap2", "transport": "usb", "automaticPresenceSimulation": True}
    browser.send("WebAuthn.addVirtualAuthenticator", {"options": key})
    page.goto(f"{site}/login/?next=/account/two-step/keys/new/")
    sign_in(page, "ada")
    page.get_by_label("Password").fill("correct horse")
    send(page, "Confirm")
    looks_right(page, *LOOKS)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Each works once")).to_be_visible()
    page.goto(f"{site}/account/two-step/keys/")
    looks_right(page, *LOOKS)
    page.locator(".menu > summary").click()
    send(page, "Sign out")
    page.goto(f"{site}/login/?next=/account/two-step/keys/")
    sign_in(page, "ada")
    page.get_by_role("button", name="Use a security key").click()
    page.wait_for_url("**/keys/")
    press(page, "Remove")
    page.get_by_label("Password").fill("correct horse")
    send(page, "Confirm")
    send(page, "Remove")
    expect(page.get_by_text("Security key removed.")).to_be_visible()


def test_the_pages_of_accounts_look_right(live_server, page, settings):
    settings.MAIL = {"EMAIL_HOST": "mail.example.org"}
    page.set_viewport_size(PHONE)
    for address in ("login/", "signup/", "password/", "password/sent/", "password/MQ/x/", "account/mail/x/"):
        page.goto(f"{live_server.url}/{address}")
        looks_right(page, *LOOKS)
    ada = UserFactory(email="ada@example.org")
    for address in ("", "confirm/", "password/", "mail/", "delete/", "two-step/keys/"):
        open_as(page, live_server, ada, f"/account/{address}")
        looks_right(page, *LOOKS)


def test_a_double_click_sends_a_form_once(page, live_server):
    owner = UserFactory()
    event = TournamentFactory(entries=0, owner=owner, name="Friday night")
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/settings/delete/")
    page.get_by_label("Type the event's name").fill("Friday night")
    button = page.get_by_role("button", name="Delete permanently")
    sent = button.evaluate("""button => {
        let sent = 0;
        const count = (event) => { sent += !event.defaultPrevented; };
        addEventListener("submit", count);
        button.click();
        button.click();
        return sent;
    }""")
    assert sent == 1
    expect(page.get_by_text("Friday night is deleted.")).to_be_visible()
