"""The desk in a real browser: lines typed faster than they are saved, rows in place, what others enter."""

import contextlib
import os
import random
import time

import pytest
from playwright.sync_api import expect

from tests.browser import open_as
from tests.conftest import FULL, THOROUGH
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.actionlog.match_facts import read_match
from tournament.errors import Refused
from tournament.models import Match
from tournament.results.box_line import parse_line
from tournament.results.desk_sheet import desk_sheet_of
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(page, live_server):
    """The page of round 1 of eight tables, its owner signed in."""
    owner = UserFactory(username="ada")
    tournament = TournamentFactory(entries=16, owner=owner)
    RoundFactory(tournament=tournament)
    open_as(page, live_server, owner, f"/t/{tournament.slug}/desk/rounds/1/")
    page.tournament = tournament
    return page


def typed(page, *lines):
    for line in lines:
        page.fill("#line", line)
        page.press("#line", "Enter")


def results():
    return list(Match.objects.order_by("table").values_list("table", "winner", "result"))


def test_lines_typed_faster_than_they_are_saved_are_all_saved(desk):
    typed(desk, "1 20", "2 21", "77 20", "3 02", "4 11", "5 id")
    desk.wait_for_selector("#match-5.in")
    assert [winner for _t, winner, result in results() if result] == ["a", "a", "b", "", ""]
    assert desk.inner_text("[data-unsaved]") == "77 20: Round 1 has no table 77."
    assert desk.title().startswith("Round 1 · 3 of 8 tables outstanding")
    assert desk.evaluate("document.activeElement.id") == "line"


def test_a_refused_line_is_listed_once_another_is_typed_over_it_and_not_when_it_is_corrected(desk):
    box, listed = desk.locator("#line"), desk.locator("[data-unsaved] li")
    typed(desk, "77 20")
    expect(box).to_have_value("77 20")
    desk.keyboard.type("3 02")
    desk.keyboard.press("Enter")
    desk.wait_for_selector("#match-3.in")
    expect(listed).to_have_text(["77 20: Round 1 has no table 77."])
    typed(desk, "88 20")
    expect(box).to_have_value("88 20")
    for key in ("Home", "Delete", "Enter"):
        desk.keyboard.press(key)
    desk.wait_for_selector("#match-8.in")
    expect(listed).to_have_count(1)
    desk.keyboard.press("Escape")
    expect(listed).to_have_count(0)


def test_enter_that_is_held_down_is_one_enter(desk):
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
    desk.keyboard.press("Enter")
    assert desk.input_value("#line") == "2 "


def test_on_a_phone_the_box_is_at_the_top_and_every_link_can_be_reached(desk):
    desk.set_viewport_size({"width": 390, "height": 844})
    desk.reload()
    box = desk.locator("#line").bounding_box()
    assert box["y"] + box["height"] <= 250  # under the bar and the road
    desk.get_by_role("button", name="Sign out").focus()
    end = desk.get_by_role("button", name="Sign out").bounding_box()
    assert end["x"] + end["width"] <= 390
    assert desk.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_button_swaps_one_row_and_focus_stays_there(desk):
    desk.focus("#match-3 a")
    desk.keyboard.press("Enter")
    desk.focus("#match-3 button[value='20']")
    desk.keyboard.press("Enter")
    desk.wait_for_selector("#match-3.in")
    assert desk.evaluate("document.activeElement.closest('.match').id") == "match-3"
    assert "1 entered" in desk.inner_text("#desk-status")


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
    assert Match.objects.get(table=2).winner == "a"


def test_enter_in_the_empty_box_names_the_next_table_and_writes_nothing(desk):
    typed(desk, "1 20")
    desk.wait_for_selector("#match-1.in")
    for table in ("2 ", "3 "):
        desk.press("#line", "Enter")
        assert desk.input_value("#line") == table
        assert desk.evaluate("document.activeElement.id") == "line"
        assert "Player" in desk.inner_text("#understood")
        desk.press("#line", "Escape")
    assert [row for row in results() if row[2]] == [(1, "a", "played")]


def test_haste_enters_what_was_typed_and_nothing_else(desk):
    desk.focus("#line")
    for keys in ("", "20", "", "", "02", "21"):  # Enter before each names a table, Enter after saves it
        desk.keyboard.press("Enter")
        desk.keyboard.type(keys)
        desk.keyboard.press("Enter")
    expect(desk.locator(".match.in")).to_have_count(3)
    entered = [(table, winner) for table, winner, result in results() if result]
    assert [winner for _table, winner in entered] == ["a", "b", "a"]


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
    assert desk.inner_text("[data-unsaved]") == "77 20: Round 1 has no table 77."


def test_names_and_result_are_shown_before_enter(desk):
    row = desk.locator("#match-3")
    a, b = row.get_attribute("data-a"), row.get_attribute("data-b")
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
    ):
        desk.fill("#line", line)
        assert words in desk.inner_text("#understood"), line
    desk.fill("#line", "77 20")
    assert "No such table" in desk.inner_text("#understood")
    typed(desk, f"{b} 20")
    desk.wait_for_selector("#match-3.in")
    assert Match.objects.get(table=3).winner == "b"


def test_another_result_is_asked_for_and_enter_again_replaces_it(desk):
    typed(desk, "1 20")
    desk.wait_for_selector("#match-1.in")
    typed(desk, "1 02")
    desk.wait_for_selector("#saved >> text=already has another result")
    assert desk.input_value("#line") == "1 02"
    assert Match.objects.get(table=1).winner == "a"
    desk.wait_for_timeout(500)
    desk.press("#line", "Enter")
    expect(desk.locator("#match-1 .score")).to_have_text("0–2")
    assert Match.objects.get(table=1).winner == "b"


def test_a_double_click_on_save_replaces_nothing(desk):
    typed(desk, "1 20")
    desk.wait_for_selector("#match-1.in")
    desk.fill("#line", "1 02")
    desk.locator("#box button").dblclick(delay=60)
    desk.wait_for_selector("#saved >> text=already has another result")
    desk.locator("#box button").click()
    desk.wait_for_timeout(300)
    assert Match.objects.get(table=1).winner == "a"


def test_the_last_change_is_named_whoever_made_it_and_undo_takes_back_that_one(desk):
    typed(desk, "1 20")
    last = desk.locator("#last-change")
    expect(last).to_contain_text("Table 1")
    desk.click("#match-2 a")
    desk.click("#match-2 button[value='20']")
    expect(last).to_contain_text("Table 2")
    record_result(desk.tournament, 1, 5, Slip("played", 2, 0))
    typed(desk, "3 ?")
    expect(last).to_contain_text("Table 5")
    desk.wait_for_timeout(800)
    desk.click("#last-change button")
    desk.wait_for_selector("#match-5.out")
    assert [table for table, _winner, result in results() if result] == [1, 2]


def test_a_saved_row_goes_over_at_once_but_never_under_the_pointer(desk):
    typed(desk, "1 20")
    desk.wait_for_selector("#entered > #match-1")
    desk.click("#match-3 a")
    desk.click("#match-3 button[value='20']")
    desk.wait_for_selector("#outstanding > #match-3.in.new")
    record_result(desk.tournament, 1, 6, Slip("played", 2, 0))
    typed(desk, "2 20")
    desk.wait_for_selector("#entered > #match-2")
    desk.wait_for_selector("#entered > #match-3")
    desk.wait_for_selector("#entered > #match-6")
    tables = desk.locator("#entered > .match").evaluate_all("rows => rows.map(row => row.id)")
    assert tables == ["match-1", "match-2", "match-3", "match-6"]
    assert desk.locator("#entered .empty").is_hidden()


KEYS = [
    *"12345678",
    "1 ",
    "4 ",
    "5.",
    "7/",
    "20",
    "21",
    "02",
    "id",
    "11",
    *"xd-+? ",
    *["Enter"] * 7,
    "Escape",
    "Backspace",
]
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
    sheet = desk_sheet_of(desk.tournament, desk.tournament.rounds.get())
    understood = set()
    for _place, text in typed_lines:
        for typed_line in (
            text,
            text.partition(" ")[2],
        ):  # all of it, or what stands behind the table that Enter named
            with contextlib.suppress(Refused):
                line = parse_line(typed_line, sheet)
                understood.add((line.what, line.table, line.slip))
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
@pytest.mark.parametrize("most", [6, 4], ids=["by table number", "next table by Enter"])
def test_a_round_is_entered_by_keys_alone_as_fast_as_they_come(page, live_server, most, delay):
    chance, owner = random.Random(most + delay), UserFactory()
    tournament = TournamentFactory(entries=2 * TABLES, owner=owner)
    RoundFactory(tournament=tournament)
    page.add_init_script(SLOW_ANSWERS.replace("DELAY", str(delay)))
    open_as(page, live_server, owner, f"/t/{tournament.slug}/desk/rounds/1/")
    assert page.evaluate("document.activeElement.id") == "line"
    results = {table: chance.choice(list(SLIPS)) for table in range(1, TABLES + 1)}
    if most == 6:
        order = chance.sample(
            range(1, TABLES), TABLES - 1
        )  # the last has three digits: its name comes by Enter
        typed = [(f"{table} {results[table]}\n") for table in order]
        typed += ["\n" + results[table] + "\n" for table in results if table not in order]
        idle = [["Escape"], ["Enter", "Escape"], ["Enter", "Enter", "Escape"], ["3", "7", "Escape"]]
    else:
        typed = ["\n" + result + "\n" for result in results.values()]
        idle = [["Escape"], ["Escape", "Escape"]]
    assert max(map(len, typed)) <= most
    for keys in typed:
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
    assert page.evaluate("document.activeElement.id") == "line"
