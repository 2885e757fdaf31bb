"""Two players on one phone, in a real browser: switch between them, forget one, and go back."""

import pytest
from playwright.sync_api import expect

from tests.browser import MORE_LOOKS, follow, looks_right
from tests.factories import TournamentFactory
from tournament.access.player_link import known_key, link_of
from tournament.services.entries import rename_entry
from tournament.services.player_links import make_links

pytestmark = [pytest.mark.django_db(transaction=True)]


def test_a_parents_phone_knows_two_players_and_forgets_one(live_server, page, settings):
    settings.SITE_URL = live_server.url
    page.set_viewport_size({"width": 390, "height": 844})
    event = TournamentFactory(entries=3)
    rename_entry(event, "P0001", "Ada Ruiz")
    rename_entry(event, "P0002", "Bo Ruiz")
    make_links(event)
    event.refresh_from_db()
    home = f"{live_server.url}/t/{event.slug}/"
    for code, name in (("P0001", "Ada Ruiz"), ("P0002", "Bo Ruiz")):
        page.goto(link_of(event, known_key(event, event.entries.get(code=code))))
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        assert "/key/" not in page.url
    follow(page, "All players on this device")
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("link", name="Ada Ruiz").click()
    expect(page.get_by_role("link", name="My link, for another device")).to_be_visible()
    page.get_by_role("button", name="Forget me on this device").click()
    expect(page.get_by_text("This device has forgotten the player.")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("This device does not know that this is you.")).to_be_visible()
    expect(page.get_by_role("link", name="My link, for another device")).to_have_count(0)
    page.goto(f"{home}me/")
    expect(page.get_by_role("heading", name="Bo Ruiz")).to_be_visible()


def test_who_is_found_alone_opens_at_once_and_is_forgotten(live_server, page):
    page.set_viewport_size({"width": 390, "height": 844})
    event = TournamentFactory(entries=3)
    rename_entry(event, "P0001", "Ada Ruiz")
    home = f"{live_server.url}/t/{event.slug}/"
    page.goto(f"{home}players/?q=rui")
    expect(page).to_have_url(f"{home}players/P0001/")
    page.get_by_role("link", name="This is me").click()
    expect(page.get_by_role("heading", name="Are you Ada Ruiz?")).to_be_visible()
    looks_right(page, *MORE_LOOKS)
    page.goto(f"{home}me/")
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("button", name="Forget Ada Ruiz").click()
    expect(page.get_by_text("This device does not know you yet")).to_be_visible()
