"""The bracket in a real browser: phone, desk, screen, paper, without a script, and for a screen reader."""

import re
from itertools import pairwise

import pytest
from django.conf import settings as django_settings
from playwright.sync_api import Browser, Page, expect

from standings.bracket.results import record_bracket_result
from tests.conftest import CI
from tests.factories import TournamentFactory
from tests.standings.views.test_bracket import drawn, play_out, win
from tournament.results.slip import Slip
from tournament.services.entries import rename_entry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
LONG = "Maximiliana Featherstonehaugh-Cholmondeley y Ortiz de Zárate von und zu Hohenlohe"


def running(size: int):
    """A bracket in its first round, one result in, its best seed with a name of 80 characters."""
    tournament = drawn(size)
    best = tournament.stages.get(kind="elimination").stage_entries.get(seed=1).entry
    rename_entry(tournament, best.code, LONG[:80])
    win(tournament, Slip("played", 2, 1))
    return tournament


def problems(page: Page) -> str:
    """What axe finds; empty where everybody can read it."""
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page)
    return results.generate_report() if results.violations_count else ""


@pytest.mark.slow
def test_every_page_fits_its_screen_and_can_be_read_by_all(page: Page, live_server):
    tournament = running(8)
    home = f"{live_server.url}/t/{tournament.slug}/bracket/"
    pages = ("", "?round=all", "screen/", "print/")
    few = [(320, "light", ""), (1280, "dark", "screen/")]
    every = [(width, scheme, more) for width in (320, 1280) for scheme in ("light", "dark") for more in pages]
    for width, scheme, more in every if CI else few:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        page.goto(home + more)
        assert problems(page) == "", (more, width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (more, width)


def test_the_cut_fits_a_phone_with_the_longest_name(page: Page, client, live_server):
    tournament = TournamentFactory(entries=5, rounds=1)
    for code in tournament.entries.values_list("code", flat=True):
        rename_entry(tournament, code, LONG[:80])
    client.force_login(tournament.owner)
    name = django_settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{live_server.url}/t/{tournament.slug}/desk/cut/?size=4")
    expect(page.get_by_role("heading", name="Qualified, by seed")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_shows_one_round_and_its_links_work_without_a_script(browser: Browser, live_server):
    tournament = running(8)
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    element = page.locator(".bracket-round:visible h2")
    expect(element).to_have_text(["Quarterfinals"])
    page.get_by_role("link", name="Final", exact=True).click()
    expect(element).to_have_text(["Final"])
    page.get_by_role("link", name="Whole bracket").click()
    expect(element).to_have_text(["Quarterfinals", "Semifinals", "Final"])
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    expect(element).to_have_text(["Quarterfinals", "Semifinals", "Final"])
    context.close()


def test_the_lines_lead_from_each_match_to_the_middle_of_its_pair(page: Page, live_server):
    tournament = running(8)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    middles = page.evaluate(
        """() => [...document.querySelectorAll(".bracket-round")].map(round =>
             [...round.querySelectorAll("li")].map(li => {
               const box = li.getBoundingClientRect(); return box.top + box.height / 2; }))"""
    )
    for left, right in pairwise(middles):
        pairs = [sum(pair) / 2 for pair in zip(left[::2], left[1::2], strict=True)]
        assert pairs == pytest.approx(right, abs=1)


def test_for_ears_there_are_headings_lists_and_sentences(page: Page, live_server):
    tournament = running(4)
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    expect(page.get_by_role("heading", name="Bracket of 4", level=1)).to_be_visible()
    assert page.get_by_role("heading", level=2).all_inner_texts()[:2] == ["SEMIFINALS", "FINAL"]
    matches = page.locator(".bracket").get_by_role("listitem")
    assert re.match(
        r"- listitem:.*Semifinal 1: .*, seed 1, beat Player \d+, seed 4, 2–1\.", heard(matches.first)
    )
    assert heard(matches.first).count("Maximiliana") == 1  # the drawing says nothing


def heard(locator) -> str:
    return " ".join(locator.aria_snapshot().split())


@pytest.mark.slow
def test_a_new_result_comes_by_itself_and_is_read_out_once(page: Page, live_server):
    tournament = running(4)
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/?round=2")
    expect(page.locator("#announce")).to_be_empty()
    expect(page).to_have_title("Bracket · 1 match open · Friday night")
    page.evaluate("window.said = []; new MutationObserver(() => said.push(announce.textContent))"
                  ".observe(announce, {childList: true})")  # fmt: skip
    win(tournament)
    page.clock.run_for(16_000)
    expect(page.locator("#announce")).to_contain_text("Semifinal 2: Player")
    expect(page.locator(".bracket-round.here h2")).to_have_text("Final")
    page.clock.run_for(60_000)
    assert len(page.evaluate("said")) == 1
    win(tournament)
    page.clock.run_for(16_000)
    expect(page).to_have_title(re.compile(r"^Champion: .* · Friday night$"))


@pytest.mark.slow
def test_the_screen_fills_the_screen_turns_its_pages_and_can_be_stopped(page: Page, live_server):
    tournament = running(32)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/screen/")
    element = page.locator(".screen-page:visible")
    expect(page.locator(".page-count")).to_contain_text("Page 1 of 3")
    expect(element).to_have_count(1)
    assert outside(page, ".screen-page:not([hidden])") == []
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.clock.run_for(12_500)
    expect(page.locator(".page-count")).to_contain_text("Page 2 of 3")
    page.keyboard.press("Space")
    win(tournament)
    before = page.get_attribute("#screen", "data-v")
    page.clock.run_for(60_000)
    expect(page.locator("#screen")).not_to_have_attribute("data-v", before)
    expect(page.locator(".page-count")).to_have_text("Page 2 of 3, stopped")  # the same page of the new part
    expect(element).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".page-count")).to_have_text("Page 3 of 3, stopped")


def outside(page: Page, part: str) -> list[str]:
    """Names that are not wholly inside that part of the page, or that lie over one another."""
    return page.evaluate(
        """part => {
          const frame = document.querySelector(part).getBoundingClientRect();
          const out = [];
          for (const round of document.querySelectorAll(`${part} .bracket-round`)) {
            let below = 0;
            for (const end of round.querySelectorAll(".side")) {
              const box = end.getBoundingClientRect();
              if (box.bottom > frame.bottom + 1 || box.right > frame.right + 1 || box.top < below - 1) {
                out.push(end.textContent);
              }
              below = box.bottom;
            }
          }
          return out;
        }""",
        part,
    )


PAPER = {"A4": (1062, 733), "Letter": (995, 756)}  # pixels inside margins of 8 mm, landscape
sizes = pytest.mark.parametrize(
    "size", [8, pytest.param(32, marks=pytest.mark.slow), pytest.param(64, marks=pytest.mark.slow)]
)


@pytest.mark.slow
@sizes
def test_the_sheet_is_one_page_with_every_name_on_it(page: Page, live_server, size):
    tournament = running(size)
    play_out(tournament)
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/print/")
    for paper, (width, height) in PAPER.items():
        document = page.pdf(format=paper, landscape=True)
        assert len(re.findall(rb"/Type\s*/Page\b(?!s)", document)) == 1, paper
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), paper
        assert outside(page, ".sheet-tree .bracket") == [], paper
        page.emulate_media(media="null")


@pytest.mark.slow
def test_sixty_four_have_their_own_scroller_with_the_keyboard(page: Page, live_server):
    tournament = drawn(64)
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    tree = page.get_by_role("region", name="Bracket diagram")
    tree.focus()
    page.keyboard.press("End")
    page.wait_for_timeout(300)
    assert tree.evaluate("tree => tree.scrollTop") > 500
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert problems(page) == ""


def test_the_podium_stands_on_the_page_as_soon_as_the_final_is_in(page: Page, live_server):
    tournament = running(4)
    win(tournament)
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    final = tournament.rounds.latest("number")
    record_bracket_result(tournament, final.number, 1, Slip("played", 2, 0))
    page.clock.run_for(16_000)
    podium = page.get_by_role("region", name="Podium")
    expect(podium.get_by_role("listitem")).to_have_count(3)
    expect(podium).to_contain_text("1st · Champion")
    expect(page.locator("#announce")).to_contain_text("Champion: ")
