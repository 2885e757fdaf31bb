"""What browser tests share."""

from typing import Any

from django.test import Client
from playwright.sync_api import Page


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
