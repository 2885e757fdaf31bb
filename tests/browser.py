import time
from collections.abc import Callable
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page

from tests.conftest import CI
from tournament.access.player_link import fresh_player_key, hash_key
from tournament.services.self_service import change_player_link

LOOKS = [(scheme, width) for scheme in ("dark", "light") for width in (390, 1280)] if CI else [("dark", 390)]
PHONE = {"width": 390, "height": 844}
LONG = "Maximiliana Featherstonehaugh-Cholmondeley y Ortiz de Zárate von und zu Hohenlohe"[:80]

MOST_STOPS = 120
RING = """() => {
  if (document.activeElement === document.body) return true;  // past the last stop
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
  return (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) ||
    (document.activeElement.matches("input, select, textarea") && boxShadow !== "none");
}"""
NAME = """() => {
  const here = document.activeElement;
  return (here.getAttribute("aria-label") || (here === document.body ? "" : here.innerText)).trim();
}"""


def open_as(page: Page, live_server: Any, user: Any, path: str) -> None:
    client = Client()
    client.force_login(user)
    page.context.add_cookies(
        [
            {"name": name, "value": cookie.value, "url": live_server.url}
            for name, cookie in client.cookies.items()
        ]
    )
    page.goto(live_server.url + path)


def open_own(page: Page, live_server: Any, tournament: Any, code: str) -> None:
    secret = fresh_player_key()
    change_player_link(tournament, code, key_hash=hash_key(secret))
    page.goto(f"{live_server.url}/t/{tournament.slug}/key/{secret}/")


def follow(page: Page, link: str) -> None:
    """Click the link of this name, and wait for the page that it opens: a click alone does not."""
    with page.expect_navigation():
        page.get_by_role("link", name=link).click()


def send(page: Page, button: str) -> None:
    """Click the button of this name, and wait for the page that answers."""
    with page.expect_navigation():
        page.get_by_role("button", name=button).first.click()


def press(page: Page, name: str, *, leaves: bool = True) -> None:
    """Tab to a button or link and press Enter there. Each stop on the way can be seen."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(NAME)
        assert page.evaluate(RING), f"“{focused}” has the focus, and nothing shows it"
        if focused == name:
            break
    else:
        raise AssertionError(f"no “{name}” within {MOST_STOPS} stops: {page.inner_text('main')}")
    here = page.url
    page.keyboard.press("Enter")
    if leaves:
        page.wait_for_url(lambda url: url != here, wait_until="load")


TOO_WIDE = """[...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => element.outerHTML.slice(0, 150)).slice(-3)"""


def looks_right(page: Page, *looks: tuple[str, int]) -> None:
    """Nothing axe finds wrong and nothing scrolls sideways, in each look: color scheme and width in pixels."""
    for scheme, width in looks:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]  # no color half-way
        page.set_viewport_size({"width": width, "height": 844})
        violations = Axe().run(page).response["violations"]
        faults = [(fault["id"], fault["nodes"][0]["html"]) for fault in violations]
        assert not faults, (page.url, scheme, width, faults)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (
            page.url,
            width,
            page.evaluate(TOO_WIDE),
        )


def eventually(holds: Callable[[], object], seconds: float = 20) -> None:
    """Wait for what another thread does, such as that of the server."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    assert holds()
