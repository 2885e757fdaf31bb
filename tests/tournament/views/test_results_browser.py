"""The desk in a real browser: lines typed faster than they are saved, rows in place, what others enter."""

import pytest

from tests.browser import open_as
from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(page, live_server):
    """The page of round 1 of eight tables, its owner signed in."""
    owner = UserFactory(username="ada")
    tournament = TournamentFactory(entries=16, owner=owner)
    RoundFactory(tournament=tournament)
    open_as(page, live_server, owner, f"/t/{tournament.slug}/desk/rounds/1/")
    page.tournament = tournament
    return page


def typed(page, *lines):
    for line in lines:
        page.fill("#line", line)
        page.press("#line", "Enter")


def results():
    return list(Match.objects.order_by("table").values_list("table", "winner", "result"))


def test_lines_typed_faster_than_they_are_saved_are_all_saved(desk):
    typed(desk, "1 20", "2 21", "77 20", "3 02", "4 11", "5 id")
    desk.wait_for_selector("#match-5.in")
    assert [winner for _t, winner, result in results() if result] == ["a", "a", "b", "", ""]
    assert desk.inner_text("[data-unsaved]") == "77 20"
    assert desk.title().startswith("Round 1 · 3 of 8 tables outstanding")
    assert desk.evaluate("document.activeElement.id") == "line"


def test_a_button_swaps_one_row_and_focus_stays_there(desk):
    desk.focus("#match-3 button[value='20']")
    desk.keyboard.press("Enter")
    desk.wait_for_selector("#match-3.in")
    assert desk.evaluate("document.activeElement.closest('.match').id") == "match-3"
    assert "1 entered" in desk.inner_text("#desk-status")


def test_what_others_enter_never_touches_the_row_being_edited(desk):
    desk.click("#match-2 .more")
    desk.fill("#match-2 [name=a]", "2")
    record_result(desk.tournament, 1, 2, Slip("played", 0, 2))
    record_result(desk.tournament, 1, 6, Slip("played", 2, 0))
    typed(desk, "1 20")  # an answer brings the page up to now
    desk.wait_for_selector("#match-6.in")
    assert desk.input_value("#match-2 [name=a]") == "2"
    desk.click("#match-2 button:has-text('Save')")
    desk.wait_for_selector("#match-2 >> text=Currently saved")
    assert "0–2" in desk.inner_text("#match-2")
    desk.click("#match-2 button:has-text('Enter: 2–0')")
    desk.wait_for_selector("#match-2.in")
    assert Match.objects.get(table=2).winner == "a"


def test_enter_in_the_empty_box_goes_to_the_next_table_that_is_out(desk):
    typed(desk, "1 20")
    desk.wait_for_selector("#match-1.in")
    desk.press("#line", "Enter")
    assert desk.evaluate("document.activeElement.closest('.match').id") == "match-2"
