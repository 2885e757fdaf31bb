"""A wrong result found later, corrected in a real browser by keys alone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.browser import open_as
from tests.factories import TournamentFactory, UserFactory
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.entries import rename_entry

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner():
    return UserFactory(username="ada", is_staff=True, is_superuser=True)


def winner_at(event, number, table=1):
    return Match.objects.get(round__tournament=event, round__number=number, table=table).winner


def correct(page, games, effect="What changes"):
    """Fill in the right games, look at what changes, say why, save; all by keys."""
    expect(page.locator("input[name=a]")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type(games[0])
    page.keyboard.press("Tab")
    page.keyboard.type(games[1])
    page.keyboard.press("Enter")
    expect(page.get_by_text(effect).first).to_be_visible()
    page.get_by_label("Who ruled").focus()
    page.keyboard.type("Ana")
    page.keyboard.press("Tab")
    page.keyboard.type("The slip was read the wrong way round.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Corrected.")).to_be_visible()


@pytest.mark.parametrize("number", [3, 2])
def test_a_wrong_result_of_an_earlier_round_leads_on_to_the_repair(page, live_server, owner, number):
    event = TournamentFactory(entries=8, rounds=3, published=True, owner=owner)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/rounds/{number}/")
    games = "02" if winner_at(event, number) == "a" else "20"
    page.locator("#match-1 a").first.focus()
    page.keyboard.press("Enter")
    correct(page, games)
    assert page.url.endswith("/desk/rounds/4/repair/")
    assert winner_at(event, number) == ("b" if games == "02" else "a")


def test_a_finished_event_is_corrected_from_the_admin(page, live_server, owner):
    event = TournamentFactory(entries=8, rounds=2, finished=True, owner=owner)
    open_as(page, live_server, owner, "/admin/tournament/match/")
    page.get_by_role("link", name="Correct…").first.focus()
    page.keyboard.press("Enter")
    games = "02" if winner_at(event, 2) == "a" else "20"
    correct(page, games)
    assert winner_at(event, 2) == ("b" if games == "02" else "a")
    event.refresh_from_db()
    assert event.state == "finished"


def test_a_wrong_quarterfinal_is_corrected_after_its_semifinal(page, live_server, owner):
    event = TournamentFactory(entries=8, rounds=3, owner=owner)
    make_cut(event, 8)
    for number, tables in ((4, (1, 2, 3, 4)), (5, (1, 2))):
        for table in tables:
            record_bracket_result(event, number, table, Slip("played", 2, 0))
    loser = event.seats.get(round__number=4, match__table=1, side="b").entry
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/bracket/")
    page.get_by_role("link", name="Quarterfinal 1: correct this result").focus()
    page.keyboard.press("Enter")
    correct(page, "02", "this match is cleared")
    assert page.url.endswith("/desk/bracket/")
    semifinal = event.seats.get(round__number=5, entry=loser).match
    assert semifinal.result is None and not event.rounds.filter(number=6).exists()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1280, "light")])
def test_the_effect_fits_its_screen_and_can_be_read_by_all(page, live_server, owner, width, scheme):
    event = TournamentFactory(entries=8, rounds=3, owner=owner)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/rounds/1/tables/1/correct/")
    page.fill("input[name=a]", "0" if winner_at(event, 1) == "a" else "2")
    page.fill("input[name=b]", "2" if winner_at(event, 1) == "a" else "0")
    page.get_by_role("button", name="See what changes").click()
    expect(page.get_by_role("heading", name="What changes")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert Axe().run(page).response["violations"] == []


def test_a_wrong_player_seated_is_corrected_by_keys(page, live_server, owner):
    event = TournamentFactory(entries=9, rounds=3, published=True, owner=owner)
    rename_entry(event, "P0009", "Zoë Marsh")
    table = Match.objects.exclude(seats__entry__code="P0009").filter(
        round__tournament=event, round__number=2, table__isnull=False
    )[0]
    a, b = table.seats.order_by("side").values_list("entry__name", flat=True)
    open_as(page, live_server, owner, f"/t/{event.slug}/desk/rounds/2/tables/{table.table}/correct/")
    page.get_by_role("link", name="A wrong player sat here").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label(f"In the place of {a}")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("zoe")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What changes")).to_be_visible()
    expect(page.get_by_text(f"table {table.table}: Zoë Marsh sat here instead of {a}")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert Axe().run(page).response["violations"] == []
    page.get_by_label("Reason").focus()
    page.keyboard.type("They sat at the wrong table.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Corrected.")).to_be_visible()
    assert list(table.seats.order_by("side").values_list("entry__name", flat=True)) == ["Zoë Marsh", b]
