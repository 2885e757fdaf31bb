"""The cut and the bracket as services: who plays on, what opens when, what a correction takes back."""

import json
from fractions import Fraction

import pytest

from standings.bracket.cut import cut_of, make_cut, undo_cut
from standings.bracket.cut_preview import changed_qualifiers_of
from standings.bracket.open_matches import ClearsLaterMatches, bracket_of_stage
from standings.bracket.results import record_bracket_result
from standings.engine.bracket.cut import CutRule
from standings.event.bracket import bracket_of_event, final_places_of
from standings.event.swiss import standings_of
from tests import factories
from tests.steps import complete_round, undo_last
from tournament.actionlog import integrity
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.event import read
from tournament.models import Match, Tournament
from tournament.results.slip import Slip
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
    """{table: (seed of a, seed of b)} of a round of the bracket."""
    stage = tournament.stages.get(kind="elimination")
    seeds = dict(stage.stage_entries.exclude(seed=None).values_list("entry__code", "seed"))
    counts = {}
    for match in Match.objects.filter(round__tournament=tournament, round__number=number):
        codes = [seat.entry.code for seat in match.seats.order_by("side")]
        counts[match.table] = tuple(seeds[code] for code in codes)
    return counts


def test_the_quarter_finals_are_1_8_4_5_2_7_3_6():
    assert seeds_at(bracket(8), 4) == {1: (1, 8), 2: (4, 5), 3: (2, 7), 4: (3, 6)}


@pytest.mark.parametrize(
    ("size", "first"),
    [
        (2, {1: (1, 2)}),
        (4, {1: (1, 4), 2: (2, 3)}),
        (16, {1: (1, 16), 2: (8, 9), 3: (4, 13), 4: (5, 12), 5: (2, 15), 6: (7, 10), 7: (3, 14), 8: (6, 11)}),
    ],
)
def test_other_sizes_stand_in_standard_slots(size, first):
    assert seeds_at(bracket(size, players=17), 4) == first


def test_a_cut_larger_than_the_field_is_refused_with_the_size_that_fits():
    tournament = factories.TournamentFactory(entries=6, rounds=2)
    with pytest.raises(Refused, match="Cut to 6"):
        make_cut(tournament, 8)
    assert not tournament.stages.filter(kind="elimination").exists()
    assert tournament.rounds.get(number=2).state == "published"


def test_a_cut_that_is_no_power_of_two_gives_byes_to_the_top_seeds():
    tournament = bracket(6, players=6)
    byes = Match.objects.filter(round__tournament=tournament, round__number=4, result="bye")
    assert byes.count() == 2
    assert {
        seat.entry.stage_entries.get(stage__kind="elimination").seed for m in byes for seat in m.seats.all()
    } == {1, 2}
    assert integrity.check(tournament) == []


def test_the_cut_passes_over_who_left_and_house_entries():
    tournament = factories.TournamentFactory(entries=9, rounds=3)
    best = cut_of(tournament, 4).qualifiers
    drop_entry(tournament, best[0])
    make_cut(tournament, 4)
    stage = tournament.stages.get(kind="elimination")
    seeds = stage.stage_entries.exclude(seed=None).order_by("seed")
    assert [place.entry.code for place in seeds] == cut_of(tournament, 4).qualifiers
    assert best[0] not in [place.entry.code for place in seeds]
    assert stage.stage_entries.exclude(alternate=None).count() == 4


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
    stage = tournament.stages.get(kind="elimination")
    champion = bracket_of_stage(stage).champion
    assert stage.stage_entries.get(seed=1).entry.code == champion
    finish_tournament(tournament)
    places = final_places_of(read.event_of(tournament))
    assert places[0].entry == champion and len(places) == 9
    assert tournament.state == "finished"
    with pytest.raises(WrongState, match="finished"):
        record_bracket_result(tournament, 6, 1, LOST)
    reopen_tournament(tournament)
    assert integrity.check(tournament) == []


def test_a_corrected_winner_empties_later_matches_only_when_that_is_confirmed():
    tournament = bracket(8)
    for number, table in ((4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2)):
        record_bracket_result(tournament, number, table, WON)
    with pytest.raises(ClearsLaterMatches) as refusal:
        record_bracket_result(tournament, 4, 1, LOST)
    assert refusal.value.later == ["5.1", "6.1"]
    assert seeds_at(tournament, 6) == {1: (1, 2)} and integrity.check(tournament) == []
    with pytest.raises(ClearsLaterMatches):
        record_bracket_result(tournament, 4, 1, LOST, resets=["6.1"])
    record_bracket_result(tournament, 4, 1, LOST, resets=refusal.value.later)
    assert seeds_at(tournament, 5) == {1: (8, 4), 2: (2, 3)}
    assert not tournament.rounds.filter(number=6).exists()
    assert integrity.check(tournament) == []
    undo_last(tournament)
    assert seeds_at(tournament, 6) == {1: (1, 2)} and integrity.check(tournament) == []


def test_a_score_corrected_without_another_winner_leaves_the_next_match():
    tournament = bracket(4)
    for number, table in ((4, 1), (4, 2), (5, 1)):
        record_bracket_result(tournament, number, table, WON)
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 1))
    assert seeds_at(tournament, 5) == {1: (1, 2)}
    assert integrity.check(tournament) == []


def test_the_same_bracket_result_again_is_quietly_already_in():
    tournament = bracket(4)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, WON)
    assert record_bracket_result(tournament, 4, 1, WON) is None
    assert tournament.rounds.get(number=4).state == "complete"


def test_undo_of_a_bracket_result_closes_the_match_it_opened():
    tournament = bracket(4)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, WON)
    undo_last(tournament)
    assert not tournament.rounds.filter(number=5).exists()
    assert tournament.rounds.get(number=4).state == "published"
    assert integrity.check(tournament) == []


def test_an_elimination_match_is_never_drawn():
    tournament = bracket(4)
    for slip in (Slip("played", 1, 1), Slip("intentional_draw"), Slip("double_loss"), Slip("forfeit")):
        with pytest.raises(Refused):
            record_bracket_result(tournament, 4, 1, slip)


def test_wrong_doors_and_wrong_moments_are_named():
    tournament = bracket(4)
    with pytest.raises(WrongState, match="bracket page"):
        record_result(tournament, 4, 1, WON)
    with pytest.raises(NotFound):
        record_bracket_result(tournament, 4, 9, WON)
    with pytest.raises(WrongState, match="already set"):
        make_cut(tournament, 8)
    with pytest.raises(Refused, match="2 to 64"):
        make_cut(tournament, 65)


def test_a_cut_with_a_table_out_names_it():
    tournament = factories.TournamentFactory(entries=8, rounds=2)
    factories.RoundFactory(tournament=tournament)
    with pytest.raises(WrongState, match="tables: 1"):
        make_cut(tournament, 4)
    assert not tournament.stages.filter(kind="elimination").exists()


def test_a_drop_that_comes_while_the_cut_is_computed_stops_it(monkeypatch):
    tournament = factories.TournamentFactory(entries=9, rounds=3)

    def overtaken(*about):
        computed = cut_of(*about)
        drop_entry(Tournament.objects.get(pk=tournament.pk), computed.qualifiers[0])
        return computed

    monkeypatch.setattr("standings.bracket.cut.cut_of", overtaken)
    with pytest.raises(WrongState, match="Something changed since you opened this page"):
        make_cut(tournament, 4)
    assert not tournament.stages.filter(kind="elimination").exists()


def test_two_scorekeepers_in_the_bracket_see_both_values():
    tournament = bracket(4)
    version = Match.objects.get(round__tournament=tournament, round__number=4, table=1).version
    record_bracket_result(tournament, 4, 1, WON, version=version)
    with pytest.raises(Conflict):
        record_bracket_result(tournament, 4, 1, LOST, version=version)


def test_the_cut_sent_twice_with_one_key_is_made_once():
    tournament = factories.TournamentFactory(entries=8, rounds=3)
    first = make_cut(tournament, 4, key="cut-key")
    assert make_cut(tournament, 4, key="cut-key") == first


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
    recorded = load_event(event_of(data))
    record_bracket_result(recorded, 4, 2, WON)
    final = Match.objects.get(round__tournament=recorded, round__number=5)
    assert {seat.entry.code for seat in final.seats.all()} == {seeds[0], seeds[1]}
    assert integrity.check(recorded) == []


def level_with(tournament, size):
    """How many have at least the points of the last of so many."""
    ranking = standings_of(read.event_of(tournament))
    points = [row.values[0] for row in ranking]
    return sum(value >= points[size - 1] for value in points)


def test_everybody_level_with_the_last_one_in_plays_on_where_asked():
    tournament = factories.TournamentFactory(entries=16, rounds=3)
    complete_round(tournament, 3)
    inside = level_with(tournament, 5)
    assert inside > 5
    make_cut(tournament, CutRule(5, all_tied=True))
    stage = tournament.stages.get(kind="elimination")
    assert stage.stage_entries.exclude(seed=None).count() == inside
    assert integrity.check(tournament) == []


def test_everybody_with_the_points_plays_on_and_never_fewer_than_the_size():
    tournament = factories.TournamentFactory(entries=16, rounds=3)
    complete_round(tournament, 3)
    inside = level_with(tournament, 6)
    points = standings_of(read.event_of(tournament)).rows[5].values[0]
    assert len(cut_of(tournament, CutRule(2, min_points=points)).qualifiers) == inside
    assert len(cut_of(tournament, CutRule(2, min_points=Fraction(99))).qualifiers) == 2


def test_the_rulesets_own_cut_is_taken_where_only_a_size_is_given():
    tournament = factories.TournamentFactory(
        entries=16, rounds=3, overrides={"cut": {"tie_policy": "include_all_tied"}}
    )
    assert len(cut_of(tournament, 5).qualifiers) > 5


def test_the_bracket_has_its_own_lengths_round_by_round():
    tournament = factories.TournamentFactory(entries=8, rounds=3)
    make_cut(tournament, 4, lengths=(1, 5), ends_at="2026-11-21T20:00:00+00:00")
    one_nil = Slip("played", 1, 0)
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, one_nil)
    with pytest.raises(Refused, match="best of 5"):
        record_bracket_result(tournament, 5, 1, Slip("played", 4, 0))
    record_bracket_result(tournament, 5, 1, Slip("played", 3, 2))
    data = json.loads(dump_event(tournament))
    assert data["stages"][1]["best_of"] == [1, 5]
    data["tournament"]["slug"] = "again"
    assert json.loads(dump_event(load_event(event_of(data))))["stages"] == data["stages"]


def test_the_cut_is_undone_while_nothing_is_played_and_made_again():
    tournament = bracket(8)
    first = tournament.stages.get(kind="elimination").stage_entries.get(seed=1).entry.code
    undo_cut(tournament)
    assert not tournament.stages.filter(kind="elimination").exists()
    assert integrity.check(tournament) == []
    drop_entry(tournament, first)
    make_cut(tournament, 8)
    assert not tournament.stages.get(kind="elimination").stage_entries.filter(entry__code=first).exists()
    record_bracket_result(tournament, 4, 1, WON)
    with pytest.raises(WrongState, match="has results"):
        undo_cut(tournament)
    assert integrity.check(tournament) == []


def test_an_undone_cut_can_itself_be_undone():
    tournament = bracket(4)
    before = seeds_at(tournament, 4)
    undo_cut(tournament)
    undo_last(tournament)
    assert seeds_at(tournament, 4) == before and integrity.check(tournament) == []


def test_a_swiss_correction_after_the_cut_keeps_the_bracket_and_names_who_would_be_in():
    data = json.loads(dump_event(bracket(4)))
    assert (
        changed_qualifiers_of(event_of(data), {entry["id"]: entry["name"] for entry in data["entries"]})
        is None
    )
    seeds = data["stages"][1]["seeds"]
    for round_ in data["rounds"][:3]:  # the best one lost every match after all
        for match in round_["matches"]:
            if match["a"] == seeds[0] and match["b"]:
                match["games"] = [0, 2, 0]
            elif match["b"] == seeds[0]:
                match["games"] = [2, 0, 0]
    names = {entry["id"]: entry["name"] for entry in data["entries"]}
    qualifiers = changed_qualifiers_of(event_of(data), names)
    assert qualifiers.out == [names[seeds[0]]] and len(qualifiers.into) == 1
    assert bracket_of_event(event_of(data)).seeds[seeds[0]] == 1
