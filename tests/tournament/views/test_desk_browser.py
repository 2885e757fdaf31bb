"""The event's home in a real browser: it follows what happens by itself and leaves alone what is being read."""

import datetime as dt

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.browser import open_as
from tests.factories import TWO_NIL, TournamentFactory
from tournament.models import Round
from tournament.services.clock import start_clock
from tournament.services.results import record_result

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_home_follows_results_keeps_what_is_open_and_says_when_it_cannot(page: Page, live_server, theme):
    tournament = TournamentFactory(entries=12, rounds=2, published=True, round_minutes=50, rounds_planned=4)
    for number, hours in ((1, 3), (2, 2), (3, 1)):
        at = timezone.now() - dt.timedelta(hours=hours)
        Round.objects.filter(number=number).update(published_at=at, starts_at=at)
    start_clock(tournament, 3)
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 390, "height": 800})
    page.clock.install()
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/")
    expect(page.locator("h1")).to_contain_text("Round 3: 6 of 6 tables outstanding")
    record_result(tournament, 3, 1, TWO_NIL)
    page.clock.run_for(16_000)
    expect(page.locator("h1")).to_contain_text("Round 3: 5 of 6 tables outstanding")
    page.locator("#home-now details > summary").first.click()
    record_result(tournament, 3, 2, TWO_NIL)
    page.clock.run_for(16_000)
    expect(page.locator("h1")).to_contain_text("Round 3: 4 of 6 tables outstanding")
    assert page.locator("#home-now details").first.get_attribute("open") is not None
    for width in (390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        assert Axe().run(page).violations_count == 0, width
    page.context.set_offline(True)
    page.clock.run_for(16_000)
    expect(page.locator("#home-now > .live-off")).to_be_visible()
    expect(page.locator("#home-now > .live-off")).to_contain_text("No connection: as of")
