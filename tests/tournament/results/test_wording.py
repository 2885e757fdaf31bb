"""The words of a result on the pages that people read."""

import pytest

from tests.factories import RoundFactory, TournamentFactory, UserFactory
from tests.tournament.views.phones import text
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


def drawn(client, ruleset, slip):
    """The desk's round, the player's page and the log after a drawn match at table 1."""
    owner = UserFactory()
    client.force_login(owner)
    event = TournamentFactory(entries=2, ruleset=ruleset, owner=owner)
    RoundFactory(tournament=event)
    record_result(event, 1, 1, slip)
    paths = ("desk/rounds/1/", "players/P0001/", "desk/log/")
    return [text(client.get(f"/t/{event.slug}/{path}")) for path in paths]


def test_one_drawn_game_is_a_draw_and_no_row_of_noughts(client):
    desk, player, log = drawn(client, "fide", Slip("played", 0, 0, 1))
    assert all("0–0–1" not in page for page in (desk, player, log))
    assert "drew with" in player
    assert "draw" in log


def test_a_drawn_match_of_several_games_keeps_its_score(client):
    desk, player, log = drawn(client, "mtr", Slip("played", 1, 1, 1))
    assert "drew 1–1–1 with" in player
    assert "1–1–1" in desk and "1–1–1" in log


@pytest.mark.parametrize(
    ("ruleset", "typed", "not_typed"), [("fide", "12 10x", "12 111"), ("mtr", "12 20x", "12 10x")]
)
def test_the_desk_explains_the_box_by_results_that_a_match_can_have(client, ruleset, typed, not_typed):
    client.force_login(owner := UserFactory())
    event = TournamentFactory(entries=2, ruleset=ruleset, owner=owner)
    RoundFactory(tournament=event)
    page = text(client.get(f"/t/{event.slug}/desk/rounds/1/"))
    assert f"<kbd>{typed}</kbd>" in page and f"<kbd>{not_typed}</kbd>" not in page
