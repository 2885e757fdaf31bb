"""A hundred slips by real keys in each way to enter results: what each costs, and that every row is right."""

import random
import time

import pytest
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.actionlog.match_facts import match_facts
from tournament.models import Match
from tournament.results.desk_sheet import sheets
from tournament.results.shorthand import parse_slip
from tournament.results.slip import Slip
from tournament.results.slip_code import slip_check
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db(transaction=True)
KEYS = {"20": "1", "21": "4", "11": "2", "12": "6", "02": "3"}


@pytest.fixture
def every_action_leaves_the_tables_clean() -> None:
    """Not here: the time of a result is measured."""


@pytest.fixture
def hall(page, live_server):
    """A page on a round of `page.tables` tables; `page.slips`: what each slip says, by table."""

    def make(tables: int):
        owner = UserFactory(username="ada")
        page.tournament = TournamentFactory(entries=2 * tables, owner=owner)
        RoundFactory(tournament=page.tournament)
        draw = random.Random(tables)
        page.slips = {table: draw.choice(list(KEYS)) for table in range(1, tables + 1)}
        page.owner = owner
        page.show = lambda path: open_as(
            page, live_server, owner, f"/t/{page.tournament.slug}/desk/rounds/1/{path}"
        )
        return page

    return make


def entered(page) -> dict[int, str]:
    """What is in, by table, as a slip says it."""
    rows = match_facts(Match.objects.filter(round__tournament=page.tournament)).values()
    return {row.fact.table: "{}{}".format(*row.fact.games) for row in rows if row.fact.result}


def start_again(page) -> None:
    """Take all results back, past the log: the next way begins with an empty round."""
    matches = Match.objects.filter(round__tournament=page.tournament)
    matches.update(result=None, drawn=None, winner="", game_order="")
    for match in matches:
        match.seats.update(games=None)
    sheets.clear()


def code_of(page, table: int) -> str:
    match = Match.objects.get(round__tournament=page.tournament, table=table)
    seats = match.seats.order_by("side").values_list("entry__code", flat=True)
    return f"1-{table}-{slip_check(page.tournament.slug, 1, table, tuple(seats))}"


def press(page, keys) -> int:
    """Press these keys one after the other; how many there were."""
    for key in keys:
        page.keyboard.press(key)
    return len(keys)


def measure(page, name: str, slips: int, enter) -> None:
    """Enter a pile of slips by `enter`, which answers the number of keys; print what a slip costs."""
    begun = time.perf_counter()
    keys = enter()
    expect(page).to_have_title(page.done, timeout=60_000)
    spent = time.perf_counter() - begun
    print(f"\n{name}: {keys / slips:.1f} keystrokes and {1000 * spent / slips:.0f} ms a result")


def work_through(page) -> None:
    """Every slip in each of the four ways, then all of them again in verify mode with seven errors planted."""
    slips, tables = page.slips, len(page.slips)
    page.done = f"Round 1 · 0 of {tables} tables outstanding · {page.tournament.name}"

    page.show("walk/")
    page.done = page.title()
    measure(page, "walk", tables, lambda: _walked(page, slips))
    assert entered(page) == slips

    page.done = f"Round 1 · 0 of {tables} tables outstanding · {page.tournament.name}"
    start_again(page)
    page.show("")
    bottom = "list => list.getBoundingClientRect().bottom"
    assert page.locator("#outstanding").evaluate(bottom) < 900, "that many outstanding tables are numbers"
    page.focus("#line")
    measure(
        page, "box", tables, lambda: sum(press(page, [*f"{t} {slip}", "Enter"]) for t, slip in slips.items())
    )
    assert entered(page) == slips

    start_again(page)
    measure(page, "fixed score", tables, lambda: sum(_fixed(page, score) for score in KEYS))
    assert entered(page) == slips

    start_again(page)
    page.show("")
    page.focus("#line")
    codes = {table: code_of(page, table) for table in slips}
    measure(page, "scanner", tables, lambda: sum(_scanned(page, codes[t], slip) for t, slip in slips.items()))
    assert entered(page) == slips

    wrong = random.Random(7).sample(sorted(slips), 7)
    page.show("verify/")
    page.focus("#line")
    revision = page.tournament.revision
    begun = time.perf_counter()
    for table, slip in slips.items():
        typed = {"20": "02"}.get(slip, "20") if table in wrong else slip
        press(page, [*f"{table} {typed}", "Enter"])
    expect(page.locator("#verified-count")).to_have_text(
        f"{tables} of {tables} tables verified, 7 differ", timeout=60_000
    )
    print(f"\nverify: {1000 * (time.perf_counter() - begun) / tables:.0f} ms a slip")
    listed = page.locator("#verified .match .no").all_inner_texts()
    assert sorted(int(text.split()[-1]) for text in listed) == sorted(wrong)
    assert entered(page) == slips and page.tournament.revision == revision


def _walked(page, slips) -> int:
    keys = press(page, [KEYS[slip] for slip in slips.values()])
    page.get_by_text("Every table has a result.").wait_for()
    return keys


def _fixed(page, score: str) -> int:
    """The tables with that score: they are typed alone, in a row."""
    pile = [table for table, slip in page.slips.items() if slip == score]
    page.show(f"?score={score}")
    page.focus("#line")
    keys = sum(press(page, [*str(table), "Enter"]) for table in pile)
    for table in pile[-1:]:
        page.wait_for_selector(f"#match-{table}.in")
    return keys


def _scanned(page, code: str, slip: str) -> int:
    """A scanner types the code at its own speed; the hand adds the result."""
    page.keyboard.type(code)
    page.keyboard.press("Enter")
    return press(page, [*slip, "Enter"])


@pytest.mark.slow
def test_a_hundred_slips_in_each_way(hall):
    work_through(hall(100))


def test_an_error_stops_the_queue_of_keys_and_marks_the_table(hall):
    page = hall(8)
    page.show("walk/")
    page.route("**/walk/", lambda route: (time.sleep(0.2), route.continue_()))
    press(page, ["1"])
    press(page, ["ArrowDown"])  # table 3; then back to 2, which another desk enters
    press(page, ["ArrowUp"])
    record_result(page.tournament, 1, 2, Slip("double_loss"))
    press(page, ["3", "1", "1"])
    page.get_by_text("The same key again replaces the result").wait_for()
    assert page.locator("#walk-2.failed[aria-current]").count() == 1
    assert sorted(entered_tables(page)) == [1, 2]
    time.sleep(0.5)  # a question must have stood before the same key answers it
    press(page, ["3"])
    page.wait_for_selector("#walk-2.in:not(.failed):not(.sent)")
    assert Match.objects.get(round__tournament=page.tournament, table=2).winner == "b"
    page.keyboard.type(code_of(page, 7))  # a scanner, where keys mean results
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-walk]:focus #walk-7[aria-current]")
    assert sorted(entered_tables(page)) == [1, 2]
    page.keyboard.press("Escape")
    page.wait_for_selector("#line")


def entered_tables(page) -> list[int]:
    rows = Match.objects.filter(round__tournament=page.tournament).exclude(result=None)
    return list(rows.values_list("table", flat=True))


def test_what_was_verified_survives_a_reload_until_someone_starts_again(hall):
    page = hall(4)
    for table, slip in page.slips.items():
        record_result(page.tournament, 1, table, parse_slip(slip), actor="ana")
    page.show("verify/")
    page.focus("#line")
    for table in (1, 2):
        press(page, [*f"{table} {page.slips[table]}", "Enter"])
    count = page.locator("#verified-count")
    expect(count).to_have_text("2 of 4 tables verified, 0 differ")
    page.reload()
    expect(count).to_have_text("2 of 4 tables verified, 0 differ")
    page.focus("#line")
    press(page, [*f"3 {page.slips[3]}", "Enter"])
    expect(count).to_have_text("3 of 4 tables verified, 0 differ")
    page.get_by_role("button", name="Start again").click()
    expect(count).to_have_text("0 of 4 tables verified, 0 differ")


def test_enter_names_the_next_table_of_ones_own_range_while_there_is_one(hall):
    page = hall(4)
    page.tournament.staff.filter(user=page.owner).update(first_table=3, last_table=4)
    page.show("")
    page.focus("#line")
    for keys, named in (("", "3 "), ("20", "4 "), ("20", "1 ")):
        press(page, [*keys, "Enter"] if keys else [])
        press(page, ["Enter"])
        expect(page.locator("#line")).to_have_value(named)
