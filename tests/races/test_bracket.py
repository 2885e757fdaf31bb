"""Two people at once in the bracket, with real connections: each match opens once, nobody's result is lost."""

from functools import partial

import pytest

from standings.bracket.cut import make_cut, undo_cut
from standings.bracket.open_matches import unsettled_matches
from standings.bracket.results import record_bracket_result
from tests import factories
from tests.races.test_desks import FEW, at_once, fresh, refusals
from tournament.actionlog import integrity
from tournament.errors import Conflict, WrongState
from tournament.models import Action
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry

pytestmark = pytest.mark.django_db(transaction=True)
WON, LOST = Slip("played", 2, 0), Slip("played", 0, 2)


def bracket():
    tournament = factories.TournamentFactory(entries=6, rounds=2)
    make_cut(tournament, 4)
    return tournament


def sound(tournament):
    return integrity.check(tournament) == [] and unsettled_matches(tournament) == []


def test_both_semi_finals_at_once_open_one_final():
    for _ in range(FEW):
        tournament = bracket()
        answers = at_once(
            *(partial(record_bracket_result, fresh(tournament), 3, table, WON) for table in (1, 2))
        )
        assert refusals(answers) == []
        assert tournament.rounds.get(number=4).matches.count() == 1
        assert sound(tournament)


def test_two_results_of_one_bracket_match_at_once_leave_one_and_a_clear_word():
    for _ in range(FEW):
        tournament = bracket()
        version = tournament.rounds.get(number=3).matches.get(table=1).version
        answers = at_once(
            *(partial(record_bracket_result, fresh(tournament), 3, 1, slip, version) for slip in (WON, LOST))
        )
        assert [type(error) for error in refusals(answers)] == [Conflict]
        assert sound(tournament)


def test_a_cut_made_twice_at_once_is_one_bracket():
    for _ in range(FEW):
        tournament = factories.TournamentFactory(entries=6, rounds=2)
        answers = at_once(*(partial(make_cut, fresh(tournament), size) for size in (4, 2)))
        assert [type(error) for error in refusals(answers)] == [WrongState]
        assert Action.objects.filter(tournament=tournament, kind="cut").count() == 1
        assert sound(tournament)


def test_a_result_while_somebody_leaves_or_the_cut_is_undone_leaves_a_whole_bracket():
    for _ in range(FEW):
        tournament = bracket()
        loser = tournament.rounds.get(number=3).matches.get(table=1).seats.get(side="b").entry.code
        refusals(
            at_once(
                partial(record_bracket_result, fresh(tournament), 3, 1, WON),
                partial(drop_entry, fresh(tournament), loser),
                partial(undo_cut, fresh(tournament)),
            )
        )
        assert sound(tournament)
