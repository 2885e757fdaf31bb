"""Random forfeits, rematches and corrections of both in a small field, where the same two are soon paired again."""

import contextlib
import secrets
from collections import Counter

import pytest

from tests import factories
from tests.conftest import CI, THOROUGH
from tests.journeys.play import STEPS, Play
from tests.journeys.test_random_events import check_file, check_tables, undo_everything
from tournament.errors import Refused

pytestmark = pytest.mark.django_db
ONWARD = ["pair", "publish", "fill", "fill"]
TURNS = [
    *ONWARD * 3, *["forfeit"] * 5, *["enter", "correct"] * 2, "undo_any", "undo_the_last", "clear", "swap",
    "repair", "reopen_round", "decide_what_a_forfeit_is", "correct_seats", "correct_bye", "drop", "reinstate",
]  # fmt: skip
ACTIONS = 120 if THOROUGH else 60


@pytest.mark.long
@pytest.mark.parametrize("players", [4, 5])
def test_whatever_a_forfeit_counts_as_and_becomes_the_facts_stay_sound(players):
    play = Play("fide", seed=1 if CI else secrets.randbits(32))
    play.tournament = factories.TournamentFactory(entries=players, ruleset="fide", rounds_planned=5)
    reached = False
    while play.tournament.revision < ACTIONS or not reached:
        before, name = play.tournament.revision, play.chance.choice(TURNS)
        with contextlib.suppress(Refused):
            STEPS[name if play.tournament.entries.count() >= 4 else "register"](play)
        play.tournament.refresh_from_db()
        if play.tournament.revision > before:
            check_tables(play.tournament, name)
            reached = reached or paired_again(play)
        assert play.tournament.revision < 10 * ACTIONS, "some forfeit is followed by another match of the two"
    check_file(play.tournament)
    undo_everything(play.tournament)


def paired_again(play: Play) -> bool:
    """Whether two were paired twice without a waiver."""
    seats = play.tournament.seats.filter(swiss=True, waived=False, side="a", opponent__isnull=False)
    pairs = Counter(frozenset(pair) for pair in seats.values_list("entry", "opponent"))
    return max(pairs.values(), default=0) > 1
