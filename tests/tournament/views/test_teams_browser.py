"""A team's members in a real browser: on a phone of 390 px, by keyboard and by roles and names."""

import pytest
from playwright.sync_api import expect

from tests.browser import looks_right, open_as
from tests.factories import TournamentFactory
from tournament.services.entries import add_entry
from tournament.services.event_settings import change_registration

PHONE = ("light", 390)

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_team_registers_by_keyboard_and_the_desk_changes_its_captain(live_server, page, settings):
    settings.SITE_URL = live_server.url
    tournament = TournamentFactory(entries=0, team=True)
    change_registration(tournament, self_registration=True)
    add_entry(tournament, {}, {"name": "Blues", "members": ["Dot Ek", "Eva Moss"]})
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/t/{tournament.slug}/register/")
    page.get_by_role("textbox", name="Team name").fill("Reds")
    members = page.get_by_role("group", name="Team members")
    expect(members.get_by_role("textbox")).to_have_count(6)
    expect(members.get_by_role("radio", name="captain (member 1)")).to_be_checked()
    members.get_by_role("textbox", name="Member 1").focus()
    page.keyboard.type("Ada Ruiz")
    page.keyboard.press("Tab")  # the radio buttons are one stop
    page.keyboard.press("ArrowDown")
    expect(members.get_by_role("radio", name="captain (member 2)")).to_be_checked()
    page.keyboard.press("Tab")
    expect(members.get_by_role("textbox", name="Member 3")).to_be_focused()
    looks_right(page, PHONE)
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_text("A team has 2 to 6 members, not 1.")).to_be_visible()
    looks_right(page, PHONE)
    members.get_by_role("textbox", name="Member 2").fill("Bo Lind")
    page.get_by_role("button", name="Register").click()
    page.get_by_role("link", name="Go to my page").click()
    expect(page.get_by_role("list", name="Team members").get_by_role("listitem")).to_have_text(
        ["Ada Ruiz", "Bo Lind captain"]
    )
    looks_right(page, PHONE)
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/players/P0002/")
    page.get_by_role("radio", name="captain (member 1)").check()
    page.get_by_role("button", name="Save team").click()
    expect(page.get_by_text("Ada Ruiz (captain), Bo Lind")).to_be_visible()
    looks_right(page, PHONE)
    page.goto(f"{live_server.url}/t/{tournament.slug}/desk/check-in/")
    page.get_by_role("searchbox").fill("bo li")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Reds is checked in.")).to_be_visible()
    looks_right(page, PHONE)
