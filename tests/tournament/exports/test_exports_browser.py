"""What is taken away, in a real browser: its page, the copy from the disk; and the page of an error."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings as django_settings
from django.core.management import call_command
from playwright.sync_api import Page, expect

from tests.factories import TournamentFactory
from tournament.services.entries import rename_entry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
LONG = "Maximiliana Featherstonehaugh-Cholmondeley y Ortiz de Zárate von und zu Hohenlohe"


def test_a_copy_is_read_from_the_disk_in_the_look_and_asks_nobody(page: Page, tmp_path, live_server):
    tournament = TournamentFactory(entries=4, rounds=1)
    rename_entry(tournament, "P0001", LONG[:80])
    call_command("export", tournament.slug, str(tmp_path / "copy"))
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"file://{tmp_path}/copy/index.html")
    page.get_by_role("link", name="Standings", exact=True).first.click()
    expect(page.get_by_role("heading", name="Standings")).to_be_visible()
    page.get_by_role("link", name="Find me").click()
    page.get_by_role("link", name=LONG[:80]).click()
    expect(page.get_by_role("heading", name=LONG[:80])).to_be_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.panel')).borderStyle") == "solid"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(page).violations_count == 0
    assert [url for url in requests if not url.startswith("file://")] == []


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_these_pages_fit_their_screen_and_can_be_read_by_all(page: Page, client, live_server, width, scheme):
    tournament = TournamentFactory(entries=4, rounds=1)
    client.force_login(tournament.owner)
    name = django_settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for path in (f"/t/{tournament.slug}/desk/exports/", "/rulesets/import/", "/nowhere/"):
        page.goto(live_server.url + path)
        report = Axe().run(page)
        assert report.violations_count == 0, (path, report.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
