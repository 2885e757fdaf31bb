import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from tests.factories import TournamentFactory
from tournament.errors import WrongState
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.events import finish_tournament
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db

STEPS = {
    "pair": draft_next_round,
    "cut": lambda tournament: make_cut(tournament, 4),
    "finish": finish_tournament,
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("missing", [1, 2, 3, 4])
def test_with_exactly_one_result_missing_nothing_goes_on(step, missing):
    tournament = TournamentFactory(entries=9, rounds=2, published=True)
    for match in Match.objects.filter(round__tournament=tournament, round__number=3, result=None):
        if match.table != missing:
            record_result(tournament, 3, match.table, Slip("played", 2, 0))
    before = tournament.actions.count()
    with pytest.raises(WrongState, match=rf"\b{missing}\b"):
        STEPS[step](tournament)
    assert tournament.actions.count() == before
    assert tournament.rounds.get(number=3).state == "published"
    record_result(tournament, 3, missing, Slip("played", 2, 0))
    STEPS[step](tournament)
    assert tournament.rounds.get(number=3).state == "complete"
