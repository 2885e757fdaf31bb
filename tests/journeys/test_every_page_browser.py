"""Every page in a real browser: it fits its screen, can be read by all, and needs nothing that its policy forbids.

The browser asks the test's own client, so that pages of every role come out of one event; policy and all other headers
are those of the server.
"""

from contextvars import copy_context

import pytest
from django.http import HttpResponse
from playwright.sync_api import ConsoleMessage, Page, Route

from tests.browser import LONG, looks_right
from tests.conftest import CI, empty
from tests.security.hostile import MARK, Hostile
from tests.security.world import ADMIN, Look, ask, full_world, looks
from tests.tournament.access.test_permissions import World
from tournament.models import Entry, Tournament

HERE = "http://localhost"
# Elsewhere than in CI: one page of each layout, and those whose scripts write names.
USUAL = """
    home login account desk desk-round draft judge-table entries check-in event-settings ruleset-draft desk-bracket
    public-event public-round standings bracket screen screen-of me-entry me-report print-slips place-cards poster
""".split()
WRITTEN = """(mark) => [...document.querySelectorAll("*")].filter((element) =>
    [element.localName, ...element.getAttributeNames()].some((name) => RegExp(mark).test(name))
    || (element.localName === "script" && !element.src && element.type !== "application/json")
).map((element) => element.outerHTML)"""


class Window:
    """A browser's page that opens whatever a role may; `faults`: what the browser said about it."""

    def __init__(self, page: Page, world: World) -> None:
        self.page, self.world, self.faults = page, world, list[str]()
        self.kept: dict[str, HttpResponse] = {}
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.faults.append(f"{self.look.name}: {error}"))
        # Playwright calls back in another context, in which Django would connect anew and not see the test's rows.
        self.context = copy_context()
        page.route("**/*", self.answer)

    def hear(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.faults.append(f"{self.look.name} as {self.look.role}: {message.text}")

    def answer(self, route: Route) -> None:
        path = route.request.url.removeprefix(HERE)
        if path.startswith("/static/") and path in self.kept:
            answer = self.kept[path]
        elif route.request.is_navigation_request():
            answer = self.document
        else:
            answer = self.context.copy().run(ask, self.world, Look("", self.look.role, path))
        if answer.streaming:
            answer = HttpResponse(b"".join(answer.streaming_content), headers=dict(answer.headers))
        self.kept[path] = answer
        route.fulfill(status=answer.status_code, headers=dict(answer.headers), body=answer.content)

    def open(self, look: Look) -> bool:
        """Open it if it is a whole page, and look for what became part of it."""
        self.look, self.document = look, ask(self.world, look)
        if not self.document.headers.get("Content-Type", "").startswith("text/html"):
            return False
        if "attachment" in self.document.headers.get("Content-Disposition", ""):
            return False
        if not self.document.content.lstrip().lower().startswith(b"<!doctype html>"):
            return False
        assert "default-src 'self'" in self.document.headers["Content-Security-Policy"], look.name
        self.page.goto(HERE + look.address)
        if look.name == "desk-round":
            self.page.locator("#box input[name=text]").fill("1")  # who plays there is said while it is typed
        self.faults += [f"{look.name}: {html}" for html in self.page.evaluate(WRITTEN, MARK.pattern)]
        return True


PARTS = 4  # so that workers share them


@pytest.mark.slow
@pytest.mark.any_value
@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_fits_its_screen_and_can_be_read_by_all(page, db, part):
    world = full_world()
    entries = list(Entry.objects.all())
    for entry in entries:
        entry.name = f"{LONG[:-6]} {entry.code}"
    Entry.objects.bulk_update(entries, ["name"])
    empty()
    window = Window(page, world)
    pages = [look for look in looks(world, all_roles=False) if look.role != ADMIN]
    for look in pages[part::PARTS]:
        if window.open(look):
            looks_right(page, ("dark", 360), ("light", 390), ("dark", 1280), ("light", 1280))


@pytest.mark.any_value
def test_no_page_breaks_its_content_policy(page, db):
    world = full_world()
    Hostile("markup").write()
    Tournament.objects.update(table_plan="")  # the box takes table 1 for a table
    empty()
    window = Window(page, world)
    wanted = [
        look for look in looks(world, all_roles=False) if CI or look.name in USUAL or "match" in look.name
    ]
    opened = sum(map(window.open, wanted))
    assert opened > (150 if CI else 25)
    assert not window.faults, "\n".join(window.faults)
