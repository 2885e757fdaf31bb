import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.pages import page
from tournament.results.slip import Slip
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("ruleset", "slip", "desk", "player", "typed", "not_typed"),
    [
        ("fide", Slip("played", 0, 0, 1), "draw", "drew with", "12 10x", "12 111"),  # no row of noughts
        ("mtr", Slip("played", 1, 1, 1), "1–1–1", "drew 1–1–1 with", "12 20x", "12 10x"),
    ],
)
def test_a_draw_is_said_and_typed_as_its_rules_have_it(client, ruleset, slip, desk, player, typed, not_typed):
    event = TournamentFactory(entries=2, ruleset=ruleset)
    client.force_login(event.owner)
    RoundFactory(tournament=event)
    help_of_box = page(client, f"/t/{event.slug}/desk/rounds/1/").all("kbd")
    assert typed in help_of_box and not_typed not in help_of_box
    record_result(event, 1, 1, slip)
    for part, words in (("desk/rounds/1/", desk), ("players/P0001/", player), ("desk/log/", desk)):
        shown = page(client, f"/t/{event.slug}/{part}")
        assert words in shown and "0–0–1" not in shown, part
