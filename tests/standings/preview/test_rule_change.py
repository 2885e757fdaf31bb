import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from standings.preview import rule_change
from standings.preview.rule_change import EffectChanged, confirm_change, effect_of
from standings.words.rules import rule_changes_in_words
from tests.factories import TournamentFactory
from tests.standings.engine import builders
from tests.steps import complete_round
from tournament.errors import WrongState
from tournament.services.event_settings import change_settings

pytestmark = pytest.mark.django_db

BY_TIME = {"tiebreaks": [{"metric": m} for m in ("match_points", "cumulative", "random")]}


def running(players=4, rounds=1, **fields):
    tournament = TournamentFactory(entries=players, rounds=rounds, **fields)
    complete_round(tournament, rounds)
    return tournament


def test_what_changes_nothing_of_the_effect_is_no_hindrance_and_what_was_not_recorded_is_refused():
    tournament = running()
    overrides = {"percentages": {"match_floor": "1/3"}}
    seen = effect_of(tournament, None, overrides)
    change_settings(tournament, round_minutes=40)
    confirm_change(tournament, None, overrides, digest=seen.digest, reason="So.")
    assert tournament.profile["percentages"]["match_floor"] == "1/3"
    overrides = {"tiebreaks": [{"metric": m} for m in ("match_points", "spread", "random")]}
    with pytest.raises(WrongState, match="needs the points scored in matches"):
        effect_of(tournament, None, overrides)


def test_a_race_between_look_and_lock_is_looked_at_again(monkeypatch):
    tournament = running()
    overrides = {"percentages": {"match_floor": "1/3"}}
    digest = effect_of(tournament, None, overrides).digest
    real, calls = rule_change.change_rules, []

    def slow(tournament, *args, **kwargs):
        calls.append(kwargs["revision"])
        if len(calls) == 1:
            change_settings(tournament, round_minutes=40)  # somebody else, just before the lock
        return real(tournament, *args, **kwargs)

    monkeypatch.setattr(rule_change, "change_rules", slow)
    confirm_change(tournament, None, overrides, digest=digest, reason="So.")
    assert len(calls) == 2 and calls[1] == calls[0] + 1


def test_the_effect_names_who_is_in_and_who_is_out_by_what():
    tournament = running(players=8, rounds=2, cut=2)
    effect = effect_of(tournament, None, BY_TIME)
    before, after = effect.comparison.before, effect.comparison.after
    assert {swap.into.entry for swap in effect.comparison.swaps} == {*after.order[:2]} - {*before.order[:2]}
    with pytest.raises(EffectChanged):
        confirm_change(tournament, None, BY_TIME, digest="another", reason="So.")


def test_looking_at_an_effect_costs_the_same_queries_for_few_and_for_many(django_assert_num_queries):
    few, many = running(), running(players=12)
    with CaptureQueriesContext(connection) as queries:
        effect_of(few, None, BY_TIME)
    with django_assert_num_queries(len(queries)):
        effect_of(many, None, BY_TIME)


def test_a_change_is_said_with_its_first_fields_and_without_one_nothing():
    fields = ["tiebreaks", "match_points.win", "match_points.draw", "bye_games", "display.mode"]
    profile = {"rule_changes": [{"after": 0, "fields": fields, "reason": "So."}]}
    assert rule_changes_in_words(profile) == [
        "Changed during round 1: Standings order, Match points for a win, Match points for a draw and 2 more fields."
        " Reason: So."
    ]
    assert rule_changes_in_words(builders.event().profile) == []
