"""A correction on an open phone: it arrives, is read out once, and every page that says it can be read by all."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import open_as
from tests.factories import RoundFactory, TournamentFactory
from tests.steps import complete_round
from tests.tournament.views.desk import match_of
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.events import finish_tournament

pytestmark = pytest.mark.django_db(transaction=True)
ASK_NOW = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.slow)]
)
def test_a_correction_reaches_the_phone_and_is_read_out_once(page: Page, live_server, width, scheme):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament, results=True)
    complete_round(tournament, 1)
    code = match_of(tournament, 1).seats.get(side="a").entry.code
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    player = f"/t/{tournament.slug}/players/{code}/"
    page.goto(live_server.url + player)
    expect(page.locator("#announce")).to_be_empty()
    correct_result(tournament, 1, 1, Slip("played", 1, 2), reason="misread")
    page.evaluate(ASK_NOW)
    announced = page.locator("#announce")
    expect(announced).to_contain_text("Round 1 was corrected: lost 1–2 against")
    expect(page.locator("#seat .notice")).to_contain_text("Round 1 was corrected: lost 1–2 against")
    announced.evaluate("region => { region.textContent = '' }")
    correct_result(tournament, 1, 2, Slip("played", 1, 2), reason="misread")
    with page.expect_response(lambda answer: "/now/" in answer.url and answer.status == 200):
        page.evaluate(ASK_NOW)
    expect(announced).to_be_empty()
    can_be_read(page, player)
    finish_tournament(tournament)
    home = f"/t/{tournament.slug}/"
    for path in ("", "standings/", "rounds/1/", "rounds/1/?by=table", "desk/rounds/1/"):
        open_as(page, live_server, tournament.owner, home + path)
        expect(page.get_by_text("corrected").first).to_be_attached()
        can_be_read(page, path)


def can_be_read(page: Page, path: str) -> None:
    report = Axe().run(page)
    assert report.violations_count == 0, (path, report.generate_report())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
