import random
from functools import partial

import pytest

from pairings.corrections.effect import effect_of_correction
from standings.bracket.cut import make_cut
from tests.conftest import THOROUGH
from tests.factories import TournamentFactory, slips_of
from tests.pairings.correcting import ranks
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.event.profile import profile_of
from tournament.event.read import read_state
from tournament.models import Match
from tournament.services.corrections import correct_result, correct_seats
from tournament.services.drops import drop_entry
from tournament.services.results import rules_of
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

RULESETS = ["mtr", "dci1999", "twixt", "fab", "pokemon"]
CORRECTIONS = 40 if THOROUGH else 6  # of each ruleset


def correct_a_slip(tournament, match, chance):
    slips = slips_of(rules_of(match, profile_of(tournament)))
    where = (tournament, match.round.number, match.table)
    return partial(correct_result, *where, chance.choice(slips), reason="a wrong slip")


def correct_who_sat(tournament, match, chance):
    here = sorted(match.round.seats.values_list("entry__code", flat=True))
    where = (tournament, match.round.number, match.table)
    return partial(correct_seats, *where, *chance.sample(here, 2), reason="a wrong seat")


@pytest.mark.long
@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_is_shown_is_what_happens(ruleset):
    chance = random.Random(ruleset)
    tournament = TournamentFactory(entries=9, rounds=3, ruleset=ruleset)
    drop_entry(tournament, "P0003")
    for turn in range(CORRECTIONS):
        if turn == CORRECTIONS // 2:
            make_cut(tournament, 4)
        matches = Match.objects.filter(round__tournament=tournament, round__swiss=True, table__isnull=False)
        match = chance.choice(list(matches.select_related("round").order_by("pk")))
        was = ranks(tournament)
        correct = chance.choice((correct_a_slip, correct_who_sat))(tournament, match, chance)
        effect = effect_of_correction(tournament, partial(correct, preview=True))
        if effect is None:
            assert correct() is None
            continue
        assert ranks(tournament) == was, "looking changes nothing"
        action = correct()
        assert (action.number, action.changes) == (effect.action.number, effect.action.changes)
        now = ranks(tournament)
        moves = {move.entry: (move.before, move.after) for move in effect.comparison.moves}
        assert moves == {code: (was[code], now[code]) for code in was if was[code] != now[code]}
        assert ranks(effect.event) == now
        assert integrity.check(tournament) == []
        assert state_at(tournament) == read_state(tournament)[0]
        if chance.random() < 0.3:
            undo_action(tournament, action.number)
            assert ranks(tournament) == was
