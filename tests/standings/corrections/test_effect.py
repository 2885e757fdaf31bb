"""The effect that is shown before a correction is the effect that it has, whatever is corrected in which event."""

import random

import pytest

from standings.bracket.cut import make_cut
from standings.corrections.effect import Correction, corrected_match, effect_of_correction
from standings.event.swiss import standings_of
from tests.conftest import CI
from tests.factories import TournamentFactory, slips_of
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.actionlog.match_facts import read_match
from tournament.event.profile import profile_of
from tournament.event.read import event_of, read_state
from tournament.models import Match
from tournament.services.drops import drop_entry
from tournament.services.results import correct_result, fields_of_slip, rules_of
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db

RULESETS = ["mtr", "dci1999", "twixt", "fab", "pokemon"]
CORRECTIONS = 100 if CI else 6  # of each ruleset


def ranks(event):
    return {row.entry: row.rank for row in standings_of(event)}


@pytest.mark.parametrize("ruleset", RULESETS)
def test_what_is_shown_is_what_happens(ruleset):
    chance = random.Random(ruleset)
    tournament = TournamentFactory(entries=9, rounds=3, ruleset=ruleset)
    drop_entry(tournament, "P0003")
    rules = rules_of(
        Match.objects.filter(round__tournament=tournament, table=1).first(), profile_of(tournament)
    )
    for turn in range(CORRECTIONS):
        if turn == CORRECTIONS // 2:
            make_cut(tournament, 4)
        matches = Match.objects.filter(round__tournament=tournament, round__swiss=True, table__isnull=False)
        match = chance.choice(list(matches.select_related("round").order_by("pk")))
        number, before = match.round.number, read_match(match)
        slip = chance.choice(slips_of(rules))
        after = corrected_match(before, fields_of_slip(slip, rules, profile_of(tournament)))
        if after == before:
            continue
        was = ranks(event_of(tournament))
        effect = effect_of_correction(tournament, Correction(number, before, after))
        assert ranks(event_of(tournament)) == was, "looking changes nothing"
        action = correct_result(tournament, number, match.table, slip, reason="a wrong slip")
        now = ranks(event_of(tournament))
        moves = {move.entry: (move.before, move.after) for move in effect.comparison.moves}
        assert moves == {code: (was[code], now[code]) for code in was if was[code] != now[code]}
        assert ranks(effect.event) == now
        assert integrity.check(tournament) == []
        assert state_at(tournament) == read_state(tournament)[0]
        if chance.random() < 0.3:
            undo_action(tournament, action.number)
            assert ranks(event_of(tournament)) == was
