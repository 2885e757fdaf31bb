import contextlib
import os
import random
import time

import pytest
from playwright.sync_api import expect

from tests.browser import open_as
from tests.conftest import FULL, THOROUGH
from tests.factories import RoundFactory, TournamentFactory
from tests.tournament.views.desk import code_of
from tournament.actionlog.match_facts import read_match
from tournament.errors import Refused
from tournament.models import Match
from tournament.results.box_line import parse_line
from tournament.results.desk_sheet import load_desk_sheet
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(page, live_server):
    page.tournament = TournamentFactory(entries=16)
    RoundFactory(tournament=page.tournament)
    open_as(page, live_server, page.tournament.owner, f"/t/{page.tournament.slug}/desk/rounds/1/")
    return page


def typed(page, *lines):
    for line in lines:
        page.fill("#line", line)
        page.press("#line", "Enter")


def winners():
    """{table: side that won, or "" for a draw} of the tables with a result."""
    return dict(Match.objects.exclude(result=None).values_list("table", "winner"))


def test_refused_lines_are_listed_until_they_are_corrected_and_the_others_are_saved(desk):
    box, listed = desk.locator("#line"), desk.locator("[data-unsaved] li")
    typed(desk, "1 20", "2 21", "77 20", "3 02", "4 11", "5 id")
    desk.wait_for_selector("#match-5.in")
    assert winners() == {1: "a", 2: "a", 3: "b", 4: "", 5: ""}
    expect(listed).to_have_text(["77 20: There is no table 77 in round 1."])
    assert desk.title().startswith("Round 1 · 3 of 8 tables outstanding")
    expect(desk.locator(".rail [aria-current] .n")).to_have_text("3 left")
    expect(box).to_be_focused()
    typed(desk, "88 20")
    expect(box).to_have_value("88 20")
    for key in ("Home", "Delete", "Enter"):
        desk.keyboard.press(key)
    desk.wait_for_selector("#match-8.in")
    expect(listed).to_have_count(1)
    desk.keyboard.press("Escape")
    expect(listed).to_have_count(0)


def test_enter_in_the_empty_box_names_the_next_table_and_held_down_it_is_one(desk):
    desk.focus("#line")
    for _again in range(3):
        desk.keyboard.down("Enter")
    assert desk.input_value("#line") == "1 "
    desk.keyboard.up("Enter")
    desk.keyboard.type("20")
    for _again in range(4):
        desk.keyboard.down("Enter")
    desk.wait_for_selector("#match-1.in")
    assert desk.input_value("#line") == "" and desk.locator(".match.named").count() == 0
    desk.keyboard.up("Enter")
    for table in ("2 ", "3 "):
        desk.press("#line", "Enter")
        assert desk.input_value("#line") == table
        expect(desk.locator("#line")).to_be_focused()
        expect(desk.locator("#understood")).to_contain_text("Player")
        desk.press("#line", "Escape")
    assert winners() == {1: "a"}
    typed(desk, *(f"{table} 20" for table in range(2, 9)))
    expect(desk.locator(".match.in")).to_have_count(8)
    desk.press("#line", "Enter")
    assert desk.inner_text("#understood") == "Every table has a result." and desk.input_value("#line") == ""


def test_enter_pressed_twice_after_each_line_saves_each_line(desk):
    desk.focus("#line")
    for line in ("2 21", "1 20", "5 1-1", "3 02x", "77 20", "4 id"):  # "2 1 20" would read as 1-2 at table 2
        desk.keyboard.type(line)
        desk.keyboard.press("Enter")
        desk.keyboard.press("Enter")
    desk.keyboard.type("2 1")  # behind the table that is named, a result
    desk.keyboard.press("Enter")
    expect(desk.locator(".match.in")).to_have_count(6)
    games = {match.table: read_match(match).games for match in Match.objects.exclude(result=None)}
    assert games == {2: (2, 1, 0), 1: (2, 0, 0), 5: (1, 1, 0), 3: (0, 2, 0), 4: None, 6: (2, 1, 0)}
    assert desk.inner_text("[data-unsaved]") == "4 77 20: There is no table 77 in round 1."


def test_names_and_result_are_shown_before_enter(desk):
    a, b = desk.locator("#match-3 .nm").all_inner_texts()
    for line, words in (
        ("3", f"{a} against {b}"),
        ("3 21", f"{a} 2–1 {b}"),
        ("3.02x", f"{a} 0–2 {b} · {b} drops"),
        ("3 id", f"{a} intentional draw {b}"),
        (f"{b} 21", f"{a} 1–2 {b}"),
        ("3 -", "clear the result"),
        ("+5 3", "+5 min"),
        ("3 xx", f"{a} drops · {b} drops"),
        ("3 99", "“99” ?"),
        ("77 20", "There is no table 77"),
        ("player", "“player” matches several players"),
    ):
        desk.fill("#line", line)
        expect(desk.locator("#understood"), line).to_contain_text(words)
        expect(desk.locator(".match.named")).to_have_count(int("77" not in line and line != "player"))
    typed(desk, f"{b} 20")
    desk.wait_for_selector("#match-3.in")
    assert winners() == {3: "b"}


HASTY_CLICK = """() => addEventListener("htmx:afterRequest", () => {
  document.querySelector("#box button").click();  // just as the question appears
  window.clicked = true;
}, { once: true })"""


def set_milliseconds(page, now):
    """Stop the page's clock at `now`, however slow the machine is."""
    page.evaluate("now => { performance.now = () => now }", now)


def test_another_result_is_asked_for_and_enter_again_replaces_it(desk):
    typed(desk, "1 20")
    desk.wait_for_selector("#match-1.in")
    desk.fill("#line", "1 02")
    set_milliseconds(desk, 0)
    desk.evaluate(HASTY_CLICK)
    desk.locator("#box button").click()
    desk.wait_for_selector("#saved >> text=already has another result")
    desk.wait_for_function("window.clicked")
    assert desk.input_value("#line") == "1 02" and winners() == {1: "a"}
    record_result(desk.tournament, 1, 1, Slip("double_loss"))  # at another desk, while the question stands
    desk.evaluate("htmx.ajax('GET', 'rows/?since=1', {swap: 'none'})")
    expect(desk.locator("#match-1 .score")).to_have_text("double loss")
    set_milliseconds(desk, 500)
    desk.press("#line", "Enter")
    desk.wait_for_selector("#saved >> text=was given a different result while you were working")
    assert Match.objects.get(table=1).result == "double_loss"
    set_milliseconds(desk, 1000)
    desk.press("#line", "Enter")
    expect(desk.locator("#match-1 .score")).to_have_text("0–2")
    assert winners() == {1: "b"}
    desk.fill("#line", "1 02")
    expect(desk.locator("#understood")).to_contain_text("(already 0–2)")
    desk.press("#line", "Enter")
    desk.wait_for_selector("#saved >> text=Already 0–2")


def test_what_others_enter_never_touches_the_row_being_edited(desk):
    desk.click("#match-2 a")
    desk.fill("#match-2 [name=a]", "2")
    record_result(desk.tournament, 1, 2, Slip("played", 0, 2))
    record_result(desk.tournament, 1, 6, Slip("played", 2, 0))
    typed(desk, "1 20")  # an answer brings the page up to now
    desk.wait_for_selector("#match-6.in")
    assert desk.input_value("#match-2 [name=a]") == "2"
    desk.click("#match-2 button:has-text('Save')")
    desk.wait_for_selector("#match-2 >> text=Currently saved")
    assert "0–2" in desk.inner_text("#match-2")
    desk.click("#match-2 button:has-text('Enter: 2–0')")
    desk.wait_for_selector("#match-2.in")
    assert winners() == {1: "a", 2: "a", 6: "a"}


def test_a_saved_row_goes_over_at_once_but_never_under_the_pointer_and_undo_takes_back_what_it_names(desk):
    last = desk.locator("#last-change")
    typed(desk, "1 20")
    desk.wait_for_selector("#entered > #match-1")
    expect(last).to_contain_text("Table 1")
    desk.focus("#match-3 a")
    desk.keyboard.press("Enter")
    desk.click("#match-3 button[value='20']")
    desk.wait_for_selector("#outstanding > #match-3.in.new")
    assert desk.evaluate("document.activeElement.closest('.match').id") == "match-3"
    expect(last).to_contain_text("Table 3")
    record_result(desk.tournament, 1, 6, Slip("played", 2, 0))
    typed(desk, "2 ?")  # whatever is sent, the answer brings what others did
    expect(last).to_contain_text("Table 6")
    for table in (3, 6):
        desk.wait_for_selector(f"#entered > #match-{table}")
    tables = desk.locator("#entered > .match").evaluate_all("rows => rows.map(row => row.id)")
    assert tables == ["match-1", "match-3", "match-6"]
    assert desk.locator("#entered .empty").is_hidden()
    set_milliseconds(desk, 10**9)
    desk.click("#last-change button")
    desk.wait_for_selector("#match-6.out")
    assert winners() == {1: "a", 3: "a"}


OVERLAPS = """() => {
  const shown = (word) => word.textContent.trim() && word.getBoundingClientRect().width > 1;
  const words = [...document.querySelectorAll("main :is(.no, .nm, .score, b, td)")].filter(shown);
  const boxes = words.map((word) => {
    const range = document.createRange();
    range.selectNodeContents(word);
    return [word, [...range.getClientRects()].filter((box) => box.width > 1)];
  });
  const across = (one, other) => one.left < other.right - 1 && other.left < one.right - 1;
  const meet = (one, other) => across(one, other) && one.top < other.bottom - 6 && other.top < one.bottom - 6;
  return boxes.flatMap(([word, mine], at) =>
    boxes.slice(at + 1)
      .filter(([other, theirs]) => !word.contains(other) && mine.some((one) => theirs.some((two) => meet(one, two))))
      .map(([other]) => `${word.textContent} / ${other.textContent}`));
}"""
RIGHTMOST = """() => Math.max(
  ...[...document.querySelectorAll("main, main table")].map((part) => part.getBoundingClientRect().right))"""


def test_long_table_names_do_not_overlap_and_initials_name_a_table_in_a_box_at_the_top(page, live_server):
    plan = "Unterhaltungstischen 1-2, Balcony upstairs lef 1-2, Feature 1-2: 71"
    event = TournamentFactory(entries=12, rounds=1, published=True, table_plan=plan)
    record_result(event, 2, 1, Slip("played", 2, 0))
    record_result(event, 2, 3, Slip("played", 2, 0))
    open_as(page, live_server, event.owner, "/")
    for path in ("desk/judge/", "rounds/2/?by=table", "desk/rounds/2/?names=1", "desk/rounds/2/"):
        for width in (1280, 360):
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(f"{live_server.url}/t/{event.slug}/{path}")
            assert page.evaluate(OVERLAPS) == [], (path, width)
            assert page.evaluate(RIGHTMOST) <= width, (path, width)
    box = page.locator("#line").bounding_box()
    assert box["y"] + box["height"] <= 280  # on a phone: under the bar and the road
    page.type("#line", "f1 20")
    expect(page.locator("#understood")).to_contain_text("Table Feature 1")
    page.press("#line", "Enter")
    page.wait_for_selector("#match-71.in")


KEYS = [*"12345678", "1 ", "4 ", "5.", "7/", "20", "21", "02", "id", "11", *"xd-+? ", *["Enter"] * 7]
KEYS += ["Escape", "Backspace"]
HITS = int(os.environ.get("DESK_HITS", 1_000 if FULL else 200))  # about 1.4 keys each
LINES = """
  window.typed = [];
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter") window.typed.push([event.target.id, event.target.value]);
  }, true);
"""


def test_whatever_keys_are_hit_only_what_stood_in_the_box_is_entered(desk):
    chance, delays = random.Random(12), random.Random(13)
    desk.add_init_script(LINES)
    desk.reload()
    desk.route("**/box/", lambda route: (time.sleep(delays.random() / 50), route.continue_()))
    desk.focus("#line")
    desk.keyboard.type("1 20\n")
    for _ in range(HITS):
        keys = chance.choice(KEYS)
        (desk.keyboard.press if keys.istitle() else desk.keyboard.type)(keys)
    desk.wait_for_load_state("networkidle", timeout=300_000)
    typed_lines = desk.evaluate("window.typed")
    assert {place for place, _line in typed_lines} == {"line"}, "no key led out of the box"
    sheet = load_desk_sheet(desk.tournament, 1)
    understood = set()
    for _place, text in typed_lines:
        for typed_line in (text, text.partition(" ")[2]):  # also behind the table that Enter named
            with contextlib.suppress(Refused):
                if line := parse_line(typed_line, sheet):
                    understood.add((line.what, line.row.table, line.slip))
    entered = desk.tournament.actions.filter(kind="result")
    for action in entered:
        [change] = [change for change in action.changes if change["fact"].startswith("rounds/")]
        table, games = int(change["fact"].split("/")[3]), change["after"].get("games")
        slips = [slip for what, at, slip in understood if what == "slip" and at == table]
        assert any(games is None or games == list(slip.games) for slip in slips), (change, typed_lines)
    assert entered


TABLES = 50 if THOROUGH else 8
SLIPS = {"20": [2, 0, 0], "21": [2, 1, 0], "11": [1, 1, 0], "12": [1, 2, 0], "02": [0, 2, 0]}
SLOW_ANSWERS = """
  const send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...sent) { setTimeout(() => send.apply(this, sent), DELAY); };
"""


@pytest.mark.parametrize("delay", [0, 300])
@pytest.mark.parametrize("way", ["by table number", "next table by Enter", "by scanned slips"])
def test_a_round_is_entered_by_keys_alone_as_fast_as_they_come(page, live_server, way, delay):
    chance = random.Random(f"{way} {delay}")
    tournament = TournamentFactory(entries=2 * TABLES, published=True)
    page.add_init_script(SLOW_ANSWERS.replace("DELAY", str(delay)))
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/1/")
    expect(page.locator("#line")).to_be_focused()
    results = {table: chance.choice(list(SLIPS)) for table in range(1, TABLES + 1)}
    if way == "by table number":
        idle = [["Escape"], ["Enter", "Escape"], ["Enter", "Enter", "Escape"], ["3", "7", "Escape"]]
        lines = [f"{table} {result}\n" for table, result in chance.sample([*results.items()], TABLES)]
    elif way == "by scanned slips":
        idle = [["Escape"], ["Enter"]]
        order = chance.sample([*results.items()], TABLES)
        lines = [f"{code_of(tournament, table)}\n{result}\n" for table, result in order]
    else:
        idle = [["Escape"], ["Escape", "Escape"]]
        lines = [f"\n{result}\n" for result in results.values()]
    for keys in lines:
        for key in chance.choice(idle) if chance.random() < 0.3 else ():
            page.keyboard.press(key)
        page.keyboard.type(keys)
    expect(page.locator("#entered > .match")).to_have_count(TABLES, timeout=1000 * TABLES + 20_000)
    page.wait_for_load_state("networkidle")
    matches = Match.objects.filter(round__tournament=tournament)
    games = {match.table: read_match(match).games for match in matches}
    assert games == {table: tuple(SLIPS[result]) for table, result in results.items()}
    assert tournament.actions.filter(kind="result").count() == TABLES
    assert tournament.actions.last().kind == "result"
    assert page.inner_text("[data-unsaved]") == "" and page.input_value("#line") == ""
    expect(page.locator("#line")).to_be_focused()
