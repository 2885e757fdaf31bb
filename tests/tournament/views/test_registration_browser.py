"""The registration desk in a real browser, by roles and names only: a regular, somebody new, check-in, no-shows."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import follow, looks_right
from tests.factories import TournamentFactory, UserFactory
from tournament.services.entries import add_entry

pytestmark = pytest.mark.django_db(transaction=True)


PHONE, LAPTOP = ("dark", 390), ("light", 1280)


def test_the_desk_registers_and_checks_in_without_a_mouse(page, live_server):
    owner = UserFactory(username="ada", password="correct horse")
    page.emulate_media(reduced_motion="reduce")
    earlier = TournamentFactory(entries=0, owner=owner, name="Last Friday")
    add_entry(earlier, {"rating": 1850}, {"name": "Kim Larsen", "external_id": "42"})
    tournament = TournamentFactory(entries=0, owner=owner)
    page.goto(f"{live_server.url}/login/?next=/t/{tournament.slug}/desk/add-player/")
    page.get_by_role("textbox", name="Username").fill("ada")
    page.get_by_label("Password").fill("correct horse")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/t/{tournament.slug}/desk/add-player/")  # with its scripts

    name = page.get_by_role("textbox", name="Name")
    expect(name).to_be_focused()
    page.keyboard.type("ki")
    regular = page.get_by_role("button", name="Add Kim Larsen")
    expect(regular).to_be_visible()
    looks_right(page, PHONE)
    page.keyboard.press("ArrowDown")
    expect(regular).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kim Larsen added.")).to_be_visible()
    for new in ("Bo Lind", "Kim Larsen"):
        expect(name).to_be_focused()
        page.keyboard.type(new)
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{new} added.")).to_be_visible()
    assert list(tournament.entries.values_list("name", "rating")) == [
        ("Kim Larsen", 1850),
        ("Bo Lind", None),
        ("Kim Larsen", None),
    ]

    page.get_by_role("link", name="Check-in").click()
    page.wait_for_url(f"{live_server.url}/t/{tournament.slug}/desk/check-in/")
    search = page.get_by_role("searchbox", name="Find a player")
    expect(search).to_be_focused()
    page.keyboard.type("larsen")
    expect(page.get_by_role("listitem").filter(has_text="Bo Lind")).to_have_count(0)
    here = page.get_by_role("button", name="Kim Larsen (1 of 2): here")
    here.focus()
    page.keyboard.press("Enter")
    expect(here).to_have_attribute("aria-pressed", "true")
    expect(here).to_be_focused()
    expect(page.get_by_text(re.compile("1 of 3 checked in"))).to_be_visible()
    page.get_by_role("button", name="Kim Larsen (2 of 2): paid").press("Enter")
    expect(page.get_by_role("button", name="Kim Larsen (2 of 2): paid")).to_have_attribute(
        "aria-pressed", "true"
    )
    looks_right(page, LAPTOP, PHONE)

    expect(page.get_by_role("option", name="not checked in (2)")).to_be_attached()
    expect(page).to_have_title(re.compile("1 of 3 checked in"))

    search.fill("")
    search.press_sequentially("bo")
    search.press("Enter")  # at once: not what the list shows counts, but what was typed
    expect(page.get_by_text("Bo Lind is checked in.")).to_be_visible()
    expect(search).to_be_focused()
    expect(search).to_have_value("")
    expect(page.get_by_text(re.compile("2 of 3 checked in, 1 missing"))).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Kim Larsen")).to_have_count(2)
    search.press("Enter")  # and on the empty box nothing
    search.press_sequentially("larsen")
    search.press("Enter")
    expect(page.get_by_role("listitem").filter(has_text="Bo Lind")).to_have_count(0)
    expect(search).to_have_value("larsen")
    expect(page.get_by_text(re.compile("2 of 3 checked in, 1 missing"))).to_be_visible()
    looks_right(page, LAPTOP, PHONE)

    follow(page, "Withdraw no-shows")
    looks_right(page, LAPTOP)
    page.get_by_role("button", name="Withdraw 1 no-show").press("Enter")
    expect(page.get_by_text("1 no-show withdrawn.")).to_be_visible()
    assert list(tournament.entries.filter(status="playing").values_list("name", flat=True)) == [
        "Kim Larsen",
        "Bo Lind",
    ]
