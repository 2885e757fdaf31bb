"""One deadline on every device, in real browsers: a wrong clock, a pause, sleep and a lost network."""

import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import open_as
from tests.factories import TournamentFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
LEFT = "document.querySelector('.clock').textContent.split(':').reduce((m, s) => 60 * Number(m) + Number(s))"


def agree(*pages: Page, seconds: float) -> None:
    """Each page shows what is left, within a second."""
    end = time.monotonic() + 10
    while True:
        due = seconds - time.monotonic()
        shown = [page.evaluate(LEFT) for page in pages]
        if all(left is not None and abs(left - due) <= 1 for left in shown):
            return
        assert time.monotonic() < end, (shown, due)
        time.sleep(0.1)


def look(*pages: Page) -> None:
    """Somebody looks at each page again: it asks soon."""
    for page in pages:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_desk_screen_and_a_phone_that_is_7_minutes_wrong_agree(page: Page, browser: Browser, live_server):
    from axe_playwright_python.sync_playwright import Axe

    tournament = TournamentFactory(entries=4, published=True, round_minutes=11)
    address = f"{live_server.url}/t/{tournament.slug}/clock/"
    with (
        browser.new_context(viewport={"width": 1920, "height": 1080}) as hall,
        browser.new_context() as pocket,
    ):
        screen, phone = hall.new_page(), pocket.new_page()
        phone.clock.install(time=time.time() + 7 * 60)
        screen.goto(address)
        phone.goto(address)
        expect(screen.locator(".face-time")).to_contain_text("The clock is off.")
        open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/1/")
        page.get_by_role("button", name="Start the clock: 11 min").click()
        pause = page.get_by_role("button", name="Pause")
        expect(pause).to_be_visible()
        deadline = tournament.rounds.get(number=1).ends_at.timestamp() - time.time() + time.monotonic()
        look(screen, phone)
        expect(screen.locator("[data-ends]")).to_be_visible()
        expect(phone.locator("[data-ends]")).to_be_visible()
        agree(page, screen, phone, seconds=deadline)
        assert Axe().run(screen).violations_count == Axe().run(page).violations_count == 0
        assert screen.locator("[role=timer]").evaluate("timer => timer.getBoundingClientRect().height") > 300

        phone.clock.fast_forward("05:00")  # it slept, or its clock was put right
        look(phone)
        agree(phone, seconds=deadline)

        pocket.set_offline(True)
        agree(phone, seconds=deadline)  # it counts on
        pause.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        pocket.set_offline(False)
        look(screen)
        for shown in (page, screen, phone):
            expect(shown.locator(".clock").first).to_contain_text("10:")
            expect(shown.locator("[data-ends]")).to_have_count(0)
        page.set_viewport_size({"width": 390, "height": 844})
        page.get_by_role("link", name="Set the clock").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Clock of round 1")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert Axe().run(page).violations_count == 0
