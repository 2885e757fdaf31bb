import re
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import LONG, LOOKS, PHONE, looks_right, open_as
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.standings.views.test_bracket import drawn, play_out, win
from tests.steps import complete_round
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.entries import rename_entry

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def club(live_server):
    """The standings of seven players under head-to-head, two of one name and one with a long one."""
    tournament = TournamentFactory(entries=7, rounds=3, ruleset="ffg")
    complete_round(tournament, 3)
    for code, name in (("P0001", LONG), ("P0002", "Ada Ruiz"), ("P0003", "Ada Ruiz")):
        rename_entry(tournament, code, name)
    return f"{live_server.url}/t/{tournament.slug}/standings/"


def test_a_number_opens_in_place_by_keyboard_and_its_parts_lead_on(page: Page, browser: Browser, club):
    page.goto(club)
    number = page.locator("td.num a.why[href*=strength]").first
    number.focus()
    page.keyboard.press("Enter")
    expect(page.locator("tr.derivation")).to_have_count(1)
    expect(number).to_be_focused()
    looks_right(page, *LOOKS)
    part = page.locator("tr.derivation .value a.number").first
    part.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Points per round")
    page.get_by_role("link", name="Back to that number").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Strength of schedule")

    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(club)
    plain.locator("td.num a.why[href*=strength]").first.click()
    expect(plain.get_by_role("heading", level=1)).to_contain_text("Strength of schedule")
    plain.context.close()


INNER_SCROLLERS = """() => [...document.querySelectorAll("main *")].filter((each) =>
  /auto|scroll/.test(getComputedStyle(each).overflowY) && each.scrollHeight > each.clientHeight).length"""


@pytest.mark.parametrize("width", [360, 390])
def test_a_row_has_two_lines_on_a_phone_and_opens_all_its_numbers(page: Page, club, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(club)
    row = page.locator("table.standings > tbody > tr").nth(2)
    cells = row.locator("td")
    assert cells.evaluate_all("all => all.filter((cell) => cell.offsetWidth).length") < cells.count()
    assert page.evaluate(INNER_SCROLLERS) == 0
    box = row.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    opened = page.locator("tr.derivation")
    expect(opened).to_contain_text("Extended strength of schedule")
    expect(opened.get_by_role("link", name="matches")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


# Where the parts of the first text that has them all are painted, from left to right.
PAINTED = """(parts) => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const starts = parts.map((part) => node.data.indexOf(part));
    if (starts.includes(-1)) continue;
    const left = (start, length) => {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + length);
      return range.getBoundingClientRect().left;
    };
    return parts.map((part, n) => left(starts[n], part.length));
  }
}"""


def test_a_score_between_two_names_written_from_right_to_left_is_not_turned(page, live_server):
    tournament = TournamentFactory(entries=2)
    rename_entry(tournament, "P0001", "محمد")
    rename_entry(tournament, "P0002", "דוד")
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    seats = Match.objects.get(round__tournament=tournament).seats.order_by("side")
    first, second = [seat.entry.name for seat in seats]
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/log/")
    painted = page.evaluate(PAINTED, [first, " 2", "–0", second])
    assert painted and painted == sorted(painted)


def running(size: int):
    """A bracket in its first round, one result in, its best seed with a name of 80 characters."""
    tournament = drawn(size)
    best = tournament.stages.get(kind="elimination").stage_entries.get(seed=1).entry
    rename_entry(tournament, best.code, LONG)
    win(tournament, Slip("played", 2, 1))
    return tournament


def test_a_phone_shows_one_round_without_a_script_and_a_desk_all_with_lines(browser: Browser, live_server):
    tournament = running(8)
    context = browser.new_context(java_script_enabled=False, viewport=PHONE)
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
    middles = page.evaluate(
        """() => [...document.querySelectorAll(".bracket-round")].map(round =>
             [...round.querySelectorAll("li")].map(li => {
               const box = li.getBoundingClientRect(); return box.top + box.height / 2; }))"""
    )
    for left, right in pairwise(middles):  # the lines lead from each match to the middle of its pair
        pairs = [sum(pair) / 2 for pair in zip(left[::2], left[1::2], strict=True)]
        assert pairs == pytest.approx(right, abs=1)
    context.close()


def heard(locator) -> str:
    return " ".join(locator.aria_snapshot().split())


def test_results_come_by_themselves_are_read_out_once_and_end_at_the_podium(page: Page, live_server):
    tournament = running(4)
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/bracket/")
    matches = page.locator(".bracket").get_by_role("listitem")
    assert re.match(
        r"- listitem:.*Semifinal 1: .*, seed 1, beat Player \d+, seed 4, 2–1\.", heard(matches.first)
    )
    assert heard(matches.first).count("Maximiliana") == 1  # the drawing says nothing
    page.goto(f"{page.url}?round=2")
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
    expect(page.locator(".champion")).to_contain_text("Champion")
    expect(page.locator(".champion dt")).to_have_text(["2nd", "3rd", "All places"])
    expect(page.locator("#announce")).to_contain_text("Champion: ")


@pytest.mark.slow
def test_the_screen_fills_the_screen_turns_its_pages_and_can_be_stopped(page: Page, live_server):
    tournament = running(32)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/screen/bracket/")
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


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 32, 64])
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
