import datetime as dt
import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.browser import LOOKS, PHONE, follow, looks_right, open_as
from tests.factories import TWO_NIL, TournamentFactory
from tournament.models import Round, Tournament
from tournament.services.clock import start_clock
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entry
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db(transaction=True)


class Counted:
    """A browser that counts what a person does: clicks, filled fields, pressed keys."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def fill(self, label, text):
        self.actions += 1
        self.page.get_by_label(label).first.fill(text)

    def press(self, key):
        self.actions += 1
        self.page.keyboard.press(key)

    def click(self, role, name):
        self.actions += 1
        self.page.get_by_role(role, name=name).click()


def test_a_stranger_publishes_round_one_of_24_players_in_twelve_actions(browser, live_server):
    page = browser.new_context(timezone_id="Asia/Tokyo").new_page()
    page.goto(f"{live_server.url}/signup/")
    stranger = Counted(page)
    stranger.fill("Username", "ada")
    stranger.fill("Password", "correct horse battery")
    stranger.fill(re.compile("again", re.I), "correct horse battery")
    stranger.press("Enter")
    stranger.click("link", "Create an event")
    rulesets = page.get_by_label("Ruleset")
    page.locator("summary").filter(has_text=re.compile("^Ruleset")).click()
    page.get_by_label("Game").fill("Chess")
    rulesets.focus()
    expect(rulesets.locator("option").first).to_have_text("FIDE Swiss (C.07): usual for this game")
    rulesets.select_option("dci1999")
    expect(page.get_by_text("at least 33%")).to_be_visible()
    page.reload()
    expect(page.locator("#id_time_zone")).to_have_value("Asia/Tokyo")  # by then the page's script has run
    stranger.fill("Name", "Friday night")
    stranger.fill("Game", "Magic")
    stranger.press("Enter")
    stranger.fill("Names, one per line", "\n".join(f"Player {number:02}" for number in range(1, 25)))
    stranger.click("button", re.compile("^Add$"))
    stranger.click("button", "Pair round 1")
    stranger.click("button", "Publish round 1")
    expect(page).to_have_title(re.compile("Round 1 · 12 of 12 tables outstanding"))
    assert stranger.actions <= 12
    tournament = Tournament.objects.get()
    assert (tournament.name, tournament.game, tournament.ruleset.key) == ("Friday night", "Magic", "mtr")
    assert tournament.time_zone == "Asia/Tokyo"
    assert Round.objects.get().state == "published" and tournament.entries.count() == 24
    page.context.close()


def test_players_are_pasted_ticked_by_keyboard_and_seeded(page, live_server):
    tournament = TournamentFactory(entries=2)
    desk = f"/t/{tournament.slug}/desk/"
    open_as(page, live_server, tournament.owner, f"{desk}players/?add=names")
    page.fill("textarea", "1. Aa Bb\n2. Dd, Cc\tcc@example.org\n3. Player 02\n4. Jos\ufffd")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("combobox")).to_have_count(2)
    looks_right(page, *LOOKS)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#messages")).to_contain_text("3 players added.")

    for name in ("Player 02", "Cc Dd"):
        page.get_by_role("checkbox", name=f"Select {name}").first.focus()
        page.keyboard.press("Space")
    page.get_by_role("button", name="Mark as paid").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#messages")).to_contain_text("2 players marked as paid.")
    paid = tournament.entries.filter(paid=True)
    assert sorted(paid.values_list("name", flat=True)) == ["Cc Dd", "Player 02"]
    page.get_by_role("checkbox", name="Select everyone on this page").check()
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("#messages")).to_contain_text("5 players removed.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("5 players")
    follow(page, "Confirm last names")
    looks_right(page, *LOOKS)

    page.goto(f"{live_server.url}{desk}starting-list/")
    rows = page.locator("ol.starting li")
    first, second = (rows.nth(place).get_attribute("data-title") for place in (0, 1))
    page.get_by_role("button", name=f"Move {first} down").click()
    expect(page.locator("#announce")).to_have_text(f"{first} is now seed 2 of 5")
    page.get_by_label("Reason").fill("last year's finish")
    page.get_by_role("button", name="Save this order").click()
    expect(page.get_by_text("The seeding is saved.").first).to_be_visible()
    expect(rows.nth(0)).to_have_attribute("data-title", second)


@pytest.mark.parametrize("scripts", [True, False])
def test_the_current_round_of_fifteen_is_in_view_on_a_phone_and_a_tablet(browser, live_server, scripts):
    tournament = TournamentFactory(entries=16, rounds=3, published=True, rounds_planned=15)
    page = browser.new_context(java_script_enabled=scripts, viewport=PHONE).new_page()
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/4/")
    for width in (390, 768):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        expect(page.locator(".tabbar [aria-current=page]")).to_have_text(re.compile(r"Round 4\s*8 left"))
        page.get_by_role("link", name="More").click()
        rail = page.locator("#rail")
        expect(rail.locator("[aria-current=page]")).to_be_in_viewport()
        rail.get_by_text("Rounds 1–3").click()
        expect(rail.get_by_role("link", name="Round 2")).to_be_in_viewport()
        rail.get_by_role("link", name="Close").click()
        expect(rail).to_be_hidden()
    page.context.close()


def test_the_home_follows_results_and_says_when_it_cannot(page: Page, live_server):
    tournament = TournamentFactory(entries=12, rounds=2, published=True, round_minutes=50, rounds_planned=4)
    for number, hours in ((1, 3), (2, 2), (3, 1)):
        at = timezone.now() - dt.timedelta(hours=hours)
        Round.objects.filter(number=number).update(published_at=at, starts_at=at)
    start_clock(tournament, 3)
    page.clock.install()
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/")
    expect(page.locator("#home-now")).to_contain_text("0 of 6 tables entered")
    for table in (1, 2):
        record_result(tournament, 3, table, TWO_NIL)
        page.clock.run_for(16_000)
        expect(page.locator("#home-now")).to_contain_text(f"{table} of 6 tables entered")
    looks_right(page, *LOOKS)
    page.context.set_offline(True)
    page.clock.run_for(16_000)
    expect(page.locator("#home-now > .live-off")).to_contain_text("No connection: as of")


def test_the_desk_registers_without_a_mouse(page, live_server):
    tournament = TournamentFactory(entries=0)
    earlier = TournamentFactory(entries=0, owner=tournament.owner, name="Last Friday")
    add_entry(earlier, {"rating": 1850}, {"name": "Kim Larsen", "external_id": "42"})
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/players/add/")
    name = page.get_by_role("textbox", name="Name")
    expect(name).to_be_focused()
    page.keyboard.type("ki")
    regular = page.get_by_role("button", name="Add Kim Larsen")
    expect(regular).to_be_visible()
    looks_right(page, *LOOKS)
    page.keyboard.press("ArrowDown")
    expect(regular).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kim Larsen added.")).to_be_visible()
    for new in ("Bo Lind", "Kim Larsen"):
        expect(name).to_be_focused()
        page.keyboard.type(new)
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{new} added.")).to_be_visible()
    assert [*tournament.entries.values_list("rating", flat=True)] == [1850, None, None]


@pytest.fixture
def hall(page, live_server):
    page.tournament = TournamentFactory(entries=12)
    open_as(page, live_server, page.tournament.owner, f"/t/{page.tournament.slug}/desk/players/check-in/")
    page.focus("#q")
    return page


def test_names_typed_without_a_pause_are_each_checked_in(hall):
    for number in range(1, 12):
        hall.keyboard.type(f"player {number:02}")
        hall.keyboard.press("Enter")
    expect(hall.locator("#here-count")).to_contain_text("11 of 12 here")
    expect(hall.locator("#messages")).to_contain_text("Player 11 is checked in.")
    expect(hall.locator("#q")).to_have_value("")
    expect(hall.locator("#q")).to_be_focused()
    assert hall.tournament.entries.get(checked_in=False).name == "Player 12"


def test_a_line_that_several_fit_comes_back_and_is_listed_where_another_is_typed(hall):
    hall.keyboard.type("player 1")
    hall.keyboard.press("Enter")
    expect(hall.locator("#q")).to_have_value("player 1")
    expect(hall.locator("#people .who")).to_have_count(3)
    expect(hall.locator("#messages")).to_contain_text("3 players match: Player 10, Player 11, Player 12.")
    hall.evaluate("""() => {
        const box = document.getElementById("q");
        for (const line of ["player 1", "player 03"]) { box.value = line; box.form.requestSubmit(); }
    }""")
    expect(hall.locator("[data-unsaved] li")).to_have_text("player 1")
    expect(hall.locator("#here-count")).to_contain_text("1 of 12")
    assert hall.tournament.entries.get(checked_in=True).name == "Player 03"


def test_the_list_follows_while_somebody_types_and_its_buttons_work_from_the_moment_they_come_in(hall):
    hall.evaluate("""() => {
        window.same = true;
        document.body.addEventListener(
            "htmx:afterSwap",
            () => Promise.resolve().then(() => document.querySelector("#people button[name=here]").click()),
            { once: true },
        );
    }""")
    hall.keyboard.type("12", delay=50)
    expect(hall.locator("#people .who")).to_have_count(1)
    expect(hall.locator("#here-count")).to_contain_text("1 of 12 here")
    assert hall.evaluate("window.same"), "the click left the page"
    assert hall.input_value("#q") == "12"


def test_on_a_phone_a_name_is_one_line_and_the_list_stays_while_one_after_the_other_is_pressed(hall):
    hall.tournament.entries.filter(name="Player 01").update(name="Carla Martinez")
    hall.set_viewport_size(PHONE)
    hall.reload()
    lowest = "row => Math.max(...[...row.children].map((part) => part.getBoundingClientRect().top))"
    line = hall.locator(".check-in > li", has_text="Carla Martinez")
    expect(line.get_by_role("button", name="Check in")).to_be_visible()
    assert line.evaluate(lowest) < line.get_by_role("link").last.bounding_box()["y"] + 20
    box, button = hall.locator("#q"), hall.get_by_role("button", name="Check in", exact=True)
    assert abs(box.bounding_box()["y"] - button.bounding_box()["y"]) < 5

    hall.set_viewport_size({"width": 360, "height": 844})
    for show in ("", "missing"):
        hall.goto(f"{hall.url.split('?')[0]}?show={show}")
        places = "() => [...document.querySelectorAll('.check-in > li')].map((row) => row.offsetTop)"
        before, rows = hall.evaluate(places), hall.locator(".check-in > li")
        for row in range(rows.count()):
            rows.nth(row).locator("button[name=here]").click()
            expect(rows.nth(row).locator("button[name=away]")).to_be_visible()
            assert hall.evaluate(places) == before, (show, row)
        hall.tournament.entries.update(checked_in=False)
    drop_entry(hall.tournament, "P0003")
    hall.goto(f"{hall.url.split('?')[0]}?show=out")
    hall.get_by_role("button", name="Player 03 has arrived").click()
    expect(rows.first.locator("button[name=away]")).to_be_visible()  # the row stays in the list
    assert hall.tournament.entries.get(code="P0003").checked_in
