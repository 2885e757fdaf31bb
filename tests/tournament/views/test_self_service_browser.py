"""A player's phone in a real browser: everything found by role and name, and nothing axe finds wrong."""

import datetime as dt

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser import LOOKS, MORE_LOOKS, follow, looks_right
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.models import Entry, Flag
from tournament.services.event_settings import change_registration

pytestmark = pytest.mark.django_db(transaction=True)


def opened(**fields):
    tournament = TournamentFactory(entries=3, **fields)
    now = timezone.now()
    change_registration(
        tournament, self_registration=True, check_in_until=(now + dt.timedelta(hours=1)).isoformat()
    )
    return tournament


def test_a_player_registers_checks_in_and_tells_staff_by_roles_and_names_alone(live_server, page, settings):
    settings.SITE_URL = live_server.url
    tournament = opened(owner=UserFactory(username="ada"))
    page.goto(f"{live_server.url}/t/{tournament.slug}/")
    follow(page, "Register for this event")
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("textbox", name="Your name").fill("Player 02")
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_text("Someone with this name is already registered. If that is you")).to_be_visible()
    looks_right(page, *LOOKS)
    name = "Wolfeschlegelsteinhausenbergerdorff-Nachname Maximilian"
    page.get_by_role("textbox", name="Your name").fill(name)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{name}, you are registered")
    looks_right(page, *MORE_LOOKS)
    secret = page.get_by_role("link", name="/key/").get_attribute("href")
    page.get_by_role("link", name="Go to my page").click()
    page.get_by_role("button", name="Check in").click()
    expect(page.get_by_role("status").filter(has_text="You are checked in.")).to_be_visible()
    assert Entry.objects.get(name=name).checked_in
    looks_right(page, *LOOKS)
    RoundFactory(tournament=tournament)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("against Player")
    follow(page, "Something wrong? Tell staff, round 1")
    page.get_by_role("textbox", name="What is wrong?").fill("We sit at another table.")
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("button", name="Tell staff").click()
    expect(
        page.get_by_role("status").filter(has_text="Your message was sent. Staff see it at the desk.")
    ).to_be_visible()
    follow(page, "Drop from the event")
    looks_right(page, *MORE_LOOKS)
    page.context.clear_cookies()
    page.goto(secret)
    assert page.url.endswith("/me/P0004/") and secret.rsplit("/", 2)[1] not in page.content()
    page.goto(f"{live_server.url}/login/?next=/t/{tournament.slug}/desk/")
    page.get_by_role("textbox", name="Username").fill("ada")
    page.get_by_label("Password").fill("a good long password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="1 player message")).to_be_visible()
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("button", name=f"Done: message 1 of {name}").click()
    expect(page.get_by_text("Message 1 is done.")).to_be_visible()
    assert Flag.objects.get().done
    for desk in ("registration/", "poster/", "flags/"):
        page.goto(f"{live_server.url}/t/{tournament.slug}/desk/{desk}")
        looks_right(page, *MORE_LOOKS)


def test_without_scripts_a_player_registers_for_the_waiting_list_and_withdraws(
    live_server, browser, settings
):
    settings.SITE_URL = live_server.url
    tournament = opened()
    change_registration(tournament, capacity=3)
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{live_server.url}/t/{tournament.slug}/register/")
    page.get_by_role("textbox", name="Your name").fill("Sol")
    page.get_by_role("button", name="Join the waitlist").click()
    page.get_by_role("link", name="Go to my page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Waitlist: number 1")
    page.get_by_role("link", name="Withdraw").click()
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("No longer playing")
    assert Entry.objects.get(name="Sol").status == "dropped"
    page.context.close()
