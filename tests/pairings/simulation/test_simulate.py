import json
from fractions import Fraction
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from pairings.audit.check import verify_event
from pairings.request.pairing_request import next_request, pair_round
from pairings.simulation.simulate import simulate
from standings.table.swiss import compute_standings
from tournament.archive import canonical, parse_event
from tournament.event.types import ALONE
from tournament.rulesets import resolve

SCORED = ("spread", "margin_of_victory", "battle_points", "victory_points")
RULESETS = ("dci1999", "mtr_jp", "mtr", "cardeio", "twixt", "melee_default")


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("players, rounds", [(2, 3), (9, 5), (64, 6)])
def test_every_round_of_a_simulated_event_is_in_order(ruleset, players, rounds):
    event = simulate(players, rounds, resolve(ruleset), f"{ruleset}{players}")
    findings = verify_event(event)
    assert len(findings) == rounds
    assert [problem for finding in findings for problem in finding.errors] == []
    assert all(finding.cost == finding.optimum for finding in findings)
    text = canonical(event, with_seed=True)
    assert canonical(parse_event(json.loads(text)), with_seed=True) == text


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


def test_the_same_seed_plays_the_same_event_which_reads_back_and_goes_on():
    texts = [canonical(simulate(40, 6, resolve("mtr"), seed), with_seed=True) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    event = simulate(60, 6, resolve("mtr"), 4)
    text = canonical(event, with_seed=True)
    again = parse_event(json.loads(text))
    assert canonical(again, with_seed=True) == text
    assert pair_round(next_request(again)) == pair_round(next_request(event))


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
    assert "bye" in alone and any("H01" in (m.a, m.b) for e in twixt for r in e.rounds for m in r.matches)


@pytest.mark.parametrize("ruleset", ["scrabble", "xwing", "warhammer_gw", "bridge_swiss_teams"])
def test_where_points_inside_matches_count_they_are_played_and_ranked_by(ruleset):
    event = simulate(12, 4, resolve(ruleset), 3)
    played = [m for round_ in event.rounds for m in round_.matches if m.result == "played"]
    assert played and all(match.score for match in played)
    for match in played:
        a, b = map(Fraction, match.score)
        assert (a > b) - (a < b) == (match.games[0] > match.games[1]) - (match.games[0] < match.games[1])
    ranking = compute_standings(event)
    column = next(k for k, key in enumerate(ranking.columns) if key in SCORED)
    assert len({row.values[column] for row in ranking}) > 3
    text = canonical(event, with_seed=True)
    assert canonical(parse_event(json.loads(text)), with_seed=True) == text


def test_clubs_are_labels_and_rulesets_may_keep_them_apart():
    profile = resolve("mtr")
    profile["pairing"]["labels_apart_until_round"] = 3
    event = simulate(60, 3, profile, 2, clubs=8)
    clubs = {entry.id: entry.labels for entry in event.entries.values()}
    assert {label for labels in clubs.values() for label in labels} == {f"Club {n}" for n in range(1, 9)}
    assert not any(clubs[m.a] == clubs[m.b] for round_ in event.rounds for m in round_.matches if m.b)
    alike = simulate(60, 3, resolve("mtr"), 2, clubs=8)
    assert any(clubs[m.a] == clubs[m.b] for round_ in alike.rounds for m in round_.matches if m.b)


def test_the_command_takes_what_happens_as_flags():
    text = call("--late", "3", "--awarded", "2", "--clubs", "4", "--no-drops")
    event = parse_event(json.loads(text))
    assert sum(entry.late for entry in event.entries.values()) == 3
    assert sum(entry.awarded_byes for entry in event.entries.values()) == 2
    assert not any(entry.dropped_after for entry in event.entries.values())
    assert len({label for entry in event.entries.values() for label in entry.labels}) == 4
    with pytest.raises(CommandError, match="fewer than 2 players are left to be paired in round 1"):
        call("--late", "20")
    with pytest.raises(CommandError, match="cannot be negative"):
        call("--clubs", "-1")


def call(*flags, notes=None):
    out = StringIO()
    call_command("simulate", "--players=20", "--rounds=3", *flags, stdout=out, stderr=notes or StringIO())
    return out.getvalue()


def test_more_rounds_than_opponents_are_played_with_a_note():
    notes = StringIO()
    text = call("--players", "8", "--rounds", "10", notes=notes)
    assert len(parse_event(json.loads(text)).rounds) == 10
    assert notes.getvalue() == (
        "Note: 8 players cannot play 10 rounds without rematches. The most is 7. The event has rematches.\n"
    )
    notes = StringIO()
    call("--players", "8", "--rounds", "7", notes=notes)
    assert notes.getvalue() == ""


@pytest.mark.parametrize(
    ("key", "note"),
    [
        ("mstr_pods", "tables of 4; paired 1 against 1 here"),
        ("curling", "round robin; paired as Swiss rounds here"),
        ("go_mcmahon", "ranked by McMahon score; paired by match points here"),
        ("bridge_swiss_teams", "ranked by victory points; paired by match points here"),
    ],
)
def test_that_a_game_is_paired_in_another_way_here_is_said(key, note):
    notes = StringIO()
    assert json.loads(call("--ruleset", key, notes=notes))["rounds"]
    assert notes.getvalue() == f"Note: {key}: {note}.\n"


def test_an_event_needs_two_players_and_a_round():
    for players, rounds in ((1, 3), (8, 0)):
        with pytest.raises(ValueError, match="at least 2 players and 1 round"):
            simulate(players, rounds, resolve("mtr"), 1)
