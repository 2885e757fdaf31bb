"""The road in a real browser: on a narrow page the current step is in view, however many there are."""

import pytest

from tests.browser import open_as
from tests.factories import TournamentFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_current_round_of_fifteen_is_in_view_on_a_phone_and_a_tablet(browser, live_server, scripts):
    tournament = TournamentFactory(entries=16, rounds=3, published=True, rounds_planned=15)
    context = browser.new_context(java_script_enabled=scripts, viewport={"width": 390, "height": 800})
    page = context.new_page()
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/4/")
    for width in (390, 768):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        step = page.locator(".event-steps [aria-current]")
        place = step.bounding_box()
        assert step.inner_text().strip() == "Round 4"
        assert place["x"] >= 0 and place["x"] + place["width"] <= width and place["y"] < 200
        if scripts:  # the round before it, too
            before = page.locator(".event-steps .done").last.bounding_box()
            assert 0 <= before["x"] < place["x"]
    context.close()
