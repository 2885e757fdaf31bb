"""A wrong result found later, corrected in a real browser by keys alone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Match

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner():
    return UserFactory(username="ada", is_staff=True, is_superuser=True)


def winner_at(event, number, table=1):
    return Match.objects.get(round__tournament=event, round__number=number, table=table).winner


def correct(page, games):
    """Fill in the right games, look at what changes, say why, save; all by keys."""
    expect(page.locator("input[name=a]")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(games[0])
    page.keyboard.press("Tab")
    page.keyboard.type(games[1])
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What changes")).to_be_visible()
    page.get_by_label("Who ruled").focus()
    page.keyboard.type("Ana")
    page.keyboard.press("Tab")
    page.keyboard.type("The slip was read the wrong way round.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("is corrected")).to_be_visible()


@pytest.mark.parametrize("number", [3, 2])
def test_a_wrong_result_of_an_earlier_round_leads_on_to_the_repair(page, live_server, owner, number):
    event = TournamentFactory(entries=8, rounds=3, published=True, owner=owner)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/rounds/{number}/")
    games = "02" if winner_at(event, number) == "a" else "20"
    page.get_by_role("link", name="Table 1: correct the result").focus()
    page.keyboard.press("Enter")
    correct(page, games)
    assert page.url.endswith("/desk/rounds/4/repair/")
    assert winner_at(event, number) == ("b" if games == "02" else "a")


def test_a_finished_event_is_corrected_from_the_admin(page, live_server, owner):
    event = TournamentFactory(entries=8, rounds=2, finished=True, owner=owner)
    open_as(page, live_server, owner, "/admin/tournament/match/")
    page.get_by_role("link", name="Correct…").first.focus()
    page.keyboard.press("Enter")
    games = "02" if winner_at(event, 2) == "a" else "20"
    correct(page, games)
    assert winner_at(event, 2) == ("b" if games == "02" else "a")
    event.refresh_from_db()
    assert event.state == "finished"


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_effect_fits_its_screen_and_can_be_read_by_all(page, live_server, owner, width, scheme):
    event = TournamentFactory(entries=8, rounds=3, owner=owner)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/rounds/1/tables/1/correct/")
    page.fill("input[name=a]", "0" if winner_at(event, 1) == "a" else "2")
    page.fill("input[name=b]", "2" if winner_at(event, 1) == "a" else "0")
    page.get_by_role("button", name="See what changes").click()
    expect(page.get_by_role("heading", name="What changes")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert Axe().run(page).response["violations"] == []
