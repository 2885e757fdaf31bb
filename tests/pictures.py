"""Remake the pictures of README.md from a fresh demo.

python3 manage.py demo              # in another terminal; it prints the password
python -m tests.pictures PASSWORD
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.conftest import CHROMIUM

DEMO = "http://127.0.0.1:8000"
EVENT = f"{DEMO}/t/friday-night-12-demo"
DOCS = Path(__file__).resolve().parents[1] / "docs"


def main(password: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        desk = browser.new_page(viewport={"width": 1280, "height": 800})
        desk.goto(f"{DEMO}/login/")
        desk.get_by_label("Username").fill("demo")
        desk.get_by_label("Password").fill(password)
        desk.get_by_role("button", name="Sign in").click()
        desk.wait_for_url(f"{DEMO}/")
        desk.goto(f"{EVENT}/desk/rounds/4/")
        desk.get_by_label("Table and result").fill("12 21")
        desk.locator("[data-match]").wait_for()
        desk.screenshot(path=DOCS / "desk.png")
        phone = browser.new_page(viewport={"width": 390, "height": 760})
        phone.goto(f"{EVENT}/players/")
        phone.get_by_role("link", name=desk.locator("#match-12 .nm").first.inner_text()).first.click()
        phone.locator(".seat").wait_for()
        phone.screenshot(path=DOCS / "phone.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
