"""Facts folded from a log of an earlier version: fields that were added since hold their defaults."""

import json

import pytest

from tests.factories import TournamentFactory
from tournament.actionlog.fold import baseline_of, state_at
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.event.read import read_state
from tournament.models import Baseline

pytestmark = pytest.mark.django_db

GAINED = ("odd", "requested_byes", "self_byes", "archived", "repairs")


def test_a_log_from_before_these_fields_leads_to_the_same_facts():
    file = dump_event(TournamentFactory(rounds=2, results=True), with_seed=True)
    tournament = load_event(event_of(json.loads(file)), slug="recorded")
    state = read_state(tournament)[0]
    facts = {
        key: {name: value for name, value in fact.items() if name not in GAINED}
        for key, fact in baseline_of(tournament).items()
    }
    Baseline.objects.filter(tournament=tournament).update(facts=facts)
    assert any("odd" in fact for fact in state.values())
    assert not any("odd" in fact for fact in baseline_of(tournament).values())
    assert state_at(tournament) == state
