"""The check-in in a real browser: a queue of names typed faster than they are saved, and the list that follows."""

import pytest
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TournamentFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hall(page, live_server):
    """The check-in of twelve players, its owner signed in."""
    owner = UserFactory(username="ada")
    page.tournament = TournamentFactory(entries=12, owner=owner)
    open_as(page, live_server, owner, f"/t/{page.tournament.slug}/desk/check-in/")
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
    left = hall.tournament.entries.filter(checked_in=False)
    assert list(left.values_list("name", flat=True)) == ["Player 12"]


def test_a_line_that_several_fit_comes_back_and_is_listed_where_another_is_typed(hall):
    hall.keyboard.type("player 1")
    hall.keyboard.press("Enter")
    expect(hall.locator("#q")).to_have_value("player 1")
    expect(hall.locator("#people li")).to_have_count(3)
    hall.evaluate("""() => {
        const box = document.getElementById("q");
        for (const line of ["player 1", "player 03"]) { box.value = line; box.form.requestSubmit(); }
    }""")
    expect(hall.locator("[data-unsaved] li")).to_have_text("player 1")
    expect(hall.locator("#here-count")).to_contain_text("1 of 12")
    assert hall.tournament.entries.get(checked_in=True).name == "Player 03"


def test_the_list_follows_while_somebody_types_and_the_page_stays(hall):
    hall.evaluate("window.same = true")
    hall.keyboard.type("12", delay=50)
    expect(hall.locator("#people li")).to_have_count(1)
    assert hall.evaluate("window.same") and hall.input_value("#q") == "12"


def test_a_button_works_from_the_moment_it_comes_in(hall):
    hall.evaluate("""() => {
        window.same = true;
        document.body.addEventListener(
            "htmx:afterSwap",
            () => Promise.resolve().then(() => document.querySelector("#people button[name=here]").click()),
            { once: true },
        );
    }""")
    hall.keyboard.type("12")
    expect(hall.locator("#here-count")).to_contain_text("1 of 12 checked in")
    assert hall.evaluate("window.same"), "the click left the page"


def test_a_name_and_its_buttons_are_one_line_on_a_phone(hall):
    hall.tournament.entries.filter(name="Player 01").update(name="Carla Martinez")
    hall.set_viewport_size({"width": 390, "height": 844})
    hall.reload()
    lowest = "row => Math.max(...[...row.children].map((part) => part.getBoundingClientRect().top))"
    line = hall.locator("#people li", has_text="Carla Martinez")
    expect(line.get_by_role("button", name="here")).to_be_visible()
    assert line.evaluate(lowest) < line.get_by_role("link").last.bounding_box()["y"] + 20
    box, button = hall.locator("#q"), hall.get_by_role("button", name="Check in", exact=True)
    assert abs(box.bounding_box()["y"] - button.bounding_box()["y"]) < 5
