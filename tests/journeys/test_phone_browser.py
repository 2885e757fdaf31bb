import re

import pytest
from playwright.sync_api import expect

from tests.browser import LOOKS, looks_right, open_as
from tests.factories import RoundFactory, TournamentFactory
from tests.steps import complete_round
from tests.tournament.services.test_results import codes, result
from tests.tournament.views.desk import match_of
from tournament.results.shorthand import parse_slip
from tournament.services.corrections import correct_result
from tournament.services.event_settings import change_announcement, change_settings
from tournament.services.events import finish_tournament

pytestmark = pytest.mark.django_db(transaction=True)
ASK_NOW = "window.dispatchEvent(new Event('online'))"


def playing(reporting="on"):
    tournament = TournamentFactory(entries=8)
    change_settings(tournament, reporting=reporting)
    RoundFactory(tournament=tournament)
    return tournament


def tap(page, *names, role="button"):
    for name in names:
        page.get_by_role(role, name=name, exact=True).click()


def test_two_phones_agree_in_two_taps_and_one(phone):
    tournament = playing()
    ann, bo = (phone(tournament, code) for code in codes(tournament))
    box = ann.get_by_role("button", name="I won 2–1").bounding_box()
    assert box["y"] + box["height"] <= 844 - 56 and box["height"] >= 44  # seen above the tabs
    looks_right(ann, *LOOKS)
    tap(ann, "I won 2–1")
    expect(ann.get_by_text("to confirm")).to_be_visible()
    looks_right(ann, *LOOKS)
    bo.reload()
    looks_right(bo, *LOOKS)
    ann.goto(f"{ann.url}report/")
    tap(bo, "Confirm: I lost 1–2")
    expect(bo.get_by_text("Your result for round 1 is in")).to_be_visible()
    expect(ann.get_by_text("Entered, round 1: won 2–1")).to_be_visible()  # by itself
    for words in ("Change my report", "has no phone here?"):
        expect(ann.get_by_text(words)).to_be_hidden()
    tap(ann, "Back to my page", role="link")
    expect(ann.locator("#report")).to_be_hidden()
    assert result(tournament) == ("played", "a")


def test_one_key_at_the_desk_accepts_what_agrees(phone, page, live_server):
    tournament = playing("staff")
    for table, words in ((1, ("I won 2–0", "I lost 0–2")), (2, ("I won 2–0", "I won 2–0"))):
        for code, word in zip(codes(tournament, table), words, strict=True):
            own = phone(tournament, code)
            own.goto(f"{own.url}report/")
            if own.get_by_text("It was another result").is_visible():
                own.get_by_text("It was another result").click()
            tap(own, word)
    expect(own.get_by_text("The reports differ. Call a judge.").first).to_be_visible()
    open_as(page, live_server, tournament.owner, f"/t/{tournament.slug}/desk/rounds/1/")
    expect(page.get_by_text("the reports differ. Send a judge")).to_be_visible()
    looks_right(page, *LOOKS)
    page.get_by_role("textbox", name="Table and result").press("a")  # in the box it is a letter
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("a")
    expect(page.locator("#match-1.in")).to_be_visible()
    assert result(tournament) == ("played", "a") and result(tournament, 2) is None


def test_a_new_round_is_felt_once_and_a_judge_can_be_called_to_its_table(phone):
    tournament = TournamentFactory(entries=2)
    page = phone(tournament, "P0001")
    call = page.get_by_role("button", name="Call a judge to table 1")
    expect(page.get_by_text("Your next table will appear here")).to_be_visible()
    expect(call).to_be_hidden()
    page.evaluate("window.felt = []; navigator.vibrate = (pattern) => window.felt.push(pattern); 0")
    RoundFactory(tournament=tournament)
    for _ in range(2):
        with page.expect_response("**/now/?v=*"):
            page.evaluate(ASK_NOW)
        expect(page).to_have_title(re.compile("^Table"))
    assert page.evaluate("window.felt") == [[200, 100, 200]]
    assert "Round 1: table" in page.locator("#announce").inner_text()
    page.locator("summary", has_text="Call a judge to table 1").click()
    page.get_by_label("What do you need a judge for?").fill("Rules")
    call.click()
    expect(page.get_by_text("A judge was called to table 1")).to_be_visible()
    assert tournament.flags.count() == 1


def test_a_correction_reaches_the_phone_and_is_read_out_once(page, live_server):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    code = match_of(tournament, 1).seats.get(side="a").entry.code
    page.goto(f"{live_server.url}/t/{tournament.slug}/players/{code}/")
    announced = page.locator("#announce")
    expect(announced).to_be_empty()
    correct_result(tournament, 1, 1, parse_slip("12"), reason="misread")
    page.evaluate(ASK_NOW)
    expect(announced).to_contain_text("Correction in round 1: lost 1–2 against")
    expect(page.locator("#seat .notice")).to_contain_text("Correction in round 1: lost 1–2 against")
    announced.evaluate("region => { region.textContent = '' }")
    correct_result(tournament, 1, 2, parse_slip("12"), reason="misread")
    with page.expect_response(lambda answer: "/now/" in answer.url and answer.status == 200):
        page.evaluate(ASK_NOW)
    expect(announced).to_be_empty()
    looks_right(page, *LOOKS)
    finish_tournament(tournament)
    for path in ("standings/", "rounds/1/", "rounds/1/?by=table"):
        page.goto(f"{live_server.url}/t/{tournament.slug}/{path}")
        expect(page.get_by_text("corrected").first).to_be_attached()
        looks_right(page, *LOOKS)


def test_an_announcement_comes_with_a_poll_is_read_out_and_goes_at_its_time(page, live_server):
    tournament = TournamentFactory(entries=4, published=True)
    page.clock.install()
    page.goto(f"{live_server.url}/t/{tournament.slug}/rounds/1/")
    line = page.locator("#notice")
    expect(line).to_have_text("")
    line.evaluate("line => { line.here = true }")
    change_announcement(tournament, "Round 2 at 14:30 " + "W" * 150)
    page.clock.run_for(16_000)
    expect(line).to_contain_text("Round 2 at 14:30")
    assert line.evaluate("line => line.here && line.getAttribute('role')") == "status"  # so it is read out
    looks_right(page, *LOOKS)
    line.evaluate("line => { line.dataset.until = '2001-01-01T00:00:00Z' }")
    page.clock.run_for(1_500)
    expect(line).to_have_text("")
