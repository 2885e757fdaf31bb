"""Requested byes in a real browser: at the desk by keys alone, on a phone with and without JavaScript."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser import looks_right, open_as
from tests.factories import TournamentFactory, UserFactory
from tournament.access.player_link import fresh_player_key, hash_of
from tournament.services.event_settings import change_registration
from tournament.services.self_service import change_player_link

pytestmark = pytest.mark.django_db(transaction=True)
DESK, PHONE = ("light", 1280), ("dark", 390)


@pytest.fixture
def event():
    owner = UserFactory(username="ada")
    event = TournamentFactory(entries=6, rounds=1, ruleset="fide", rounds_planned=5, owner=owner)
    change_registration(event, self_byes=True)
    return event


def byes_of(event):
    return [(bye["round"], bye["kind"]) for bye in event.entries.get(code="P0001").requested_byes]


def test_a_bye_is_requested_and_withdrawn_at_the_desk_by_keys_alone(page, live_server, event):
    open_as(page, live_server, event.owner, f"/t/{event.slug}/desk/players/P0001/")
    panel = page.get_by_role("region", name="Sit out a round")
    panel.get_by_role("combobox", name="Round").focus()
    page.keyboard.press("ArrowDown")  # from round 2 to round 3
    page.keyboard.press("Tab")
    page.keyboard.type("half")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(panel.get_by_text("Round 3: half-point bye")).to_be_visible()
    assert byes_of(event) == [(3, "half")]
    looks_right(page, DESK, PHONE)
    panel.get_by_role("button", name="Withdraw request for round 3").focus()
    page.keyboard.press("Enter")
    expect(panel.get_by_text("Round 3: half-point bye")).to_have_count(0)
    assert byes_of(event) == []


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_player_sits_out_a_round_by_phone(browser, live_server, event, scripts):
    secret = fresh_player_key()
    change_player_link(event, "P0001", key_hash=hash_of(secret))
    page = browser.new_context(java_script_enabled=scripts, viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"{live_server.url}/t/{event.slug}/key/{secret}/")
    page.get_by_role("link", name="Sit out a round").click()
    page.get_by_role("combobox", name="Round").select_option("Round 2")
    page.get_by_label("Bye").select_option("Half-point bye")
    page.get_by_role("button", name="Request the bye").click()
    expect(page.get_by_text("Round 2: half-point bye")).to_be_visible()
    assert byes_of(event) == [(2, "half")]
    if scripts:
        looks_right(page, PHONE, DESK)
    if folder := os.environ.get("SCREENSHOTS"):
        page.set_viewport_size({"width": 390, "height": 844})
        page.screenshot(path=f"{folder}/phone.png", full_page=True)
    page.get_by_role("combobox", name="Round").select_option("Round 5")
    page.get_by_label("Bye").select_option("Half-point bye")
    page.get_by_role("button", name="Request the bye").click()
    expect(page.get_by_role("alert")).to_contain_text("only a zero-point bye can be requested for round 5")
    page.get_by_role("button", name="Withdraw request for round 2").click()
    expect(page.get_by_text("Round 2: half-point bye")).to_have_count(0)
    assert byes_of(event) == []
    page.context.close()
