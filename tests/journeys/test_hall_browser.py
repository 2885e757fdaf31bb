import re
import time

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import LONG, LOOKS, PHONE, looks_right, open_as
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tournament.models import Extension, Staff
from tournament.services.clock import start_clock
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db(transaction=True)

LEFT = "document.querySelector('.clock').textContent.split(':').reduce((m, s) => 60 * Number(m) + Number(s))"


def agree(*pages: Page, seconds: float) -> None:
    end = time.monotonic() + 10
    while True:
        due = seconds - time.monotonic()
        shown = [page.evaluate(LEFT) for page in pages]
        if all(isinstance(left, int | float) and abs(left - due) <= 1 for left in shown):
            return
        assert time.monotonic() < end, (shown, due)
        time.sleep(0.1)


def look(*pages: Page) -> None:
    for page in pages:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_desk_screen_and_a_phone_that_is_7_minutes_wrong_agree(page: Page, browser: Browser, live_server):
    tournament = TournamentFactory(entries=4, published=True, round_minutes=11)
    address = f"{live_server.url}/t/{tournament.slug}/clock/"
    with (
        browser.new_context(viewport={"width": 1920, "height": 1080}) as hall,
        browser.new_context() as pocket,
    ):
        screen, phone = hall.new_page(), pocket.new_page()
        phone.clock.install(time=time.time() + 7 * 60)
        screen.goto(address)
        phone.goto(address)
        expect(screen.locator(".face-time")).to_contain_text("The clock is off.")
        open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/1/")
        page.get_by_role("button", name="Start the clock: 11 min").click()
        pause = page.get_by_role("button", name="Pause")
        expect(pause).to_be_visible()
        deadline = tournament.rounds.get(number=1).ends_at.timestamp() - time.time() + time.monotonic()
        look(screen, phone)
        expect(screen.locator("[data-ends]")).to_be_visible()
        expect(phone.locator("[data-ends]")).to_be_visible()
        agree(page, screen, phone, seconds=deadline)
        assert screen.locator("[role=timer]").evaluate("timer => timer.getBoundingClientRect().height") > 300

        phone.clock.fast_forward("05:00")  # it slept, or its clock was put right
        look(phone)
        agree(phone, seconds=deadline)

        pocket.set_offline(True)
        agree(phone, seconds=deadline)  # it counts on
        pause.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        pocket.set_offline(False)
        look(screen)
        for shown in (page, screen, phone):
            expect(shown.locator(".clock").first).to_contain_text("10:")
            expect(shown.locator("[data-ends]")).to_have_count(0)
        looks_right(screen, ("dark", 1920))
        looks_right(page, *LOOKS)


SEEN = """() => [...document.querySelectorAll('.face:not([hidden]) .name')].filter(name => {
  const box = name.getBoundingClientRect();
  return box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight;
}).map(name => name.textContent)"""


def test_pages_fit_the_screen_turn_by_arrows_and_outlive_the_network(page: Page, live_server):
    tournament = TournamentFactory(entries=134, published=True, round_minutes=50)
    start_clock(tournament, 1)
    change_settings(tournament, screen_seconds=120)
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/screen/")
    count = page.locator(".page-count")
    expect(count).to_have_text(re.compile(r"^Page 1 of 2, next in 1\d\d s$"))
    first = page.evaluate(SEEN)
    assert len(first) >= 67  # so 200 take at most 3 pages
    size = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.face-rows')).fontSize)")
    assert size >= 34  # legible at 10 m
    expect(page.locator(".face-marks .on")).to_have_text(re.compile(r"^Player 0 to Player \d\d$"))
    page.keyboard.press("ArrowRight")
    second = page.evaluate(SEEN)
    assert sorted(first + second) == sorted(f"Player {n:02d}" for n in range(1, 135))
    page.clock.run_for(121_000)
    expect(page.locator(".face:visible h1")).to_have_text("Round 1")  # the clock's turn
    page.keyboard.press("Space")
    expect(count).to_have_text("stopped")
    page.route("**/screen/part/**", lambda route: route.abort())
    page.clock.run_for(15_000)
    expect(page.locator(".live-off")).to_have_text(re.compile(r"^No connection: as of \d\d:\d\d$"))
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    RoundFactory(tournament=tournament)
    page.unroute("**/screen/part/**")
    page.clock.run_for(15_000)
    expect(page.locator(".face:visible h1")).to_have_text("Round 2 pairings")
    expect(page.locator(".live-off")).to_be_hidden()


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
    "sweep-sheet/": 2,
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
    tournament = TournamentFactory(entries=67, rounds=1, published=True, name=EVENT)
    prizes = [
        {"first": 1, "amount": "1000", "what": "trophy"},
        {"first": 2, "last": 67, "amount": "12.50", "what": PRIZE},
        {"by": "points", "points": "0", "what": "promo card"},
    ]
    change_settings(tournament, prizes=prizes, prize_split="share")
    for code, name in {"P0001": LONG, "P0002": CJK[:80], "P0003": WIDE}.items():
        rename_entry(tournament, code, name)
    base = f"/t/{tournament.slug}/desk/rounds/2/print/"
    open_as(page, live_server, tournament.owner, base)
    for path, sheets in SHEETS.items():
        page.goto(live_server.url + base + path)
        check_sheets(page, sheets, path)
        page.emulate_media(media="print")
        assert page.locator("header.bar, footer.foot, h1").filter(visible=True).count() == 0
        assert page.evaluate(UNDERLINED) == 0, path
        page.emulate_media(media="null")
    for seat, letter in zip(tournament.seats.filter(round__number=2, match__table=9), "WM", strict=True):
        rename_entry(tournament, seat.entry.code, letter * 80)
    page.goto(f"{live_server.url}{base}sweep-sheet/")
    check_sheets(page, 3, "sweep-sheet/ of the longest names")
    sizes = page.locator("td.pair span").evaluate_all(
        "names => names.map(name => parseFloat(getComputedStyle(name).fontSize))"
    )
    assert max(sizes) == 14 and min(sizes) >= 11.2  # 80%
    page.goto(f"{live_server.url}{base}../../../print/prize-list/")
    size = page.locator("td .tiny").first.evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
    assert size > 8  # a prize uses the height of its row

    client.force_login(tournament.owner)
    file = tmp_path / "everything.html"
    file.write_bytes(client.get(f"/t/{tournament.slug}/desk/print/everything.html").content)
    page.goto(file.as_uri())
    promised = page.locator(".cover td.number").all_inner_texts()
    check_sheets(page, 1 + sum(map(int, promised)), "everything")


def check_sheets(page, sheets: int, path: str) -> None:
    """Chromium prints so many pages of either paper, and no text is cut off on the lower one."""
    for paper in ("A4", "Letter"):
        pages = re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))
        assert len(pages) == sheets, (path, paper)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 816, "height": 1056})  # Letter
    assert page.evaluate(CUT_OFF) == [], path
    page.emulate_media(media="null")


def test_a_judge_gives_five_minutes_and_records_a_warning(page, live_server):
    judge = UserFactory(username="lena")
    tournament = TournamentFactory(entries=24, published=True)
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    page.set_viewport_size(PHONE)
    open_as(page, live_server, judge, f"/t/{tournament.slug}/desk/judge/")
    table = page.get_by_role("link", name="Table 7, playing")
    sheet = page.get_by_role("region", name="Table 7")
    table.click()
    expect(sheet).to_be_visible()
    looks_right(page, *LOOKS)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(table).to_be_focused()
    page.keyboard.press("Enter")
    five = sheet.get_by_role("button", name="+5 min")
    page.evaluate("window.stays = true")
    five.click()
    expect(sheet.get_by_role("status")).to_contain_text("Table 7, round 1: 5-minute time extension")
    expect(five).to_be_focused()
    assert Extension.objects.get().minutes == 5

    page.route("**/extension/", lambda route: route.abort())
    five.click()
    expect(sheet.get_by_text("Not saved yet: the connection was lost.")).to_be_visible()
    page.unroute("**/extension/")

    sheet.get_by_role("link", name=re.compile("Penalty for")).first.focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("region", name="Penalty")
    infraction = sheet.get_by_label("Infraction")
    expect(infraction).to_be_visible()
    expect(sheet.get_by_role("heading", name="Penalty")).to_be_focused()
    looks_right(page, *LOOKS)
    sheet.get_by_label("warning").focus()
    page.keyboard.press("Space")
    infraction.evaluate("field => field.required = false")  # as an old browser would send it
    page.keyboard.press("Enter")
    expect(sheet.get_by_text("Enter the infraction.")).to_be_visible()
    assert not tournament.penalties.exists()
    infraction.fill("Outside Assistance")
    expect(sheet.get_by_label("match loss")).to_be_checked()
    infraction.fill("Slow Play")
    expect(sheet.get_by_label("warning")).to_be_checked()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("region", name="Table 7")
    expect(sheet.get_by_text("warning recorded.")).to_be_visible()
    assert tournament.penalties.get().kind == "warning" and page.evaluate("window.stays")
    looks_right(page, *LOOKS)
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Table 7, +5")).to_be_focused()
