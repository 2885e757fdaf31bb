import json
import os
import re
import time

import pytest
from playwright.sync_api import Error, Page, Route, expect

from tests.browser import LOOKS, PHONE, eventually, looks_right, open_as
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.journeys.test_phone_browser import ASK_NOW, playing, tap
from tests.push_service import Receiver
from tests.steps import complete_round
from tests.tournament.services.test_results import codes
from tournament.access import throttle
from tournament.access.player_link import known_key, player_address
from tournament.models import PushSubscription, Report, Tournament
from tournament.push import subscribe_phone
from tournament.results.shorthand import parse_slip
from tournament.services.event_settings import change_settings
from tournament.services.results import record_result
from tournament.services.self_service import make_links, renew_link
from tournament.views import self_service

pytestmark = pytest.mark.django_db(transaction=True)


CUTS = ("before", "during", "after")
RUNS = int(os.environ.get("RUNS", "15"))  # of the full size


def cut(page: Page, how: str) -> None:
    """Let the network die: before a report leaves, after it arrived and before its answer, or just after that."""

    def handle(route: Route) -> None:
        if route.request.method == "POST" and how != "before":
            route.fetch(max_redirects=0)  # the server has it
        route.abort()

    page.context.route("**/report/", handle)


def mend(page: Page) -> None:
    page.context.unroute_all(behavior="wait")
    page.evaluate(ASK_NOW)


def about_to_report(page: Page) -> Page:
    page.goto(f"{page.url}report/")
    page.wait_for_load_state()
    return page


@pytest.fixture
def report_page(phone):
    """The phone of the first player at table 1, who is about to report. `page.tournament` is the event."""
    tournament = playing()
    page = about_to_report(phone(tournament, codes(tournament)[0]))
    page.tournament = tournament
    return page


def count_reports(tournament: Tournament) -> int:
    return tournament.actions.filter(kind="report").count()


def waiting(page: Page) -> int:
    return page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('outbox ')).length")


def slips() -> list[str]:
    return list(Report.objects.values_list("slip", flat=True))


def report_while_the_network_dies(page: Page, how: str) -> None:
    about_to_report(page)
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


@pytest.mark.parametrize("tables", [3, pytest.param(RUNS, marks=pytest.mark.slow)])
def test_reports_of_many_phones_survive_as_many_cuts(phone, tables):
    tournament = TournamentFactory(entries=2 * tables)
    change_settings(tournament, reporting="on")
    RoundFactory(tournament=tournament)
    for table in range(1, tables + 1):
        report_while_the_network_dies(phone(tournament, codes(tournament, table)[0]), CUTS[table % 3])
    sent = Report.objects.values_list("source", "slip")
    assert [*sent] == [("a", "20")] * tables and count_reports(tournament) == tables


def test_a_report_that_comes_too_late_says_so_and_is_not_sent_again(report_page):
    cut(report_page, "before")
    tap(report_page, "I won 2–0")
    expect(report_page.locator("#outbox")).to_contain_text("Not saved yet")
    record_result(report_page.tournament, 1, 1, parse_slip("12"))
    mend(report_page)
    expect(report_page.get_by_role("alert").first).to_contain_text("The result is entered already")
    expect(report_page.locator("#outbox:visible")).to_have_count(0)
    assert count_reports(report_page.tournament) == 0


@pytest.mark.parametrize("status", [200, 404, 408, 429])
def test_a_report_that_somebody_else_answered_is_kept_and_sent_again(report_page, status):
    portal = "<!doctype html><main class='page'><h1>Welcome to the WiFi of this hall</h1></main>"
    asked: list[Route] = []
    report_page.context.route(
        "**/report/", lambda route: (asked.append(route), route.fulfill(status=status, body=portal))
    )
    tap(report_page, "I won 2–0")
    # The page asks again only once it has dealt with the first answer.
    eventually(lambda: report_page.evaluate(ASK_NOW) and len(asked) > 1)
    expect(report_page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–0")
    assert "WiFi" not in report_page.content() and waiting(report_page) == 1
    mend(report_page)
    expect(report_page.get_by_text("You reported: you won 2–0")).to_be_visible()
    expect(report_page.locator("#outbox:visible")).to_have_count(
        0
    )  # a poll may have told before the answer did
    assert count_reports(report_page.tournament) == 1 and waiting(report_page) == 0


def test_an_error_page_of_the_server_is_shown_and_ends_the_wait(report_page):
    report_page.context.clear_cookies()
    tap(report_page, "I won 2–0")
    expect(report_page.locator("main.narrow h1")).to_be_visible()
    assert count_reports(report_page.tournament) == waiting(report_page) == 0


def test_another_report_while_the_first_is_on_its_way_is_sent_after_it(report_page):
    held: list[Route] = []
    report_page.context.route("**/report/", lambda route: held.append(route))
    with report_page.expect_request("**/report/"):
        tap(report_page, "I won 2–0")
    tap(report_page, "I won 2–1", "I won 2–1")  # twice the same is one report
    expect(report_page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–1")
    with report_page.expect_request(lambda request: "slip=21" in (request.post_data or "")):
        held[0].continue_()
    expect(report_page.locator("#outbox")).to_contain_text("Not saved yet: I won 2–1")
    assert report_page.get_by_text("Saved. You reported").count() == 0 and slips() == ["20"]
    held[1].continue_()
    expect(report_page.get_by_text("You reported: you won 2–1")).to_be_visible()
    expect(report_page.locator("#outbox:visible")).to_have_count(0)
    assert slips() == ["21"] and len(held) == 2 and waiting(report_page) == 0


def test_another_report_after_an_answer_was_lost_counts(report_page):
    cut(report_page, "during")
    with report_page.expect_event("requestfailed"):
        tap(report_page, "I won 2–0")
    tap(report_page, "I won 2–1")
    mend(report_page)
    expect(report_page.get_by_text("You reported: you won 2–1")).to_be_visible()
    assert slips() == ["21"] and count_reports(report_page.tournament) == 2


def test_too_many_wrong_codes_are_said_and_not_sent_again(report_page, monkeypatch):
    monkeypatch.setattr("tournament.access.codes.WRONG_CODES", throttle.Limit("test", most=0, seconds=600))
    tap(report_page, "I won 2–0")
    report_page.locator("summary", has_text="has no phone here?").click()
    report_page.get_by_label("personal code").fill("ZZZ-ZZZ")
    with report_page.expect_response("**/report/") as sent:
        tap(report_page, "Confirm")
    assert sent.value.status == 429
    expect(report_page.get_by_role("alert").filter(has_text="Too many wrong codes.")).to_be_visible()
    expect(report_page.locator("#outbox:visible")).to_have_count(0)
    assert waiting(report_page) == 0


AS_OF = re.compile(r"No connection: as of \d\d:\d\d\.")


@pytest.fixture
def app(browser, live_server, settings):
    """A phone that lets the worker in; what it complains about fails the test."""
    settings.SITE_URL = live_server.url
    context = browser.new_context(service_workers="allow", base_url=live_server.url, viewport=PHONE)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if "Content Security" in m.text else None)
    yield page
    context.close()
    assert complaints == []


@pytest.fixture
def event() -> Tournament:
    event = TournamentFactory(entries=4)
    make_links(event)
    RoundFactory(tournament=event)
    event.refresh_from_db()
    return event


def open_kept(page: Page, event: Tournament) -> None:
    """The own page of P0001, by the player's link; the worker has come to it and keeps it."""
    page.goto(player_address(event, known_key(event, event.entries.get(code="P0001"))))
    wait_until_kept(page, "/me/P0001/")


def kept(page: Page) -> list[str]:
    return page.evaluate(
        """async () => (await (await caches.open("kept")).keys()).map((each) => new URL(each.url).pathname)"""
    )


def wait_until_kept(page: Page, end: str) -> None:
    eventually(lambda: [path for path in kept(page) if path.endswith(end)])


def test_what_was_opened_is_there_without_a_network_as_its_polls_left_it(app, event):
    open_kept(app, event)
    for path in ("rounds/1/", "standings/"):
        app.goto(f"/t/{event.slug}/{path}")
    for path in ("rounds/1/", "standings/", "site.css", "page.js"):
        wait_until_kept(app, path)
    expect(app.locator("#offline")).to_be_hidden()
    app.goto(f"/t/{event.slug}/me/P0001/")
    expect(app.locator(".seat")).to_contain_text("against Player")
    enter_results(event, 1)
    complete_round(event, 1)
    RoundFactory(tournament=event)
    app.evaluate(ASK_NOW)
    expect(app.get_by_role("list", name="Matches so far")).to_be_visible()
    eventually(
        lambda: "Matches so far" in app.evaluate("async () => (await caches.match(location.href)).text()")
    )
    app.context.set_offline(True)
    for path in ("rounds/1/", "standings/", "me/P0001/"):
        app.goto(f"/t/{event.slug}/{path}")
        expect(app.locator("#offline")).to_have_text(AS_OF)
        expect(app.get_by_text("✓ live")).to_be_hidden()
    expect(app.get_by_role("list", name="Matches so far")).to_be_visible()
    assert app.evaluate("getComputedStyle(document.querySelector('.card')).borderStyle") == "solid"
    looks_right(app, *LOOKS)
    app.context.set_offline(False)
    app.evaluate(ASK_NOW)
    expect(app.locator("#offline")).to_be_hidden()


@pytest.mark.slow
def test_a_network_that_hangs_holds_no_kept_page(app, event, monkeypatch):
    open_kept(app, event)
    monkeypatch.setattr(self_service, "own_entry", lambda *args: time.sleep(30))
    app.goto(f"/t/{event.slug}/me/P0001/", wait_until="domcontentloaded", timeout=15_000)
    expect(app.locator("#offline")).to_have_text(AS_OF)


def test_neither_who_is_forgotten_nor_a_revoked_link_nor_staff_leave_anything_on_the_phone(
    app, event, live_server
):
    own = f"/t/{event.slug}/me/P0001/"
    open_kept(app, event)
    renew_link(event, "P0001")
    app.reload()
    expect(app.get_by_text("Only a player's own link opens that page.")).to_be_visible()
    eventually(lambda: own not in kept(app))

    event.refresh_from_db()
    open_kept(app, event)
    app.locator("summary", has_text="This phone").click()
    app.get_by_role("button", name="Forget me on this device").click()
    expect(app.get_by_text("This device has forgotten the player.")).to_be_visible()
    wait_until_kept(app, "/me/")
    assert own not in kept(app)

    open_as(app, live_server, event.owner, f"/t/{event.slug}/desk/players/")
    app.goto(f"/t/{event.slug}/")
    wait_until_kept(app, f"/t/{event.slug}/")
    assert not [path for path in kept(app) if "/desk/" in path]
    app.context.set_offline(True)
    with pytest.raises(Error, match="ERR_"):
        app.goto(own)


# A browser without a screen shows no notifications: what it is asked to show, and how a click on that ends.
STUBS = """() => {
  ServiceWorkerRegistration.prototype.showNotification = async (...shown) => (self.shown = shown);
}"""
CLICK = """async (data) => {
  const done = [];
  let opened;
  self.clients.matchAll = async () => [];
  self.clients.openWindow = async (address) => done.push(address);
  const click = new ExtendableEvent("notificationclick");
  const notification = { data, close: () => done.push("closed") };
  self.dispatchEvent(Object.assign(click, { notification, waitUntil: (open) => (opened = open) }));
  await opened;
  return done;
}"""


@pytest.fixture
def told(app, settings):
    settings.HTTPS = True
    app.add_init_script(
        f"""{{
        const {{ endpoint, ...keys }} = {json.dumps(Receiver().sent)};
        const phone = {{ endpoint, toJSON: () => ({{ endpoint, keys }}), unsubscribe: async () => true }};
        PushManager.prototype.subscribe = async () => {{ sessionStorage.phone = "on"; return phone; }};
        PushManager.prototype.getSubscription = async () => (sessionStorage.phone ? phone : null);
        }}"""
    )
    return app


def deliver(page: Page, message: dict[str, str]) -> None:
    session = page.context.new_cdp_session(page)
    versions: list[dict] = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda news: versions.extend(news["registrations"]))
    session.send("ServiceWorker.enable")
    eventually(lambda: page.wait_for_timeout(20) or versions)
    about = {"origin": page.url.split("/t/")[0], "registrationId": versions[-1]["registrationId"]}
    session.send("ServiceWorker.deliverPushMessage", {**about, "data": json.dumps(message)})


def test_a_phone_is_told_shows_it_opens_the_own_page_and_is_forgotten_alone(told, event):
    tell_me = told.get_by_role("button", name="Tell me when I am paired", exact=True)
    stop = told.get_by_role("button", name="Stop telling me when I am paired")
    open_kept(told, event)
    tell_me.click()
    expect(
        told.get_by_text("Notifications are on: this phone tells you when you are paired.")
    ).to_be_visible()
    expect(stop).to_be_visible()
    expect(tell_me).to_be_hidden()
    looks_right(told, *LOOKS)
    assert PushSubscription.objects.get().endpoint == Receiver().endpoint
    own = f"/t/{event.slug}/me/P0001/"
    message = {"title": event.name, "body": "Round 1: table 2, against Player 02.", "url": own, "icon": ""}
    [worker] = told.context.service_workers
    worker.evaluate(STUBS)
    deliver(told, message)
    eventually(lambda: worker.evaluate("self.shown"))
    [title, options] = worker.evaluate("self.shown")
    assert (title, options["body"]) == (event.name, message["body"])
    assert worker.evaluate(CLICK, options["data"]) == ["closed", own]

    stop.click()
    expect(told.get_by_text("Notifications are off on this phone.")).to_be_visible()
    assert not PushSubscription.objects.exists()
    tell_me.click()
    expect(
        told.get_by_text("Notifications are on: this phone tells you when you are paired.")
    ).to_be_visible()
    other = Receiver("/other")
    subscribe_phone(event.entries.get(code="P0001"), **other.sent)
    expect(stop).to_be_visible()
    told.locator("summary", has_text="This phone").click()
    told.get_by_role("button", name="Forget me on this device").click()
    expect(told.get_by_text("This device has forgotten the player.")).to_be_visible()
    assert [each.endpoint for each in PushSubscription.objects.all()] == [other.endpoint]


def test_who_refuses_notifications_is_told_how_to_allow_them(told, event):
    told.add_init_script("PushManager.prototype.subscribe = async () => { throw new Error('denied'); };")
    open_kept(told, event)
    told.get_by_role("button", name="Tell me when I am paired", exact=True).click()
    expect(told.get_by_role("alert").filter(has_text="does not allow notifications")).to_be_visible()
    assert not PushSubscription.objects.exists()
