"""Paper in a real browser: chromium's own PDF has as many pages as the page says, and nothing on them is cut off."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TournamentFactory, UserFactory
from tests.standings.views.test_bracket_browser import problems
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "Maximiliana Featherstonehaugh-Cholmondeley von und zu Unterwaldbergheim-Oberdorf"
CJK = "寿限無五劫の擦り切れ海砂利水魚の水行末雲来末風来末" * 3 + "長久命長助"
WIDE = "W" * 80
PRIZE = "3 boosters, a playmat signed by the artist, and a seat in the next championship"
EVENT = "Regional Championship Qualifier, Spring 2026, Northern District, Open Division"
SHEETS = {  # of 33 tables and a bye, so that each kind has a last sheet which is not full
    "slips/": 5,
    "slips/?per=6&back=1": 12,
    "slips/?per=4": 9,
    "pairings-by-name/": 2,
    "pairings-by-table/": 1,
    "master-result-sheet/": 2,
    "crosstable/": 2,
    "../../../print/place-cards/": 9,
    "../../../print/prize-list/": 4,
}
# Elements that stick out of their sheet, and texts that are higher than their slip or row shows.
CUT_OFF = """() => [...document.querySelectorAll('.paper')].flatMap(sheet => {
  const edge = sheet.getBoundingClientRect();
  return [...sheet.querySelectorAll('td, footer, dd, img, td > span, td.name b')].filter(part => {
    const box = part.getBoundingClientRect();
    return box.bottom > edge.bottom + 1 || box.right > edge.right + 1 || part.scrollHeight > part.clientHeight + 3;
  }).map(part => part.textContent.trim().slice(0, 40));
})"""

# Numbers that look as if they could be pressed.
UNDERLINED = """() => [...document.querySelectorAll('.paper .number')].filter(
  cell => getComputedStyle(cell).textDecorationLine !== 'none').length"""


def test_a_pdf_has_the_pages_that_were_promised(page, client, live_server, tmp_path):
    owner = UserFactory(username="ada")
    tournament = TournamentFactory(entries=67, rounds=1, published=True, owner=owner, name=EVENT)
    prizes = [
        {"first": 1, "amount": "1000", "what": "trophy"},
        {"first": 2, "last": 67, "amount": "12.50", "what": PRIZE},
        {"by": "points", "points": "0", "what": "promo card"},
    ]
    change_settings(tournament, prizes=prizes, prize_split="share")
    for code, name in {"P0001": LONG, "P0002": CJK[:80], "P0003": WIDE}.items():
        rename_entry(tournament, code, name)
    base = f"/t/{tournament.slug}/desk/rounds/2/print/"
    open_as(page, live_server, owner, base)
    for path, sheets in SHEETS.items():
        page.goto(live_server.url + base + path)
        check_sheets(page, sheets, path)
        page.emulate_media(media="print")
        assert page.locator("header.bar, footer.foot, h1").filter(visible=True).count() == 0
        assert page.evaluate(UNDERLINED) == 0, path
        page.emulate_media(media="null")
    size = page.locator("td .tiny").first.evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
    assert size > 8  # a prize uses the height of its row

    client.force_login(owner)
    file = tmp_path / "take-over.html"
    file.write_bytes(client.get(f"/t/{tournament.slug}/desk/take-over.html").content)
    page.goto(file.as_uri())
    promised = page.locator(".cover td.number").all_inner_texts()
    check_sheets(page, 1 + sum(map(int, promised)), "take-over")


def check_sheets(page, sheets: int, path: str) -> None:
    """Chromium prints so many pages of either paper, and no text is cut off on the lower one."""
    for paper in ("A4", "Letter"):
        pages = re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))
        assert len(pages) == sheets, (path, paper)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 816, "height": 1056})  # Letter
    assert page.evaluate(CUT_OFF) == [], path
    page.emulate_media(media="null")


def test_everyone_can_read_the_pages_and_the_box_takes_a_code(page, live_server):
    owner = UserFactory(username="ada")
    tournament = TournamentFactory(entries=8, published=True, owner=owner)
    base = f"/t/{tournament.slug}/desk/"
    open_as(page, live_server, owner, f"{base}print/")
    for path in (
        "print/",
        "rounds/1/print/",
        "rounds/1/print/slips/",
        "rounds/1/print/pairings-by-name/",
        "slips/",
    ):
        page.goto(live_server.url + base + path)
        page.set_viewport_size({"width": 390, "height": 800})
        assert problems(page) == "", path
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    page.goto(f"{live_server.url}{base}rounds/1/print/slips/")
    code = page.locator(".slip[aria-label$='table 3'] .code b").inner_text()
    page.goto(f"{live_server.url}{base}slips/")
    expect(page.locator("main input[name=q]")).to_be_focused()
    page.keyboard.type(code.lower())
    page.keyboard.press("Enter")
    page.wait_for_url("**/rounds/1/tables/3/result/")
