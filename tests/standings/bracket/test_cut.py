import json

import pytest

from standings.bracket.cut import compute_cut, find_changed_qualifiers, make_cut, undo_cut
from standings.bracket.open_matches import load_stage_bracket
from standings.bracket.results import record_bracket_result
from standings.engine.bracket.cut import CutRule
from standings.table.places import build_event_bracket, rank_final_places
from standings.table.swiss import compute_standings
from tests import factories
from tests.standings.bracket.brackets import bracket_stage, is_sound, match_at, reloaded, seed
from tests.steps import complete_round, confirmed, undo_last
from tournament.archive import parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import Conflict, NeedsConfirmation, NotFound, Refused, WrongState
from tournament.event import read
from tournament.models import Match, Tournament
from tournament.progress.next_step import build_progress
from tournament.results.shorthand import parse_slip
from tournament.results.slip import Slip
from tournament.services.clock import begin_round
from tournament.services.drops import drop_entry
from tournament.services.events import finish_tournament, reopen_tournament
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db
WON, LOST = Slip("played", 2, 0), Slip("played", 1, 2)


def bracket(size: int, players: int = 9, **fields):
    tournament = factories.TournamentFactory(entries=players, rounds=3, **fields)
    make_cut(tournament, size)
    return tournament


def seeds_at(tournament, number):
    """{table: (seed of a, seed of b)} of a round of the bracket; a bye has no table."""
    places = bracket_stage(tournament).stage_entries.exclude(seed=None)
    seeds = dict(places.values_list("entry__code", "seed"))
    matches = Match.objects.filter(round__tournament=tournament, round__number=number)
    return {
        match.table: tuple(seeds[seat.entry.code] for seat in match.seats.order_by("side"))
        for match in matches
    }


def has_bracket(tournament) -> bool:
    return tournament.stages.filter(kind="elimination").exists()


# --- the cut -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "first"),
    [(8, {1: (1, 8), 2: (4, 5), 3: (2, 7), 4: (3, 6)}), (2, {1: (1, 2)}), (4, {1: (1, 4), 2: (2, 3)})],
)
def test_the_best_stand_in_standard_slots(size, first):
    assert seeds_at(bracket(size), 4) == first


def test_a_cut_that_is_no_power_of_two_gives_byes_to_the_top_seeds():
    tournament = bracket(6, players=6)
    byes = Match.objects.filter(round__tournament=tournament, round__number=4, result="bye")
    assert {seat.entry.code for match in byes for seat in match.seats.all()} == {
        seed(tournament, 1),
        seed(tournament, 2),
    }
    assert is_sound(tournament)


def test_the_cut_passes_over_who_left():
    tournament = factories.TournamentFactory(entries=9, rounds=3)
    best = compute_cut(tournament, 4).qualifiers
    drop_entry(tournament, best[0])
    make_cut(tournament, 4)
    seeds = [seed(tournament, place) for place in (1, 2, 3, 4)]
    assert seeds == compute_cut(tournament, 4).qualifiers and seeds[:3] == best[1:]
    assert bracket_stage(tournament).stage_entries.exclude(alternate=None).count() == 4


def test_a_drop_that_comes_while_the_cut_is_computed_stops_it(monkeypatch):
    tournament = factories.TournamentFactory(entries=9, rounds=3)

    def overtaken(*about):
        computed = compute_cut(*about)
        drop_entry(Tournament.objects.get(pk=tournament.pk), computed.qualifiers[0])
        return computed

    monkeypatch.setattr("standings.bracket.cut.compute_cut", overtaken)
    with pytest.raises(WrongState, match="Something changed since you opened this page"):
        make_cut(tournament, 4)
    assert not has_bracket(tournament)


def test_everybody_level_with_the_last_one_in_plays_on_where_asked_or_ruled():
    tournament = factories.TournamentFactory(entries=16, rounds=3)
    complete_round(tournament, 3)
    points = [row.values[0] for row in compute_standings(read.load_event_values(tournament))]
    inside = sum(value >= points[4] for value in points)
    assert inside > 5
    assert len(compute_cut(tournament, CutRule(2, min_points=points[4])).qualifiers) == inside
    make_cut(tournament, CutRule(5, all_tied=True))
    assert bracket_stage(tournament).stage_entries.exclude(seed=None).count() == inside
    tied = {"cut": {"tie_policy": "include_all_tied"}}
    tournament = factories.TournamentFactory(entries=16, rounds=3, overrides=tied)
    assert len(compute_cut(tournament, 5).qualifiers) > 5


def test_the_cut_is_undone_while_nothing_is_played_and_made_again():
    tournament = bracket(8)
    before, first = seeds_at(tournament, 4), seed(tournament, 1)
    undo_cut(tournament)
    assert not has_bracket(tournament)
    undo_last(tournament)
    assert seeds_at(tournament, 4) == before
    undo_cut(tournament)
    drop_entry(tournament, first)
    make_cut(tournament, 8)
    assert not bracket_stage(tournament).stage_entries.filter(entry__code=first).exists()
    record_bracket_result(tournament, 4, 1, WON)
    with pytest.raises(WrongState, match="has results"):
        undo_cut(tournament)
    assert is_sound(tournament)


def test_a_swiss_correction_after_the_cut_keeps_the_bracket_and_names_who_would_be_in():
    data = json.loads(dump_event(bracket(4)))
    names = {entry["id"]: entry["name"] for entry in data["entries"]}
    seeds = data["stages"][1]["seeds"]
    leaver = next(entry for entry in data["entries"] if entry["id"] == seeds[3])
    leaver |= {"status": "dropped", "dropped_after": 3}
    assert find_changed_qualifiers(parse_event(data), names) is None, "who has dropped since was in"
    for round_ in data["rounds"][:3]:  # the best one lost every match after all
        for match in round_["matches"]:
            if match["a"] == seeds[0] and match["b"]:
                match["games"] = [0, 2, 0]
            elif match["b"] == seeds[0]:
                match["games"] = [2, 0, 0]
    qualifiers = find_changed_qualifiers(parse_event(data), names)
    assert qualifiers.out == [names[seeds[0]]] and len(qualifiers.into) == 1
    assert build_event_bracket(parse_event(data)).seeds[seeds[0]] == 1


# --- playing it ----------------------------------------------------------------------------------------------


def test_a_semi_final_opens_while_other_quarter_finals_are_played():
    tournament = bracket(8)
    record_bracket_result(tournament, 4, 1, WON)
    assert not tournament.rounds.filter(number=5).exists()
    record_bracket_result(tournament, 4, 2, LOST)
    assert seeds_at(tournament, 5) == {1: (1, 5)}
    assert tournament.rounds.get(number=4).state == "published"


def test_a_whole_bracket_ends_with_a_champion_and_places_for_everybody():
    tournament = bracket(8)
    for number, tables in ((4, 4), (5, 2), (6, 1)):
        for table in range(1, tables + 1):
            record_bracket_result(tournament, number, table, WON)
    assert set(tournament.rounds.values_list("state", flat=True)) == {"complete"}
    champion = load_stage_bracket(bracket_stage(tournament)).champion
    assert champion == seed(tournament, 1)
    finish_tournament(tournament)
    places = rank_final_places(read.load_event_values(tournament))
    assert places[0].entry == champion and len(places) == 9
    with pytest.raises(WrongState, match="finished"):
        record_bracket_result(tournament, 6, 1, LOST)
    reopen_tournament(tournament)
    assert is_sound(tournament)


def test_a_corrected_winner_empties_later_matches_only_when_that_is_confirmed():
    tournament = bracket(8)
    for number, table in ((4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2)):
        record_bracket_result(tournament, number, table, WON)
    with pytest.raises(NeedsConfirmation) as asked:
        record_bracket_result(tournament, 4, 1, LOST)
    cleared, closed = asked.value.changes
    assert cleared[0].startswith("Semifinal 1: ") and "2–0" in cleared[0]
    assert closed[0].startswith("Final: ") and "winner of Semifinal 1" in closed[1]
    assert seeds_at(tournament, 6) == {1: (1, 2)}
    with pytest.raises(Conflict):
        record_bracket_result(tournament, 4, 1, Slip("played", 0, 2), expects=asked.value.expects)
    record_bracket_result(tournament, 4, 1, LOST, expects=asked.value.expects)
    assert seeds_at(tournament, 5) == {1: (8, 4), 2: (2, 3)}
    assert not tournament.rounds.filter(number=6).exists() and is_sound(tournament)
    confirmed(undo_last, tournament)
    assert seeds_at(tournament, 6) == {1: (1, 2)} and is_sound(tournament)


def test_a_score_corrected_without_another_winner_leaves_the_next_match_and_an_undo_closes_it():
    tournament = bracket(4)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, WON)
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 1))
    assert record_bracket_result(tournament, 4, 1, Slip("played", 2, 1)) is None, "already in"
    assert seeds_at(tournament, 5) == {1: (1, 2)} and is_sound(tournament)
    undo_last(tournament)
    undo_last(tournament)
    assert not tournament.rounds.filter(number=5).exists()
    assert tournament.rounds.get(number=4).state == "published" and is_sound(tournament)


@pytest.mark.parametrize(("typed", "status"), [("ns", "dropped"), ("ll", "playing"), ("xllx", "dropped")])
def test_a_match_that_both_lose_is_one_entry_and_no_one_advances(typed, status):
    tournament = bracket(4)
    before = tournament.revision
    record_bracket_result(tournament, 4, 1, parse_slip(typed))
    assert tournament.revision == before + 1
    match = Match.objects.get(round__tournament=tournament, slot="W1.1")
    assert {seat.entry.status for seat in match.seats.select_related("entry")} == {status}
    record_bracket_result(tournament, 4, 2, WON)
    assert load_stage_bracket(bracket_stage(tournament)).champion == seed(tournament, 2)
    assert build_progress(tournament).facts.bracket_over and is_sound(tournament)
    confirmed(undo_last, tournament)
    undo_last(tournament)
    assert seeds_at(tournament, 4) == {1: (1, 4), 2: (2, 3)} and is_sound(tournament)


def test_a_final_that_both_lose_ends_the_bracket_without_a_champion():
    tournament = bracket(2)
    record_bracket_result(tournament, 4, 1, parse_slip("ll"))
    assert load_stage_bracket(bracket_stage(tournament)).champion is None
    assert len(rank_final_places(read.load_event_values(tournament))) == 9
    finish_tournament(tournament)
    assert tournament.state == "finished" and is_sound(tournament)


def test_wrong_doors_and_wrong_moments_are_named():
    tournament = bracket(4)
    with pytest.raises(WrongState, match="bracket page"):
        record_result(tournament, 4, 1, WON)
    with pytest.raises(NotFound):
        record_bracket_result(tournament, 4, 9, WON)
    with pytest.raises(WrongState, match="already set"):
        make_cut(tournament, 8)
    begin_round(tournament, 4)
    with pytest.raises(WrongState, match="bracket is being played"):
        undo_cut(tournament)
    version = match_at(tournament, 4, 1).version
    record_bracket_result(tournament, 4, 1, WON, version=version)
    with pytest.raises(Conflict):
        record_bracket_result(tournament, 4, 1, LOST, version=version)


def test_a_bracket_recorded_without_seeds_and_slots_is_played_on():
    tournament = bracket(4)
    record_bracket_result(tournament, 4, 1, WON)
    data = json.loads(dump_event(tournament))
    data["tournament"]["slug"] = "recorded"
    seeds = data["stages"][1].pop("seeds")
    data["stages"][1] |= {"entries": sorted(seeds), "alternates": []}
    for match in data["rounds"][3]["matches"]:
        match.pop("slot")
    data.pop("log")
    recorded = load_event(parse_event(data))
    record_bracket_result(recorded, 4, 2, WON)
    final = Match.objects.get(round__tournament=recorded, round__number=5)
    assert {seat.entry.code for seat in final.seats.all()} == {seeds[0], seeds[1]}


def test_the_bracket_has_its_own_lengths_round_by_round():
    tournament = factories.TournamentFactory(entries=8, rounds=3)
    make_cut(tournament, 4, lengths=(1, 5), ends_at="2026-11-21T20:00:00+00:00")
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, Slip("played", 1, 0))
    with pytest.raises(Refused, match="best of 5"):
        record_bracket_result(tournament, 5, 1, Slip("played", 4, 0))
    record_bracket_result(tournament, 5, 1, Slip("played", 3, 2))
    assert bracket_stage(reloaded(tournament)).best_of == [1, 5] and is_sound(tournament)
