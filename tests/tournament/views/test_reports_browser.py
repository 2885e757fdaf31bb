"""Two phones at one table in a real browser, and the desk beside them."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import MORE_LOOKS, looks_right, open_as
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.services.test_reports import codes, result
from tournament.access.player_link import fresh_player_key, hash_of
from tournament.results.shorthand import parse_slip
from tournament.results.slip_code import phone_code
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result
from tournament.services.self_service import change_player_link

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def playing(reporting):
    tournament = TournamentFactory(entries=8, owner=UserFactory(username="ada"))
    change_settings(tournament, reporting=reporting)
    RoundFactory(tournament=tournament)
    return tournament


@pytest.fixture
def phone(browser, live_server, settings):
    """Opens the phone of a player, at the own page."""
    settings.SITE_URL, contexts = live_server.url, []

    def open_phone(tournament, code, **more):
        contexts.append(browser.new_context(**PHONE, **more))
        page, secret = contexts[-1].new_page(), fresh_player_key()
        change_player_link(tournament, code, key_hash=hash_of(secret))
        page.goto(f"{live_server.url}/t/{tournament.slug}/key/{secret}/")
        return page

    yield open_phone
    for context in contexts:
        context.close()


def tap(page, *names, role="button"):
    for name in names:
        page.get_by_role(role, name=name, exact=True).click()


def test_two_phones_agree_in_two_taps_and_one(phone):
    tournament = playing("on")
    ann, bo = (phone(tournament, code) for code in codes(tournament))
    link = ann.get_by_role("link", name="Report the result")
    box = link.bounding_box()
    assert box["y"] + box["height"] <= 844 and box["y"] > 600 and box["height"] >= 44  # where a thumb is
    looks_right(ann, *MORE_LOOKS)
    ann.set_viewport_size(PHONE["viewport"])
    link.click()
    looks_right(ann, *MORE_LOOKS)
    tap(ann, "I won 2–1")
    expect(ann.get_by_text("to confirm")).to_be_visible()
    looks_right(ann, *MORE_LOOKS)
    bo.reload()
    tap(bo, "Confirm or correct it", role="link")
    looks_right(bo, *MORE_LOOKS)
    tap(bo, "Confirm: I lost 1–2")
    expect(bo.get_by_text("Entered, round 1: lost 1–2")).to_be_visible()
    expect(ann.get_by_text("Entered, round 1: won 2–1")).to_be_visible()  # by itself
    for words in ("Change my report", "has no phone here?", "You can also bring the signed slip"):
        expect(ann.get_by_text(words)).to_be_hidden()
    tap(ann, "Back to my page", role="link")
    expect(ann.locator("#report-bar")).to_be_hidden()  # an empty one lies over what is below it
    assert result(tournament) == ("played", "a")


def test_a_short_bar_fades_none_of_its_links(phone):
    page = phone(playing("on"), "P0001")
    bar, last = (page.locator(each).last.bounding_box() for each in (".bar-end", ".bar-end a"))
    assert bar["width"] < 390 and last["x"] + last["width"] <= bar["x"] + bar["width"] - 48


def test_a_new_round_is_felt_once_on_the_own_page(phone):
    tournament = TournamentFactory(entries=4)
    page = phone(tournament, "P0001")
    page.evaluate("window.felt = []; navigator.vibrate = (pattern) => window.felt.push(pattern); 0")
    RoundFactory(tournament=tournament)
    for _ in range(2):
        with page.expect_response("**/now/?v=*"):
            page.evaluate("window.dispatchEvent(new Event('online'))")
        expect(page).to_have_title(re.compile("^Table"))
    assert page.evaluate("window.felt") == [[200, 100, 200]]
    assert "Round 1: table" in page.locator("#announce").inner_text()


def test_a_phone_that_waited_for_its_round_calls_a_judge_to_its_table(phone):
    tournament = TournamentFactory(entries=2, owner=UserFactory(username="ada"))
    ann = phone(tournament, "P0001")
    call = ann.get_by_role("button", name="Call a judge to table 1")
    expect(ann.get_by_text("Your next table will appear here")).to_be_visible()
    expect(call).to_be_hidden()
    RoundFactory(tournament=tournament)
    ann.evaluate("window.dispatchEvent(new Event('online'))")  # asks soon
    expect(call).to_be_visible()
    ann.get_by_label("What do you need a judge for?").fill("Rules")
    call.click()
    expect(ann.get_by_text("A judge was called to table 1")).to_be_visible()
    assert tournament.flags.count() == 1


def test_two_phones_that_disagree_hear_of_the_judge_and_of_what_staff_enter(phone):
    tournament = playing("on")
    ann, bo = (phone(tournament, code, java_script_enabled=js) for code, js in
               zip(codes(tournament), (True, False), strict=True))  # fmt: skip
    for page in (ann, bo):
        tap(page, "Report the result", role="link")
        tap(page, "I won 2–0")
    expect(ann.get_by_role("alert").filter(has_text="The reports differ. Call a judge.")).to_be_visible()
    expect(bo.get_by_text("The reports differ. Call a judge.")).to_be_visible()
    looks_right(ann, *MORE_LOOKS)
    tap(bo, "Call a judge to table 1")
    expect(bo.get_by_text("A judge was called to table 1")).to_be_visible()
    record_result(tournament, 1, 1, parse_slip("21"), actor="ada")
    expect(ann.get_by_text("The event desk’s entry counts.")).to_be_visible()
    bo.goto(bo.url.partition("report/")[0].partition("#")[0])
    expect(bo.get_by_text("lost 1–2")).to_be_visible()


def test_one_phone_is_enough_with_the_code_of_the_slip(phone):
    tournament = playing("on")
    a, b = codes(tournament)
    ann = phone(tournament, a)
    tap(ann, "Report the result", role="link")
    tap(ann, "I won 2–0")
    ann.get_by_label("Phone code from the slip").fill(phone_code(tournament.pk, 1, 1, b).lower())
    tap(ann, "Confirm")
    expect(ann.get_by_text("Entered, round 1: won 2–0")).to_be_visible()


def test_one_key_at_the_desk_accepts_what_agrees(phone, page, live_server):
    tournament = playing("staff")
    for table, words in ((1, ("I won 2–0", "I lost 0–2")), (2, ("I won 2–0", "I won 2–0"))):
        for code, word in zip(codes(tournament, table), words, strict=True):
            own = phone(tournament, code)
            own.goto(f"{own.url}report/")
            tap(own, word)
    expect(own.get_by_text("The reports differ. Call a judge.").first).to_be_visible()
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/1/")
    expect(page.get_by_text("the reports differ. Send a judge")).to_be_visible()
    looks_right(page, *MORE_LOOKS)
    page.get_by_role("textbox", name="Table and result").press("a")  # in the box it is a letter
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("a")
    expect(page.locator("#match-1.in")).to_be_visible()
    assert result(tournament) == ("played", "a") and result(tournament, 2) is None
