import pytest

from pairings.request.pairing_request import next_request, pair_round
from pairings.simulation.simulate import simulate
from standings.engine.explanation import explain
from standings.engine.ranking import validate_chain
from standings.table.swiss import compute_standings
from standings.words.rules import rules_in_words
from tournament import archive
from tournament.actionlog import integrity
from tournament.archive.load import load_event
from tournament.event import read
from tournament.rulesets import presets, validate

EVERY = presets()
every_ruleset = pytest.mark.parametrize("key", EVERY)


@every_ruleset
def test_its_fields_and_its_order_are_sound(key):
    assert validate(EVERY[key]) == []
    assert validate_chain(EVERY[key]) == []


@every_ruleset
def test_a_simulated_event_is_ranked_and_every_number_explained(key):
    event = simulate(11, 4, EVERY[key], seed=key, late=1, awarded=1)
    ranking = compute_standings(event)
    ranked = [entry.id for entry in event.entries.values() if not entry.house]
    assert sorted(ranking.order) == ranked
    assert [row.rank for row in ranking] == list(range(1, len(ranked) + 1))
    for row in ranking:
        for index, value in enumerate(row.values):
            assert explain(ranking, row.entry, index).result == value
    assert pair_round(next_request(event)).pairs


@pytest.mark.long
@pytest.mark.django_db
@every_ruleset
def test_a_simulated_event_is_stored_checked_and_ranked_alike(key):
    event = simulate(9, 3, EVERY[key], seed=1)
    tournament = load_event(archive.parse_event(archive.build_archive(event, with_seed=True)))
    assert integrity.check(tournament) == []
    assert compute_standings(read.load_event_values(tournament)).rows == compute_standings(event).rows


def test_points_per_game_and_the_cap_after_a_drop_are_told_where_they_count():
    told = {key: dict(rules_in_words(EVERY[key])) for key in EVERY}
    points = told["melee_two_game"]["Match points"]
    assert points == "Each game won 3, drawn 1, lost 0; bye 7. Bonus for winning every game: 1."
    assert told["mtr"]["Match points"] == "Win 3, draw 1, loss 0, bye 3."
    capped = "A player who dropped before the end of the Swiss rounds counts for at most 75%."
    assert [key for key, words in told.items() if capped in words.get("Percentages", "")] == ["pokemon"]


@every_ruleset
def test_it_is_told_in_words(key):
    words = dict(rules_in_words(EVERY[key]))
    assert words["Match points"] and words["Standings order"] and words["Source of the rules"]
    sure = words["Source of the rules"]
    assert ("check before you rely on it" in sure) == (EVERY[key]["confidence"] == "memory")
    assert sure.rpartition(" · ")[2] != EVERY[key]["source"], "how sure we are of it is said too"
