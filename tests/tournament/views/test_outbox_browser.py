"""A report and a network that dies: none is lost, none doubled, none shown as saved that is not."""

import os

import pytest
from playwright.sync_api import Page, Route, expect

from tests.factories import RoundFactory, TournamentFactory
from tests.tournament.views.test_reports_browser import phone, tap  # noqa: F401  (phone: a fixture)
from tournament.access import throttle
from tournament.models import Report, Seat, Tournament
from tournament.results.shorthand import parse_slip
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
CUTS = ("before", "during", "after")
RUNS = int(os.environ.get("RUNS", "15"))  # of the full size


@pytest.fixture(autouse=True)
def every_action_leaves_the_tables_clean() -> None:
    """Not here: fifty phones wait for it."""


def cut(page: Page, how: str) -> None:
    """Let the network die: before a report leaves, after it arrived and before its answer, or just after that."""

    def handle(route: Route) -> None:
        """Nothing comes back, whatever the server did."""
        if route.request.method == "POST" and how != "before":
            route.fetch(max_redirects=0)  # the server has it
        route.abort()

    page.context.route("**/report/", handle)


def mend(page: Page) -> None:
    page.context.unroute_all(behavior="wait")
    page.evaluate("window.dispatchEvent(new Event('online'))")


def play(open_phone, tournament: Tournament, code: str, how: str) -> None:
    """One player reports while the network dies, and looks at the phone until it is back."""
    page = open_phone(tournament, code)
    tap(page, "Report the result", role="link")
    page.wait_for_load_state()
    cut(page, how)
    tap(page, "I won 2–0")
    expect(page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–0")
    assert page.get_by_text("Saved. You reported").count() == 0
    if how == "after":  # the player closes the page, and opens the own one later
        page.context.unroute_all(behavior="wait")
        page.goto(page.url.removesuffix("report/"))
    else:
        mend(page)
    expect(page.locator("#outbox:visible")).to_have_count(0)
    expect(page.get_by_text("to confirm").or_(page.get_by_text("waiting for")).first).to_be_visible()
    page.close()


def reports_of(tournament: Tournament) -> int:
    return tournament.actions.filter(kind="report").count()


def about_to_report(open_phone) -> tuple[Tournament, Page]:
    """An event in its first round, and the phone of a player at table 1 that shows the results to choose from."""
    tournament = TournamentFactory(entries=8)
    change_settings(tournament, reporting="on")
    RoundFactory(tournament=tournament)
    page = open_phone(tournament, code_at(tournament, 1))
    tap(page, "Report the result", role="link")
    page.wait_for_load_state()
    return tournament, page


@pytest.mark.parametrize("how", CUTS)
def test_a_report_that_the_network_lost_is_kept_and_sent_once(phone, how):  # noqa: F811
    tournament = TournamentFactory(entries=8)
    change_settings(tournament, reporting="on")
    RoundFactory(tournament=tournament)
    play(phone, tournament, code_at(tournament, 1), how)
    assert list(Report.objects.values_list("source", "slip")) == [("a", "20")] and reports_of(tournament) == 1


@pytest.mark.slow
def test_reports_of_many_phones_survive_as_many_cuts(phone):  # noqa: F811
    tournament = TournamentFactory(entries=2 * RUNS)
    change_settings(tournament, reporting="on")
    RoundFactory(tournament=tournament)
    for table in range(1, RUNS + 1):
        play(phone, tournament, code_at(tournament, table), CUTS[table % 3])
    assert Report.objects.filter(slip="20").count() == reports_of(tournament) == RUNS


def test_a_report_that_comes_too_late_says_so_and_is_not_sent_again(phone):  # noqa: F811
    tournament, page = about_to_report(phone)
    cut(page, "before")
    tap(page, "I won 2–0")
    expect(page.locator("#outbox")).to_contain_text("Not saved yet")
    record_result(tournament, 1, 1, parse_slip("12"))
    mend(page)
    expect(page.get_by_role("alert").first).to_contain_text("The result is entered already")
    expect(page.locator("#outbox:visible")).to_have_count(0)
    assert reports_of(tournament) == 0


def test_a_report_that_came_to_the_server_too_slowly_is_kept_and_sent_again(phone):  # noqa: F811
    tournament, page = about_to_report(phone)
    page.context.route("**/report/", lambda route: route.fulfill(status=408, body="<main>Too slow</main>"))
    with page.expect_response("**/report/"):
        tap(page, "I won 2–0")
    expect(page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–0")
    mend(page)
    expect(page.locator("#outbox:visible")).to_have_count(0)
    assert reports_of(tournament) == 1


@pytest.mark.parametrize("status", [200, 404, 429])
def test_a_report_that_somebody_else_answered_is_kept_and_sent_again(phone, status):  # noqa: F811
    tournament, page = about_to_report(phone)
    portal = "<!doctype html><main class='page'><h1>Welcome to the WiFi of this hall</h1></main>"
    page.context.route("**/report/", lambda route: route.fulfill(status=status, body=portal))
    with page.expect_response("**/report/"):
        tap(page, "I won 2–0")
    page.wait_for_timeout(300)  # for what the page makes of it
    expect(page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–0")
    assert "WiFi" not in page.content() and waiting(page) == 1
    mend(page)
    expect(page.get_by_text("Saved. You reported: you won 2–0")).to_be_visible()
    expect(page.locator("#outbox:visible")).to_have_count(
        0
    )  # a poll may have told the page before the answer did
    assert reports_of(tournament) == 1 and waiting(page) == 0


def test_an_error_page_of_the_server_is_shown_and_ends_the_wait(phone):  # noqa: F811
    tournament, page = about_to_report(phone)
    page.context.clear_cookies()
    tap(page, "I won 2–0")
    expect(page.locator("main.narrow h1")).to_be_visible()
    assert reports_of(tournament) == waiting(page) == 0


def test_another_report_while_the_first_is_on_its_way_is_sent_after_it(phone):  # noqa: F811
    _tournament, page = about_to_report(phone)
    held: list[Route] = []
    page.context.route("**/report/", lambda route: held.append(route))
    with page.expect_request("**/report/"):
        tap(page, "I won 2–0")
    tap(page, "I won 2–1", "I won 2–1")  # twice the same is one report
    expect(page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–1")
    with page.expect_request(lambda request: "slip=21" in (request.post_data or "")):
        held[0].continue_()
    expect(page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–1")
    assert page.get_by_text("Saved. You reported").count() == 0 and slips() == ["20"]
    held[1].continue_()
    expect(page.get_by_text("Saved. You reported: you won 2–1")).to_be_visible()
    expect(page.locator("#outbox:visible")).to_have_count(0)
    assert slips() == ["21"] and len(held) == 2 and waiting(page) == 0


def test_another_report_after_an_answer_was_lost_counts(phone):  # noqa: F811
    tournament, page = about_to_report(phone)
    cut(page, "during")
    with page.expect_event("requestfailed"):
        tap(page, "I won 2–0")
    tap(page, "I won 2–1")
    mend(page)
    expect(page.get_by_text("Saved. You reported: you won 2–1")).to_be_visible()
    assert slips() == ["21"] and reports_of(tournament) == 2


def test_too_many_wrong_codes_are_said_and_not_sent_again(phone, monkeypatch):  # noqa: F811
    monkeypatch.setattr("tournament.views.reports.WRONG_CODES", throttle.Limit("test", most=0, seconds=600))
    _tournament, page = about_to_report(phone)
    tap(page, "I won 2–0")
    page.get_by_label("Phone code from the slip").fill("ZZZZ")
    with page.expect_response("**/report/") as sent:
        tap(page, "Confirm")
    assert sent.value.status == 429
    expect(page.get_by_role("alert").filter(has_text="Too many wrong codes. Wait 10 minutes")).to_be_visible()
    expect(page.locator("#outbox:visible")).to_have_count(0)
    assert waiting(page) == 0


def waiting(page: Page) -> int:
    """How many reports this phone keeps."""
    return page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('outbox ')).length")


def slips() -> list[str]:
    """What the server has."""
    return list(Report.objects.values_list("slip", flat=True))


def code_at(tournament: Tournament, table: int) -> str:
    return Seat.objects.get(match__round__tournament=tournament, match__table=table, side="a").entry.code
