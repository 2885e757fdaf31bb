"""A stranger's first minutes in a real browser: from the sign-up page to round 1 in at most twelve actions."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Round, Tournament

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = [f"Player {number:02}" for number in range(1, 25)]


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict) -> dict:
    """A stranger far from the server."""
    return {**browser_context_args, "timezone_id": "Asia/Tokyo"}


class Counted:
    """A browser that counts what a person does: clicks, filled fields, pressed keys."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def fill(self, label, text):
        self.actions += 1
        self.page.get_by_label(label).first.fill(text)

    def press(self, key):
        self.actions += 1
        self.page.keyboard.press(key)

    def click(self, role, name):
        self.actions += 1
        self.page.get_by_role(role, name=name).click()


def test_a_stranger_publishes_round_one_of_24_players_in_twelve_actions(page, live_server):
    page.goto(f"{live_server.url}/signup/")
    stranger = Counted(page)
    stranger.fill("Username", "ada")
    stranger.fill("Password", "correct horse battery")
    stranger.fill(re.compile("confirm", re.I), "correct horse battery")
    stranger.press("Enter")
    stranger.click("link", "Create an event")
    stranger.fill("Name", "Friday night")
    stranger.fill("Game", "Magic")
    expect(page.locator("#id_time_zone")).to_have_value("Asia/Tokyo")  # by then the page's script has run
    stranger.press("Enter")
    stranger.fill("Names, one per line", "\n".join(NAMES))
    stranger.click("button", re.compile("^Add$"))
    stranger.click("button", "Pair round 1")
    stranger.click("button", "Publish round 1")
    expect(page).to_have_title(re.compile("Round 1 · 12 of 12 tables outstanding"))
    assert stranger.actions <= 12
    tournament = Tournament.objects.get()
    assert (tournament.name, tournament.game, tournament.ruleset.key) == ("Friday night", "Magic", "mtr")
    assert tournament.time_zone == "Asia/Tokyo"
    assert Round.objects.get().state == "published" and tournament.entries.count() == 24


@pytest.mark.slow
def test_set_up_pages_have_no_barrier_and_the_chosen_rules_are_told(page, live_server):
    owner = UserFactory(username="ada")
    tournament = TournamentFactory(
        entries=3, owner=owner, name="W" * 120, venue="Hall " * 30, round_minutes=50
    )
    desk = f"/t/{tournament.slug}/desk/"
    open_as(page, live_server, owner, "/new/")
    page.get_by_label("Ruleset").select_option("dci1999")
    expect(page.get_by_text("the 33% minimum")).to_be_visible()
    every = ["/", "/new/", "/?q=w", f"{desk}copy/", f"{desk}settings/", f"{desk}delete/"]
    for scheme, width, addresses in (("light", 1280, every[3:]), ("dark", 390, every)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 800})
        for address in addresses:
            page.goto(f"{live_server.url}{address}")
            report = Axe().run(page)
            assert report.violations_count == 0, f"{address} {scheme}: {report.generate_report()}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{address} at {width}"
