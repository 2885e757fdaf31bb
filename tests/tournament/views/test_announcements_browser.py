"""The announcement in a real browser: it comes with a poll, is read out, and goes by itself."""

import pytest
from playwright.sync_api import Page, expect

from tests.factories import RoundFactory, TournamentFactory
from tournament.services.announcements import change_announcement

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


def test_an_open_phone_hears_it_without_a_reload_and_it_goes_at_its_time(page: Page, live_server):
    from axe_playwright_python.sync_playwright import Axe

    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    page.clock.install()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{live_server.url}/t/{tournament.slug}/rounds/1/")
    line = page.locator("#notice")
    expect(line).to_have_text("")
    line.evaluate("line => { line.here = true }")
    change_announcement(tournament, "Round 2 at 14:30 " + "W" * 150)
    page.clock.run_for(16_000)
    expect(line).to_contain_text("Round 2 at 14:30")
    assert line.evaluate("line => line.here && line.getAttribute('role')") == "status"  # so it is read out
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(page).violations_count == 0
    line.evaluate("line => { line.dataset.until = '2001-01-01T00:00:00Z' }")
    page.clock.run_for(1_500)
    expect(line).to_have_text("")
