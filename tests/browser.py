"""What browser tests share."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page

from tests.conftest import CI

LOOKS = [(scheme, width) for scheme in ("dark", "light") for width in (390, 1280)] if CI else [("dark", 390)]
MORE_LOOKS = LOOKS if CI else []  # of pages that are many


def open_as(page: Page, live_server: Any, user: Any, path: str) -> None:
    """The page at `path`, signed in as `user`, with all its scripts loaded."""
    client = Client()
    client.force_login(user)
    page.context.add_cookies(
        [
            {"name": name, "value": cookie.value, "url": live_server.url}
            for name, cookie in client.cookies.items()
        ]
    )
    page.goto(live_server.url + path)


def follow(page: Page, link: str) -> None:
    """Click the link of this name, and wait for the page that it opens: a click alone does not."""
    with page.expect_navigation():
        page.get_by_role("link", name=link).click()


def looks_right(page: Page, *looks: tuple[str, int]) -> None:
    """Nothing axe finds wrong and nothing scrolls sideways, in each look: color scheme and width in pixels."""
    for scheme, width in looks:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]  # no color half-way
        page.set_viewport_size({"width": width, "height": 844})
        violations = Axe().run(page).response["violations"]
        assert [(fault["id"], fault["nodes"][0]["html"]) for fault in violations] == [], (
            page.url,
            scheme,
            width,
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (page.url, width)
