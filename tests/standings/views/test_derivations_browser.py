"""Standings and derivations in a real browser: by keyboard, on a phone, in both themes, without JavaScript."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from standings.event.swiss import standings_of
from tests.conftest import CI
from tests.factories import TournamentFactory
from tests.steps import complete_round
from tournament.event.read import event_of
from tournament.services.entries import rename_entry

pytestmark = [pytest.mark.django_db, pytest.mark.browser]
SCREENS = ((390, "dark"), (320, "light"), (1280, "light"))
LONG = "Maximiliana Wolfeschlegelsteinhausenbergerdorff-Rodríguez de la Concepción y Ñu"


@pytest.fixture
def club(live_server):
    """Seven players under head-to-head, two of one name and one with a long one."""
    tournament = TournamentFactory(entries=7, rounds=3, ruleset="ffg")
    complete_round(tournament, 3)
    for code, name in (("P0001", LONG), ("P0002", "Ada Ruiz"), ("P0003", "Ada Ruiz")):
        rename_entry(tournament, code, name)
    return tournament


def paths_of(tournament) -> list[str]:
    leader = standings_of(event_of(tournament)).order[0]
    base = f"/t/{tournament.slug}/standings/"
    numbers = ("match_points", "head_to_head", "strength_of_schedule", "random")
    return [
        base,
        f"{base}?by=name",
        f"{base}{leader}/",
        *(f"{base}{leader}/{key}/" for key in numbers),
        "/tiebreaks/",
    ]


@pytest.mark.slow
def test_every_page_fits_a_phone_and_a_desk_and_can_be_read_by_all(page: Page, live_server, club):
    for width, scheme in SCREENS if CI else SCREENS[:1]:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        for path in paths_of(club):
            page.goto(live_server.url + path)
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (path, width)
            results = Axe().run(page)
            assert results.violations_count == 0, (path, width, results.generate_report())


def test_a_number_opens_in_place_by_keyboard_and_its_parts_lead_on(page: Page, live_server, club):
    page.goto(live_server.url + f"/t/{club.slug}/standings/")
    number = page.locator("td.num a.number[href*=strength]").first
    number.focus()
    page.keyboard.press("Enter")
    expect(page.locator("tr.derivation")).to_have_count(1)
    expect(number).to_be_focused()
    page.keyboard.press("Tab")
    part = page.locator("tr.derivation .value a.number").first
    part.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Points per round")
    page.get_by_role("link", name="Back to that number").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Strength of schedule")


INNER_SCROLLERS = """() => [...document.querySelectorAll("main *")].filter((each) =>
  /auto|scroll/.test(getComputedStyle(each).overflowY) && each.scrollHeight > each.clientHeight).length"""


def shown_in(cells: Locator) -> list[str]:
    return cells.evaluate_all("all => all.filter((cell) => cell.offsetWidth).map((cell) => cell.innerText)")


def test_a_phone_shows_the_first_tiebreaker_and_the_others_on_tap(page: Page, live_server, club):
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto(live_server.url + f"/t/{club.slug}/standings/")
    heads = page.locator("table.standings thead th")
    assert shown_in(heads)[:4] == ["Rank", "Player", "Match points", "Record"]
    assert len(shown_in(heads)) == 5 < heads.count()
    assert page.evaluate(INNER_SCROLLERS) == 0
    page.get_by_text("All tiebreakers").click()
    assert len(shown_in(heads)) == heads.count()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.mouse.wheel(0, 900)
    page.get_by_role("link", name=LONG).click()
    expect(page.get_by_role("heading", name=LONG)).to_be_visible()


def test_without_javascript_every_number_is_a_page_of_its_own(browser, live_server, club):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(live_server.url + f"/t/{club.slug}/standings/")
    page.get_by_role("link", name="by name").click()
    assert page.url.endswith("?by=name")
    page.locator("td.num a.number[href*=strength]").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Strength of schedule")
    page.get_by_role("link", name="Why").click()
    expect(page.get_by_role("heading", name="Why this rank")).to_be_visible()


@pytest.mark.slow
def test_rank_and_name_stay_in_sight_while_the_table_scrolls(page: Page, live_server, club):
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto(live_server.url + f"/t/{club.slug}/standings/")
    page.evaluate("window.scrollTo(0, 450)")
    head = page.locator("table.standings thead th.no").bounding_box()
    assert abs(head["y"]) < 3
    page.get_by_text("All tiebreakers").click()
    page.locator(".scroller").first.evaluate("element => (element.scrollLeft = 400)")
    for what in ("thead th.no", "thead th:nth-child(2)", "tbody tr:nth-child(5) th"):
        box = page.locator(f"table.standings {what}").first.bounding_box()
        scroller = page.locator(".scroller").first.bounding_box()
        assert scroller["x"] - 1 <= box["x"] < scroller["x"] + scroller["width"] / 2, what
