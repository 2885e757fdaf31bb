"""A venue screen in a real browser: columns and pages by its height, arrows, a lost network, a new round."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.steps import complete_round
from tournament.services.clock import start_clock
from tournament.services.event_settings import change_settings

pytestmark = [pytest.mark.django_db, pytest.mark.browser]

SEEN = """() => [...document.querySelectorAll('.face:not([hidden]) .name')].filter(name => {
  const box = name.getBoundingClientRect();
  return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
}).map(name => name.textContent)"""


def test_pages_fit_the_screen_turn_by_arrows_and_outlive_the_network(page: Page, live_server):
    tournament = TournamentFactory(entries=134, published=True, round_minutes=50)
    start_clock(tournament, 1)
    change_settings(tournament, screen_seconds=120)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/screen/")
    count = page.locator(".page-count")
    expect(count).to_have_text(re.compile(r"^Page 1 of 2, next in 1\d\d s$"))
    first = page.evaluate(SEEN)
    assert len(first) >= 67  # so 200 take at most 3 pages
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.face-rows')).fontSize)")
    assert size >= 34  # legible at 10 m
    expect(page.locator(".face-marks .on")).to_have_text(re.compile(r"^Player 0 to Player \d\d$"))
    page.keyboard.press("ArrowRight")
    second = page.evaluate(SEEN)
    assert sorted(first + second) == sorted(f"Player {n:02d}" for n in range(1, 135))
    page.clock.run_for(121_000)
    expect(page.locator(".face:visible h1")).to_have_text("Round 1")  # the clock's turn
    page.keyboard.press("Space")
    expect(count).to_have_text("stopped")
    page.route("**/screen/part/**", lambda route: route.abort())
    page.clock.run_for(15_000)
    expect(page.locator(".live-off")).to_have_text(re.compile(r"^No connection: as of \d\d:\d\d$"))
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    RoundFactory(tournament=tournament)
    page.unroute("**/screen/part/**")
    page.clock.run_for(15_000)
    expect(page.locator(".face:visible h1")).to_have_text("Round 2 pairings")
    expect(page.locator(".live-off")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
