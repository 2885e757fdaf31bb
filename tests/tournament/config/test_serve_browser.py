"""`manage.py serve` as people meet it: a hall on plain http without internet, and a site behind https."""

import re
import urllib.error
import urllib.request

import pytest

from tests.browser import LOOKS, looks_right
from tests.served import address_said, free_port, serving, tls_before
from tournament.config import env

pytestmark = [pytest.mark.slow, pytest.mark.only_on("sqlite")]


@pytest.fixture
def visit(browser):
    """A fresh browser that trusts any certificate and writes down what it was asked to fetch."""
    context = browser.new_context(ignore_https_errors=True, service_workers="block")
    page = context.new_page()
    page.fetched, page.complaints = [], []
    page.on("request", lambda request: page.fetched.append(request.url))
    page.on(
        "console", lambda message: page.complaints.append(message.text) if message.type == "error" else None
    )
    yield page
    context.close()


def first_event(page, site, name):
    """Sign up, create an event, and look at its public page and its desk."""
    page.goto(f"{site}/signup/?next=/new/")
    page.fill("[name=username]", name)
    for field in ("password1", "password2"):
        page.fill(f"[name={field}]", "correct horse battery")
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url(f"{site}/new/")
    page.fill("[name=name]", f"The event of {name}")
    page.press("[name=name]", "Enter")
    page.wait_for_url(re.compile(f"{site}/t/.*/desk/.*"))
    slug = page.url.split("/t/")[1].split("/")[0]
    page.goto(f"{site}/t/{slug}/")
    page.goto(f"{site}/t/{slug}/desk/players/")
    page.fill("[name=names]", "Ann\nBob\nCleo\nDov")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("h1:has-text('4 players')")
    return slug


def cookies_of(page):
    return {cookie["name"]: cookie for cookie in page.context.cookies()}


def test_a_hall_runs_on_plain_http_says_so_and_needs_no_internet(var, visit):
    port = free_port()
    with serving(var, HOST="0.0.0.0", PORT=str(port)) as words:
        site = address_said(words)
        assert site == f"http://{env.lan_address()}:{port}"
        if env.is_loopback(env.lan_address()):
            pytest.skip("this machine is in no network")
        assert "unencrypted. Use a network you trust" in words
        assert len([line for line in words.splitlines() if "█" in line or "▀" in line]) > 10, "no QR code"
        first_event(visit, site, "hanna")
        banner = visit.inner_text(".hall-mode")
        assert f"Hall mode: {site} is not encrypted" in banner
        looks_right(visit, *LOOKS)
        cookies = cookies_of(visit)
        assert set(cookies) == {"hall_session", "hall_csrf", "hall_known_device"}
        assert not any(cookie["secure"] for cookie in cookies.values())
        assert all(cookie["httpOnly"] for cookie in cookies.values())
    assert len(visit.fetched) > 20
    assert [url for url in visit.fetched if not url.startswith((f"{site}/", "data:"))] == []
    assert visit.complaints == []


def test_a_site_behind_https_is_strict(var, visit):
    port, outside = free_port(), free_port()
    site = f"https://localhost:{outside}"
    with serving(var, HOST="127.0.0.1", PORT=str(port), SITE_URL=site), tls_before(port, outside):
        answer = visit.goto(f"{site}/")
        assert "max-age=31536000" in answer.headers["strict-transport-security"]
        slug = first_event(visit, site, "sara")
        assert visit.query_selector(".hall-mode") is None
        cookies = cookies_of(visit)
        assert set(cookies) == {"__Host-session", "__Host-csrf", "__Host-known_device"}
        for cookie in cookies.values():
            assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "Lax"
            assert cookie["path"] == "/" and cookie["domain"] == "localhost"
        token = visit.input_value("main [name=csrfmiddlewaretoken] >> nth=0")
        for origin, status in ((site, 303), ("https://evil.example", 403), (f"http://localhost:{port}", 403)):
            posted = visit.request.post(
                f"{site}/t/{slug}/desk/players/",
                form={"names": "Eve", "csrfmiddlewaretoken": token},
                headers={"Origin": origin, "Referer": f"{origin}/"},
                max_redirects=0,
            )
            assert posted.status == status, origin
        assert redirected(f"http://127.0.0.1:{port}/login/").startswith("https://")
        assert redirected(f"http://127.0.0.1:{port}/healthz") == ""
    assert [url for url in visit.fetched if not url.startswith((f"{site}/", "data:"))] == []
    assert visit.complaints == []


def redirected(address):

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *args):
            return None

    try:
        urllib.request.build_opener(Stay).open(address).close()
    except urllib.error.HTTPError as error:
        return error.headers["Location"]
    return ""
