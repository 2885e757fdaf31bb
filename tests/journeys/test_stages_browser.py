"""Points in the row, stages and ties in a real browser: with the keyboard, for ears, on a phone and at a desk."""

import pytest

from tests.browser import open_as
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.steps import complete_round
from tests.tournament.views.desk import match_of
from tournament.results.slip import slip_of_score
from tournament.services.re_entries import add_re_entry
from tournament.services.results import record_result
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db(transaction=True)
SLOW = pytest.mark.slow


def test_points_are_typed_in_the_box_and_in_the_row(page, live_server):
    owner = UserFactory()
    tournament = TournamentFactory(entries=8, owner=owner, ruleset="scrabble")
    RoundFactory(tournament=tournament)
    open_as(page, live_server, owner, f"/t/{tournament.slug}/desk/rounds/1/")
    page.fill("#line", "1 412 388")
    page.press("#line", "Enter")
    page.wait_for_selector("#match-1.in")
    assert "412–388" in page.inner_text("#match-1")
    page.click("#match-2 a")
    page.fill("#match-2 [name=score_a]", "301")
    page.fill("#match-2 [name=score_b]", "420")
    page.press("#match-2 [name=score_b]", "Enter")
    page.wait_for_selector("#match-2.in")
    assert "301–420" in page.inner_text("#match-2")
    page.click("#match-3 a")
    page.fill("#match-3 [name=score_a]", "301")
    page.press("#match-3 [name=score_a]", "Enter")
    page.wait_for_selector("#match-3 [role=alert]")
    assert "both players' points" in page.inner_text("#match-3 [role=alert]")
    assert match_of(tournament, 3).result is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        pytest.param(390, "light", marks=SLOW),
        pytest.param(1280, "dark", marks=SLOW),
        pytest.param(1280, "light", marks=SLOW),
    ],
)
def test_the_pages_are_sound_for_ears_and_fit(page, live_server, width, scheme):
    from axe_playwright_python.sync_playwright import Axe

    owner = UserFactory()
    tournament = TournamentFactory(entries=5, owner=owner, ruleset="scrabble", rounds_planned=1)
    tournament.entries.filter(code="P0001").update(
        name="A very long name of somebody " * 2 + "with 80 letters"
    )
    RoundFactory(tournament=tournament)
    record_result(tournament, 1, 1, slip_of_score(("412", "388")))
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    desk = f"/t/{tournament.slug}/desk"
    alone = tournament.seats.get(kind="bye").entry.code
    open_as(page, live_server, owner, f"{desk}/rounds/1/")
    _look(page, Axe, "round")
    for name, path in (
        ("slip", f"/t/{tournament.slug}/rounds/1/tables/2/result/"),
        ("points", f"{desk}/rounds/1/players/{alone}/points/"),
    ):
        page.goto(live_server.url + path)
        _look(page, Axe, name)
    enter_results(tournament, 1)
    complete_round(tournament, 1)
    add_stage(tournament)
    add_re_entry(tournament, alone)
    for name, path in (
        ("stages", f"{desk}/stages/"),
        ("ties", f"{desk}/standings/ties/"),
        ("entry", f"{desk}/players/P0001/"),
    ):
        page.goto(live_server.url + path)
        _look(page, Axe, name)


def _look(page, axe, name):
    report = axe().run(page)
    assert report.violations_count == 0, f"{name}: {report.generate_report()}"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
