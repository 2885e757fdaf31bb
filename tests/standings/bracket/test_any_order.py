import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.bracket.cut import make_cut
from standings.bracket.results import (
    record_bracket_result,
)
from tests import factories
from tests.conftest import THOROUGH
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.results import IS_OPEN

pytestmark = pytest.mark.django_db


class RollBack(Exception):
    """Takes an example's rows away again."""


def check_tables(tournament) -> None:
    """No two open matches share a table."""
    open_ = Match.objects.filter(IS_OPEN, round__tournament=tournament)
    tables = list(open_.values_list("table", flat=True))
    assert len(tables) == len(set(tables))


@settings(max_examples=20 if THOROUGH else 4)
@given(size=st.integers(3, 32), order=st.randoms(use_true_random=False))
def test_in_whatever_order_matches_end_no_two_open_ones_share_a_table(size, order):
    with pytest.raises(RollBack), transaction.atomic():
        tournament = factories.TournamentFactory(entries=32, rounds=1)
        make_cut(tournament, size)
        played = 0
        while rows := Match.objects.filter(IS_OPEN, round__tournament=tournament).values_list(
            "round__number", "table"
        ):
            check_tables(tournament)
            record_bracket_result(tournament, *order.choice(sorted(rows)), Slip("played", 2, 0))
            played += 1
        assert played == size - 1
        raise RollBack
