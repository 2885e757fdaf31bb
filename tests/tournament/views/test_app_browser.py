"""The app in a real browser: what a phone shows without a network, and what it forgets."""

import json
import re
import time

import pytest
from playwright.sync_api import Error, Page, expect

from standings.views import self_service
from tests.browser import LOOKS, looks_right, open_as
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.push_service import Receiver
from tests.steps import complete_round
from tests.tournament.web.test_live_browser import eventually
from tournament.access.player_link import known_key, link_of
from tournament.models import PushSubscription, Tournament
from tournament.services.player_links import make_links, renew_link
from tournament.services.push import subscribe_phone
from tournament.web.push import Phone

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
AS_OF = re.compile(r"No connection: as of \d\d:\d\d\.")


@pytest.fixture
def app(browser, live_server, settings):
    """A phone that lets the worker in; what it complains about fails the test."""
    settings.SITE_URL = live_server.url
    context = browser.new_context(
        service_workers="allow", base_url=live_server.url, viewport={"width": 390, "height": 844}
    )
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


def open_own(page: Page, event: Tournament) -> None:
    """The own page of P0001, by the player's link; the worker has come to it and keeps it."""
    page.goto(link_of(event, known_key(event, event.entries.get(code="P0001"))))
    wait_until_kept(page, "/me/P0001/")


def kept(page: Page) -> list[str]:
    """The paths that this phone keeps."""
    return page.evaluate(
        """async () => (await (await caches.open("kept")).keys()).map((each) => new URL(each.url).pathname)"""
    )


def wait_until_kept(page: Page, end: str) -> None:
    """The worker answers first, and keeps then."""
    eventually(lambda: [path for path in kept(page) if path.endswith(end)])


def test_what_was_opened_is_there_without_a_network_with_its_time(app, event):
    open_own(app, event)
    app.goto(f"/t/{event.slug}/rounds/1/")
    app.goto(f"/t/{event.slug}/standings/")
    for path in ("rounds/1/", "standings/", "site.css", "page.js"):
        wait_until_kept(app, path)
    expect(app.locator("#offline")).to_be_hidden()
    app.context.set_offline(True)
    for path in ("me/P0001/", "rounds/1/", "standings/"):
        app.goto(f"/t/{event.slug}/{path}")
        expect(app.locator("#offline")).to_have_text(AS_OF)
        expect(app.get_by_text("✓ live")).to_be_hidden()
    app.goto(f"/t/{event.slug}/me/P0001/")
    expect(app.get_by_role("heading", level=1)).to_contain_text("against Player")
    assert app.evaluate("getComputedStyle(document.querySelector('.panel')).borderStyle") == "solid"
    looks_right(app, *LOOKS)
    app.context.set_offline(False)
    app.evaluate("window.dispatchEvent(new Event('online'))")
    expect(app.locator("#offline")).to_be_hidden()


def test_a_page_says_as_of_when_the_copy_is_that_answers_its_polls(page, live_server, event):
    page.goto(f"{live_server.url}/t/{event.slug}/rounds/1/")
    moment = int((time.time() - 600) * 1000)
    page.route("**/pairings/?*", lambda route: route.fulfill(status=204, headers={"X-As-Of": str(moment)}))
    page.evaluate("window.dispatchEvent(new Event('online'))")
    told = page.evaluate(f"new Date({moment}).toLocaleTimeString('en-GB', {{timeStyle: 'short'}})")
    line = page.locator("#offline")
    expect(line).to_have_text(f"As of {told}. This page updates automatically.")
    looks_right(page, *LOOKS)
    page.unroute("**/pairings/?*")
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(line).to_be_hidden()


@pytest.mark.slow
def test_a_network_that_hangs_holds_no_kept_page(app, event, monkeypatch):
    open_own(app, event)
    monkeypatch.setattr(self_service, "own_entry", lambda *args: time.sleep(30))
    app.goto(f"/t/{event.slug}/me/P0001/", wait_until="domcontentloaded", timeout=15_000)
    expect(app.locator("#offline")).to_have_text(AS_OF)


def test_the_page_is_kept_as_its_polls_left_it(app, event):
    open_own(app, event)
    enter_results(event, 1)
    complete_round(event, 1)
    RoundFactory(tournament=event)
    app.evaluate("window.dispatchEvent(new Event('online'))")
    expect(app.get_by_role("heading", name="Matches so far")).to_be_visible()
    eventually(
        lambda: "Matches so far" in app.evaluate("async () => (await caches.match(location.href)).text()")
    )
    app.context.set_offline(True)
    app.reload()
    expect(app.locator("#offline")).to_have_text(AS_OF)
    expect(app.get_by_role("heading", name="Matches so far")).to_be_visible()


def test_who_is_forgotten_leaves_nothing_on_the_phone(app, event):
    open_own(app, event)
    app.get_by_role("button", name="Forget me on this device").click()
    expect(app.get_by_text("This device has forgotten the player.")).to_be_visible()
    wait_until_kept(app, "/me/")
    assert f"/t/{event.slug}/me/P0001/" not in kept(app)
    app.context.set_offline(True)
    with pytest.raises(Error, match="ERR_"):
        app.goto(f"/t/{event.slug}/me/P0001/")


def test_a_revoked_link_and_pages_of_staff_are_not_kept(app, event, live_server):
    open_own(app, event)
    renew_link(event, "P0001")
    app.reload()
    expect(app.get_by_text("This device does not know that this is you.")).to_be_visible()
    eventually(lambda: f"/t/{event.slug}/me/P0001/" not in kept(app))
    open_as(app, live_server, event.owner, f"/t/{event.slug}/desk/players/")
    app.goto(f"/t/{event.slug}/")
    wait_until_kept(app, f"/t/{event.slug}/")
    assert not [path for path in kept(app) if "/desk/" in path]


# A browser without a screen shows no notifications: what it is asked to show, and how a click on that ends.
STUBS = """() => {
  ServiceWorkerRegistration.prototype.showNotification = async (...shown) => (self.shown = shown);
}"""
CLICK = """async (data) => {
  const done = [];
  self.clients.matchAll = async () => [];
  self.clients.openWindow = async (address) => done.push(address);
  const click = new ExtendableEvent("notificationclick");
  self.dispatchEvent(Object.assign(click, { notification: { data, close: () => done.push("closed") } }));
  await new Promise((soon) => setTimeout(soon, 100));
  return done;
}"""


@pytest.fixture
def told(app, settings):
    """The same phone, whose browser has a push service."""
    settings.HTTPS = True
    phone = json.dumps(Receiver().sent)
    app.add_init_script(
        f"""{{
        const {{ endpoint, ...keys }} = {phone};
        const phone = {{ endpoint, toJSON: () => ({{ endpoint, keys }}), unsubscribe: async () => true }};
        PushManager.prototype.subscribe = async () => {{ sessionStorage.phone = "on"; return phone; }};
        PushManager.prototype.getSubscription = async () => (sessionStorage.phone ? phone : null);
        }}"""
    )
    return app


def test_a_phone_is_told_shows_it_and_opens_the_own_page(told, event):
    open_own(told, event)
    told.get_by_role("button", name="Tell me when I am paired", exact=True).click()
    expect(told.get_by_text("This phone tells you when you are paired.")).to_be_visible()
    expect(told.get_by_role("button", name="Stop telling me when I am paired")).to_be_visible()
    expect(told.get_by_role("button", name="Tell me when I am paired", exact=True)).to_be_hidden()
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
    told.get_by_role("button", name="Stop telling me when I am paired").click()
    expect(told.get_by_text("This phone tells you nothing anymore.")).to_be_visible()
    assert not PushSubscription.objects.exists()


def deliver(page: Page, message: dict[str, str]) -> None:
    """A push message as the browser hands it to the worker."""
    session = page.context.new_cdp_session(page)
    versions: list[dict] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated", lambda event: versions.extend(event["registrations"])
    )
    session.send("ServiceWorker.enable")
    eventually(lambda: page.wait_for_timeout(20) or versions)
    about = {"origin": page.url.split("/t/")[0], "registrationId": versions[-1]["registrationId"]}
    session.send("ServiceWorker.deliverPushMessage", {**about, "data": json.dumps(message)})


def test_forgetting_one_phone_leaves_the_players_other_phone_told(told, event):
    open_own(told, event)
    told.get_by_role("button", name="Tell me when I am paired", exact=True).click()
    expect(told.get_by_text("This phone tells you when you are paired.")).to_be_visible()
    entry = event.entries.get(code="P0001")
    other = Receiver("/other")
    subscribe_phone(entry, Phone(**other.sent))
    expect(told.get_by_role("button", name="Stop telling me when I am paired")).to_be_visible()
    told.get_by_role("button", name="Forget me on this device").click()
    expect(told.get_by_text("This device has forgotten the player.")).to_be_visible()
    assert [phone.endpoint for phone in PushSubscription.objects.all()] == [other.endpoint]


def test_who_refuses_notifications_is_told_how_to_allow_them(told, event):
    told.add_init_script("PushManager.prototype.subscribe = async () => { throw new Error('denied'); };")
    open_own(told, event)
    told.get_by_role("button", name="Tell me when I am paired", exact=True).click()
    expect(told.get_by_role("alert").filter(has_text="does not allow notifications")).to_be_visible()
    assert not PushSubscription.objects.exists()
