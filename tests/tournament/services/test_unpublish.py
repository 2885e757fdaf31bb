"""A round that is unpublished, changed and published again: nothing of its first publication stands in the way."""

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut, undo_cut
from tests import factories
from tournament.actionlog import integrity
from tournament.models import Extension
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.rounds import discard_draft, extend_table, publish_round
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk():
    """An event whose first round is published."""
    tournament = factories.TournamentFactory(entries=8)
    factories.RoundFactory(tournament=tournament)
    return tournament


def unpublish(tournament):
    undo_action(tournament, tournament.actions.filter(kind="publish").last().number)


def test_a_table_with_more_time_goes_with_its_draft(desk):
    extend_table(desk, 1, 2, 5)
    unpublish(desk)
    discarded = discard_draft(desk, 1)
    assert not Extension.objects.exists()
    undo_action(desk, discarded.number)
    assert Extension.objects.get().minutes == 5
    draft_next_round(desk, again=1)
    assert not Extension.objects.exists() and integrity.check(desk) == []


def test_a_bracket_match_with_more_time_goes_with_its_bracket(desk):
    factories.enter_results(desk, 1)
    make_cut(desk, 4)
    extend_table(desk, 2, 1, 5)
    undo_cut(desk)
    assert not Extension.objects.exists() and integrity.check(desk) == []


def test_who_dropped_in_a_round_that_is_paired_again_left_before_it(desk):
    drop_entry(desk, "P0003")
    unpublish(desk)
    draft_next_round(desk, again=1)
    publish_round(desk, 1)
    assert integrity.check(desk) == []
    assert desk.entries.get(code="P0003").dropped_after == 0
    reinstate_entry(desk, "P0003")
    assert integrity.check(desk) == []
