"""Trying an order and changing the rules in a real browser: parts that come by themselves, keys, axe."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.factories import TournamentFactory, UserFactory
from tournament.rulebooks.library import install_rulesets

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def desk(client, page: Page, live_server):
    """A signed-in person's browser, 390 px wide, and their name."""
    install_rulesets()  # a transaction test begins with empty tables
    user = UserFactory()
    client.force_login(user)
    cookies = [{"name": n, "value": m.value, "url": live_server.url} for n, m in client.cookies.items()]
    page.context.add_cookies(cookies)
    page.set_viewport_size({"width": 390, "height": 800})
    return user


def check(page: Page) -> None:
    """Nothing axe finds wrong, and nothing scrolls sideways."""
    assert Axe().run(page).violations_count == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_all_events_are_tried_one_batch_after_the_other(page, desk, live_server, monkeypatch):
    monkeypatch.setattr("standings.rulesets.trial.events.MOST_EVENTS", 1)
    for number in range(3):
        TournamentFactory(entries=4, rounds=1, name=f"Event {number}").rounds.update(state="complete")
    page.goto(live_server.url + "/rulesets/mtr/try/")
    expect(page.locator("#try-summary")).to_contain_text("in 0 of 3 events")
    assert page.locator(".tried summary").count() == 3
    check(page)


def test_the_owner_changes_the_order_by_keys_and_sees_the_effect_first(page, desk, live_server):
    tournament = TournamentFactory(entries=4, rounds=1, owner=desk)
    page.goto(f"{live_server.url}/t/{tournament.slug}/desk/rules/")
    check(page)
    page.get_by_role("button", name="Move Game-win % with the arrow keys").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("[data-step]").nth(1)).to_have_attribute("data-title", "Game-win %")
    page.get_by_role("button", name="Show the effect…").click()
    expect(page.locator("h1")).to_have_text("Effect of the change")
    check(page)
    page.get_by_label("Reason").fill("Agreed by everybody at the players' meeting.")
    page.get_by_role("button", name="Change the rules").click()
    expect(page.get_by_role("note")).to_contain_text("players' meeting")
    tournament.refresh_from_db()
    assert tournament.profile["tiebreaks"][1]["metric"] == "game_win_pct"
