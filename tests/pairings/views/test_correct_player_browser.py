"""A drop that was a mistake, found after the next round was published: corrected in a real browser by keys alone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.services.drops import drop_entry

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner():
    return UserFactory(username="ada")


def press(page, link_or_button):
    link_or_button.focus()
    page.keyboard.press("Enter")


def test_a_mistaken_drop_after_publication_ends_in_a_seat(page, live_server, owner):
    event = TournamentFactory(entries=8, rounds=2, owner=owner)
    drop_entry(event, "P0003")
    RoundFactory(tournament=event)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/players/P0003/")
    press(page, page.get_by_role("link", name="Correct a mistake…"))
    expect(page.get_by_label("In the event from")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Home")  # the end of the event
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What changes")).to_be_focused()
    expect(page.get_by_text("Player 03 reinstated; Player 03, round 3: missed")).to_be_visible()
    page.get_by_label("Who ruled").focus()
    page.keyboard.type("Ana")
    page.keyboard.press("Tab")
    page.keyboard.type("The drop was on the wrong slip.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Repair round 3")).to_be_visible()
    expect(page.get_by_label("Player 03")).to_be_checked()
    few = page.get_by_role("region", name="Change as few tables as possible")
    few.get_by_label("Reason").focus()
    page.keyboard.type("The drop was a mistake.")
    press(page, few.get_by_role("button", name="Change these tables"))
    expect(page.get_by_text("Round 3 is re-paired.")).to_be_visible()
    seat = event.seats.get(round__number=3, entry__code="P0003")
    assert seat.opponent is not None
    assert not event.seats.filter(round__number=3, kind="bye").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_pages_fit_their_screen_and_can_be_read_by_all(page, live_server, owner, width, scheme):
    event = TournamentFactory(entries=9, rounds=2, owner=owner)
    code = event.seats.get(round__number=1, kind="bye").entry.code
    desk = f"/t/{event.slug}/desk/"
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    open_as(page, live_server, owner, f"{desk}correct/?q=pl")
    for address in (
        "correct/?q=pl",
        "correct/?round=1&table=99",
        "correct/missing-player/",
        f"players/{code}/correct/",
        f"rounds/1/players/{code}/correct/",
    ):
        page.goto(f"{live_server.url}{desk}{address}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
        assert Axe().run(page).response["violations"] == [], address
    form = page.locator("form.correction section").bounding_box()
    assert form["x"] == page.locator("h1").bounding_box()["x"], "the form stands below its heading"
    page.get_by_label("This round counts as").select_option("missed")
    page.get_by_role("button", name="See what changes").click()
    expect(page.get_by_role("heading", name="What changes")).to_be_visible()
    assert Axe().run(page).response["violations"] == []


def test_the_index_finds_a_player_while_one_types(page, live_server, owner):
    event = TournamentFactory(entries=8, rounds=1, owner=owner)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/correct/")
    expect(page.get_by_label("Round")).to_be_focused()
    page.get_by_label("Find a player").focus()
    page.keyboard.type("07")
    press(page, page.get_by_role("link", name="Player 07"))
    expect(page.get_by_role("heading", name="Correct Player 07")).to_be_visible()
