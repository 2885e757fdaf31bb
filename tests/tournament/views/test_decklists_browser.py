"""Decklists in a real browser: handed in on a phone by keys alone, looked up, released; without scripts too."""

import pytest
from playwright.sync_api import expect

from tests.browser import LOOKS, MORE_LOOKS, follow, looks_right, open_as
from tests.factories import TournamentFactory, UserFactory
from tournament.access.player_link import fresh_player_key, hash_of
from tournament.services.decklists import hand_in_decklist
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.self_service import change_player_link

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"viewport": {"width": 390, "height": 844}}
LONG = "Wolfeschlegelsteinhausenbergerdorff-Nachname Maximilian"


@pytest.fixture
def event():
    event = TournamentFactory(entries=4, owner=UserFactory(username="olga"))
    change_settings(event, decklist_rule="on", deck_least=60, sideboard_most=15)
    rename_entry(event, "P0001", LONG)
    return event


def opened(browser, live_server, event, **more):
    """P0001's phone, at the own page."""
    page, secret = browser.new_context(**PHONE, **more).new_page(), fresh_player_key()
    change_player_link(event, "P0001", key_hash=hash_of(secret))
    page.goto(f"{live_server.url}/t/{event.slug}/key/{secret}/")
    return page


def test_a_list_is_handed_in_by_keys_alone(browser, live_server, event):
    page = opened(browser, live_server, event)
    follow(page, "Decklist")
    looks_right(page, *LOOKS)
    page.set_viewport_size(PHONE["viewport"])
    page.get_by_role("textbox", name="Decklist").focus()
    page.keyboard.insert_text("40 Lava Spike\n19 Mountain\nSkullcrack x1")
    for _ in ("file", "button"):
        page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_text("The main deck needs at least 60 cards. This one has 59.")).to_be_visible()
    expect(page.get_by_text("Line 3: “Skullcrack x1”")).to_be_visible()
    looks_right(page, *LOOKS)
    page.get_by_role("textbox", name="Decklist").focus()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\n1 Skullcrack\nSB: 15 Smash to Smithereens")
    for _ in ("file", "button"):
        page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Your decklist is handed in.")).to_be_visible()
    expect(page.get_by_text("60 cards, sideboard 15")).to_be_visible()
    looks_right(page, *MORE_LOOKS)
    assert event.decklists.get().main == 60


def test_without_scripts_a_file_is_handed_in(browser, live_server, event):
    page = opened(browser, live_server, event, java_script_enabled=False)
    page.get_by_role("link", name="Decklist").click()
    page.get_by_label("Or a text file").set_input_files(
        {"name": "deck.txt", "mimeType": "text/plain", "buffer": b"60 Island"}
    )
    page.get_by_role("button", name="Hand in the decklist").click()
    expect(page.get_by_role("heading", name="Handed in,")).to_be_visible()
    assert event.decklists.get().text == "60 Island"


def test_staff_find_a_list_and_the_organizer_releases_all(page, live_server, event):
    hand_in_decklist(event, "P0001", "60 Mountain")
    hand_in_decklist(event, "P0001", "60 Island")
    open_as(page, live_server, event.owner, f"/t/{event.slug}/desk/decklists/")
    looks_right(page, *LOOKS)
    page.get_by_role("searchbox", name="Find a player").fill("wolfe")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    follow(page, LONG)
    expect(page.get_by_text("60 Island").first).to_be_visible()
    page.get_by_text("Version 1").click()
    expect(page.get_by_text("60 Mountain")).to_be_visible()
    looks_right(page, *LOOKS)
    page.set_viewport_size({"width": 1280, "height": 844})
    follow(page, "All decklists")
    follow(page, "Make them public…")
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("button", name="Make them public").click()
    expect(page.get_by_text("The decklists are public.")).to_be_visible()
    page.context.clear_cookies()
    page.goto(f"{live_server.url}/t/{event.slug}/players/P0001/")
    follow(page, "Decklist")
    expect(page.get_by_role("heading", name=f"Decklist of {LONG}")).to_be_visible()
    looks_right(page, *LOOKS)
