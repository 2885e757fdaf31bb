"""What is read of an event to tell its progress."""

import pytest

from tests.factories import TournamentFactory
from tournament.models import Tournament
from tournament.progress.facts import progress_facts_of
from tournament.progress.posted_rounds import nav_of

pytestmark = pytest.mark.django_db


def test_more_rounds_cost_no_more_queries(django_assert_max_num_queries):
    tournament = Tournament.objects.get(pk=TournamentFactory(entries=6, rounds=3).pk)
    with django_assert_max_num_queries(5):
        assert len(progress_facts_of(tournament).swiss) == 3
    with django_assert_max_num_queries(1):
        assert nav_of(tournament)["latest"] == 3
