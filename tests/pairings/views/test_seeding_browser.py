"""The seeding in a real browser: a step is announced, and the order on the page is the one that is saved."""

import pytest
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TournamentFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_step_is_announced_and_saved_with_its_reason(page, live_server):
    tournament = TournamentFactory(entries=4)
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/starting-list/")
    rows = page.locator("ol.starting li")
    first, second = (rows.nth(place).get_attribute("data-title") for place in (0, 1))
    page.get_by_role("button", name=f"Move {first} down").click()
    expect(page.locator("#announce")).to_have_text(f"{first} is now seed 2 of 4")
    page.get_by_label("Reason").fill("last year's finish")
    page.get_by_role("button", name="Save this order").click()
    expect(page.get_by_text("The seeding is saved.").first).to_be_visible()
    expect(rows.nth(0)).to_have_attribute("data-title", second)
