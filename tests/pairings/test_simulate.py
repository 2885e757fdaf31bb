"""Whole events through both engines: deterministic, valid as archives, and every round proved best."""

import pytest

from pairings.checking import verify_event
from pairings.event import pair_next
from pairings.simulate import simulate
from tournament.archive import canonical, event_of
from tournament.archive.types import ALONE
from tournament.rulesets import resolve

RULESETS = ("dci1999", "mtr_jp", "mtr", "cardeio", "twixt", "melee_default")


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("players, rounds", [(2, 3), (9, 5), (64, 6)])
def test_every_round_of_a_simulated_event_is_in_order(ruleset, players, rounds):
    event = simulate(players, rounds, resolve(ruleset), f"{ruleset}{players}")
    found = verify_event(event)
    assert len(found) == rounds
    assert [problem for finding in found for problem in finding.errors] == []
    assert all(finding.cost == finding.optimum for finding in found)


@pytest.mark.parametrize("seed", range(15))
def test_small_fields_with_many_rounds_never_lose_a_player(seed):
    event = simulate(3 + seed, 9, resolve("cardeio"), seed)
    for round_ in event.rounds:
        seated = [name for match in round_.matches for name in (match.a, match.b) if name]
        assert len(seated) == len(set(seated))
        for entry in event.entries.values():
            in_it = entry.dropped_after is None or entry.dropped_after >= round_.number
            assert (entry.id in seated) == in_it
    assert [problem for finding in verify_event(event) for problem in finding.errors] == []


def test_the_same_seed_plays_the_same_event():
    texts = [canonical(simulate(40, 6, resolve("mtr"), seed), with_seed=True) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_an_archive_of_it_reads_back_and_its_next_round_can_be_paired():
    import json

    event = simulate(60, 6, resolve("mtr"), 4)
    text = canonical(event, with_seed=True)
    again = event_of(json.loads(text))
    assert canonical(again, with_seed=True) == text
    assert pair_next(again) == pair_next(event)


def test_everything_that_happens_at_events_happens():
    event = simulate(200, 8, resolve("mtr"), 1)
    results = {match.result for round_ in event.rounds for match in round_.matches}
    assert results >= {"played", "intentional_draw", "forfeit", "awarded_bye", "missed"}
    assert any(entry.late for entry in event.entries.values())
    assert any(entry.dropped_after for entry in event.entries.values())
    games = {match.games for round_ in event.rounds for match in round_.matches if match.games}
    assert games >= {(2, 0, 0), (2, 1, 0), (1, 0, 1), (1, 1, 1)}
    odd = simulate(9, 4, resolve("mtr"), 1, late=0, drops=False)
    assert all(sum(match.result == "bye" for match in round_.matches) == 1 for round_ in odd.rounds)
    twixt = [simulate(9, 3, resolve("twixt"), seed) for seed in range(6)]
    alone = {m.result for e in twixt for r in e.rounds for m in r.matches if m.result in ALONE}
    assert "bye" in alone and any(
        m.b == "H01" or m.a == "H01" for e in twixt for r in e.rounds for m in r.matches
    )


def test_an_event_needs_two_players_and_a_round():
    for players, rounds in ((1, 3), (8, 0)):
        with pytest.raises(ValueError, match="at least 2 players and 1 round"):
            simulate(players, rounds, resolve("mtr"), 1)
