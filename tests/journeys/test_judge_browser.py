import re

import pytest
from playwright.sync_api import expect

from tests.browser import LONG, LOOKS, PHONE, follow, looks_right, open_as
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Extension, Staff
from tournament.services.decklists import hand_in_decklist
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_judge_gives_five_minutes_and_records_a_warning(page, live_server):
    judge = UserFactory(username="lena")
    tournament = TournamentFactory(entries=24, published=True)
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    page.set_viewport_size(PHONE)
    open_as(page, live_server, judge, f"/t/{tournament.slug}/desk/judge/")
    table = page.get_by_role("link", name="Table 7, outstanding")
    sheet = page.get_by_role("dialog", name="Table 7")
    table.click()
    expect(sheet).to_be_visible()
    looks_right(page, *LOOKS)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(table).to_be_focused()
    page.keyboard.press("Enter")
    five = sheet.get_by_role("button", name="+5 min")
    page.evaluate("window.stays = true")
    five.click()
    expect(sheet.get_by_role("status")).to_contain_text("Table 7, round 1: 5-minute time extension")
    expect(five).to_be_focused()
    assert Extension.objects.get().minutes == 5

    page.route("**/extension/", lambda route: route.abort())
    five.click()
    expect(sheet.get_by_text("Not saved yet: the connection was lost.")).to_be_visible()
    page.unroute("**/extension/")

    sheet.get_by_role("link", name=re.compile("Penalty for")).first.focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Penalty")
    infraction = sheet.get_by_label("Infraction")
    expect(infraction).to_be_visible()
    expect(sheet.get_by_role("heading", name="Penalty")).to_be_focused()
    looks_right(page, *LOOKS)
    sheet.get_by_label("warning").focus()
    page.keyboard.press("Space")
    infraction.evaluate("field => field.required = false")  # as an old browser would send it
    page.keyboard.press("Enter")
    expect(sheet.get_by_text("Enter the infraction.")).to_be_visible()
    assert not tournament.penalties.exists()
    infraction.fill("Outside Assistance")
    expect(sheet.get_by_label("match loss")).to_be_checked()
    infraction.fill("Slow Play")
    expect(sheet.get_by_label("warning")).to_be_checked()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Table 7")
    expect(sheet.get_by_text("warning recorded.")).to_be_visible()
    assert tournament.penalties.get().kind == "warning" and page.evaluate("window.stays")
    looks_right(page, *LOOKS)
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Table 7, +5")).to_be_focused()


def test_staff_find_a_decklist_and_the_organizer_releases_all(page, live_server):
    event = TournamentFactory(entries=4)
    change_settings(event, decklist_rule="on", deck_least=60)
    rename_entry(event, "P0001", LONG)
    for text in ("60 Mountain", "60 Island"):
        hand_in_decklist(event, "P0001", text)
    open_as(page, live_server, event.owner, f"/t/{event.slug}/desk/decklists/")
    looks_right(page, *LOOKS)
    page.get_by_role("searchbox", name="Find a player").fill("maxi")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    follow(page, LONG)
    page.get_by_text("Version 1").click()
    expect(page.get_by_text("60 Mountain")).to_be_visible()
    looks_right(page, *LOOKS)
    follow(page, "All decklists")
    follow(page, "Make them public…")
    page.get_by_role("button", name="Make them public").click()
    expect(page.get_by_text("The decklists are public.")).to_be_visible()
    page.goto(f"{live_server.url}/t/{event.slug}/players/P0001/")
    follow(page, "Decklist")
    expect(page.get_by_role("heading", name=f"Decklist of {LONG}")).to_be_visible()
    looks_right(page, *LOOKS)
