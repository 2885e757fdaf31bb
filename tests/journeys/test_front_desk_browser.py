import re

import pytest
from playwright.sync_api import expect

from tests.browser import LOOKS, PHONE, follow, looks_right, open_as
from tests.factories import TournamentFactory
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entry

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_desk_registers_and_checks_in_without_a_mouse(page, live_server):
    tournament = TournamentFactory(entries=0)
    earlier = TournamentFactory(entries=0, owner=tournament.owner, name="Last Friday")
    add_entry(earlier, {"rating": 1850}, {"name": "Kim Larsen", "external_id": "42"})
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/add-player/")
    name = page.get_by_role("textbox", name="Name")
    expect(name).to_be_focused()
    page.keyboard.type("ki")
    regular = page.get_by_role("button", name="Add Kim Larsen")
    expect(regular).to_be_visible()
    looks_right(page, *LOOKS)
    page.keyboard.press("ArrowDown")
    expect(regular).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kim Larsen added.")).to_be_visible()
    for new in ("Bo Lind", "Kim Larsen"):
        expect(name).to_be_focused()
        page.keyboard.type(new)
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{new} added.")).to_be_visible()
    assert [*tournament.entries.values_list("rating", flat=True)] == [1850, None, None]

    follow(page, "Check-in")
    search = page.get_by_role("searchbox", name="Find a player")
    expect(search).to_be_focused()
    page.keyboard.type("larsen")
    expect(page.get_by_role("listitem").filter(has_text="Bo Lind")).to_have_count(0)
    here = page.get_by_role("button", name="Kim Larsen (1 of 2): here")
    paid = page.get_by_role("button", name="Kim Larsen (2 of 2): paid")
    for button in (here, paid):
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button).to_be_focused()
    expect(page).to_have_title(re.compile("1 of 3 checked in"))
    expect(page.get_by_role("option", name="not checked in (2)")).to_be_attached()
    looks_right(page, *LOOKS)

    search.fill("")
    search.press_sequentially("bo")
    search.press("Enter")  # at once: not what the list shows counts, but what was typed
    expect(page.get_by_text("Bo Lind is checked in.")).to_be_visible()
    expect(search).to_be_focused()
    expect(search).to_have_value("")
    expect(page.get_by_text(re.compile("2 of 3 checked in, 1 missing"))).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="Kim Larsen")).to_have_count(2)
    search.press("Enter")  # and on the empty box nothing
    expect(page.get_by_text(re.compile("2 of 3 checked in, 1 missing"))).to_be_visible()
    follow(page, "Withdraw no-shows")
    looks_right(page, *LOOKS)
    page.get_by_role("button", name="Withdraw 1 no-show").press("Enter")
    expect(page.get_by_text("1 no-show withdrawn.")).to_be_visible()


@pytest.fixture
def hall(page, live_server):
    page.tournament = TournamentFactory(entries=12)
    open_as(page, live_server, page.tournament.owner, f"/t/{page.tournament.slug}/desk/check-in/")
    page.focus("#q")
    return page


def test_names_typed_without_a_pause_are_each_checked_in(hall):
    for number in range(1, 12):
        hall.keyboard.type(f"player {number:02}")
        hall.keyboard.press("Enter")
    expect(hall.locator("#here-count")).to_contain_text("11 of 12 checked in, 1 missing")
    expect(hall.locator("#messages")).to_contain_text("Player 11 is checked in.")
    expect(hall.locator("#q")).to_have_value("")
    expect(hall.locator("#q")).to_be_focused()
    assert hall.tournament.entries.get(checked_in=False).name == "Player 12"


def test_a_line_that_several_fit_comes_back_and_is_listed_where_another_is_typed(hall):
    hall.keyboard.type("player 1")
    hall.keyboard.press("Enter")
    expect(hall.locator("#q")).to_have_value("player 1")
    expect(hall.locator("#people li")).to_have_count(3)
    expect(hall.locator("#messages")).to_contain_text("3 players match: Player 10, Player 11, Player 12.")
    hall.evaluate("""() => {
        const box = document.getElementById("q");
        for (const line of ["player 1", "player 03"]) { box.value = line; box.form.requestSubmit(); }
    }""")
    expect(hall.locator("[data-unsaved] li")).to_have_text("player 1")
    expect(hall.locator("#here-count")).to_contain_text("1 of 12")
    assert hall.tournament.entries.get(checked_in=True).name == "Player 03"


def test_the_list_follows_while_somebody_types_and_its_buttons_work_from_the_moment_they_come_in(hall):
    hall.evaluate("""() => {
        window.same = true;
        document.body.addEventListener(
            "htmx:afterSwap",
            () => Promise.resolve().then(() => document.querySelector("#people button[name=here]").click()),
            { once: true },
        );
    }""")
    hall.keyboard.type("12", delay=50)
    expect(hall.locator("#people li")).to_have_count(1)
    expect(hall.locator("#here-count")).to_contain_text("1 of 12 checked in")
    assert hall.evaluate("window.same"), "the click left the page"
    assert hall.input_value("#q") == "12"


def test_on_a_phone_a_name_is_one_line_and_the_list_stays_while_one_after_the_other_is_pressed(hall):
    hall.tournament.entries.filter(name="Player 01").update(name="Carla Martinez")
    hall.set_viewport_size(PHONE)
    hall.reload()
    lowest = "row => Math.max(...[...row.children].map((part) => part.getBoundingClientRect().top))"
    line = hall.locator("#people li", has_text="Carla Martinez")
    expect(line.get_by_role("button", name="here")).to_be_visible()
    assert line.evaluate(lowest) < line.get_by_role("link").last.bounding_box()["y"] + 20
    box, button = hall.locator("#q"), hall.get_by_role("button", name="Check in", exact=True)
    assert abs(box.bounding_box()["y"] - button.bounding_box()["y"]) < 5

    hall.set_viewport_size({"width": 360, "height": 844})
    for show in ("", "missing"):
        hall.goto(f"{hall.url.split('?')[0]}?show={show}")
        places = "() => [...document.querySelectorAll('#people li')].map((row) => row.offsetTop)"
        before, rows = hall.evaluate(places), hall.locator("#people li")
        for row in range(rows.count()):
            rows.nth(row).locator("button").last.click()
            expect(rows.nth(row).locator("button[name=away]")).to_be_visible()
            assert hall.evaluate(places) == before, (show, row)
        hall.tournament.entries.update(checked_in=False)
    drop_entry(hall.tournament, "P0003")
    hall.goto(f"{hall.url.split('?')[0]}?show=out")
    hall.get_by_role("button", name="Player 03 has arrived").click()
    expect(rows.first.locator("button[name=away]")).to_be_visible()  # the row stays in the list
    assert hall.tournament.entries.get(code="P0003").checked_in
