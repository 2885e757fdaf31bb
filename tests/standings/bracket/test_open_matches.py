"""Elimination through the services: repeat games, decisions, first moves, lengths, and who leaves."""

import json

import pytest

from standings.bracket.cut import make_cut, undo_cut
from standings.bracket.open_matches import ClearsLaterMatches, bracket_of_stage
from standings.bracket.results import (
    choose_first_move,
    correct_bracket_result,
    decide_match,
    record_bracket_result,
    record_repeat_game,
)
from standings.engine.bracket.elimination import Time
from standings.event.bracket import final_places_of
from tests import factories
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.errors import Conflict, Refused, WrongState
from tournament.event import read
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
DRAWN, WON, LOST = Slip("played", 0, 0, 1), Slip("played", 1, 0), Slip("played", 0, 1)
PLENTY, SHORT = Time(of_round=30, of_stage=200), Time(of_round=30, of_stage=80)


def bracket(size=8, players=12, ruleset="twixt", **fields):
    tournament = factories.TournamentFactory(entries=players, rounds=3, ruleset=ruleset, **fields)
    make_cut(tournament, size)
    return tournament


def match_at(tournament, number, table):
    return Match.objects.get(round__tournament=tournament, round__number=number, table=table)


def sitting(tournament, number, table):
    """Codes of the two of a match, a first."""
    return [seat.entry.code for seat in match_at(tournament, number, table).seats.order_by("side")]


def seed(tournament, place):
    return tournament.stages.get(kind="elimination").stage_entries.get(seed=place).entry.code


def entrants(tournament, number):
    """The pairs of a round as sets of codes; a bye is a set of one."""
    matches = tournament.rounds.get(number=number).matches.all()
    return [{seat.entry.code for seat in match.seats.all()} for match in matches]


def sound(tournament):
    """fsck, and the same file again after loading it."""
    data = json.loads(dump_event(tournament))
    data["tournament"]["slug"] = f"again-{tournament.revision}"
    again = json.loads(dump_event(load_event(event_of(data))))
    return integrity.check(tournament) == [] and again | data == again


# --- drawn matches -------------------------------------------------------------------------------------------


def test_a_drawn_match_waits_for_its_repeat_game_with_the_other_player_first():
    tournament = bracket()
    record_bracket_result(tournament, 4, 1, DRAWN)
    assert not tournament.rounds.filter(number=5).exists()
    assert match_at(tournament, 4, 1).first == "a"
    record_repeat_game(tournament, 4, 1, DRAWN, time=PLENTY)
    record_repeat_game(tournament, 4, 1, LOST, time=PLENTY)
    match = match_at(tournament, 4, 1)
    assert match.replays == [{"games": [0, 0, 1], "first": "b"}, {"games": [0, 1, 0], "first": "a"}]
    assert match.winner == "b" and sound(tournament)
    record_bracket_result(tournament, 4, 2, WON)
    assert set(sitting(tournament, 5, 1)) == {sitting(tournament, 4, 1)[1], sitting(tournament, 4, 2)[0]}


def test_a_repeat_game_that_leaves_too_little_time_needs_a_reason():
    tournament = bracket()
    record_bracket_result(tournament, 4, 1, DRAWN)
    with pytest.raises(Refused, match="too little time"):
        record_repeat_game(tournament, 4, 1, WON, time=SHORT)
    record_repeat_game(tournament, 4, 1, WON, time=SHORT, reason="the hall stays open")
    assert match_at(tournament, 4, 1).winner == "a"
    assert tournament.actions.order_by("number").last().reason == "the hall stays open"


def test_the_higher_seed_goes_on_where_time_is_short_and_otherwise_with_a_reason():
    tournament = bracket()
    record_bracket_result(tournament, 4, 2, DRAWN)
    with pytest.raises(Refused, match="Enter a reason to advance the higher seed without one"):
        decide_match(tournament, 4, 2, "higher_seed", time=PLENTY)
    decide_match(tournament, 4, 2, "higher_seed", time=SHORT)
    match = match_at(tournament, 4, 2)
    assert (match.decided, match.winner) == ("higher_seed", "a") and sound(tournament)


def test_a_drawn_final_never_goes_to_the_higher_seed_for_lack_of_time():
    tournament = bracket(4)
    final_of(tournament)
    record_bracket_result(tournament, 5, 1, DRAWN)
    with pytest.raises(WrongState, match="cannot be decided that way"):
        decide_match(tournament, 5, 1, "higher_seed", reason="tired", time=PLENTY)
    assert match_at(tournament, 5, 1).winner == ""


def final_of(tournament):
    for number, table in ((4, 1), (4, 2)):
        record_bracket_result(tournament, number, table, WON)


def test_a_short_final_may_be_decided_by_the_tiebreak_when_a_finalist_insists():
    tournament = bracket(4)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, DRAWN)
    decide_match(tournament, 4, 2, "higher_seed", time=SHORT)
    record_bracket_result(tournament, 5, 1, DRAWN)
    with pytest.raises(WrongState):
        decide_match(tournament, 5, 1, "tiebreak", time=PLENTY)
    with pytest.raises(Refused, match="which finalist"):
        decide_match(tournament, 5, 1, "tiebreak", time=Time(0, 49))
    decide_match(tournament, 5, 1, "tiebreak", time=Time(0, 49), reason="Player 01 insists")
    won_outright = sitting(tournament, 4, 1)[0]
    match = match_at(tournament, 5, 1)
    assert match.decided == "tiebreak"
    assert sitting(tournament, 5, 1)["ab".index(match.winner)] == won_outright
    assert bracket_of_stage(tournament.stages.get(kind="elimination")).champion == won_outright
    assert sound(tournament)


def test_a_final_drawn_twice_between_equal_points_is_the_owners_word_with_a_reason():
    tournament = bracket(4)
    final_of(tournament)
    record_bracket_result(tournament, 5, 1, DRAWN)
    record_repeat_game(tournament, 5, 1, DRAWN, time=PLENTY)
    with pytest.raises(WrongState, match="No repeat game"):
        record_repeat_game(tournament, 5, 1, WON, time=PLENTY)
    for how in ({}, {"winner": "b"}, {"reason": "a coin"}):
        with pytest.raises(Refused, match="The organizer decides the winner"):
            decide_match(tournament, 5, 1, "tiebreak", **how)
    decide_match(tournament, 5, 1, "tiebreak", winner="b", reason="a coin before witnesses")
    assert final_places_of(read.event_of(tournament))[0].entry == sitting(tournament, 5, 1)[1]
    assert sound(tournament)


def test_a_corrected_game_takes_repeat_games_and_decision_away():
    tournament = bracket()
    record_bracket_result(tournament, 4, 1, DRAWN)
    record_repeat_game(tournament, 4, 1, DRAWN, time=PLENTY)
    decide_match(tournament, 4, 1, "higher_seed", time=SHORT)
    record_bracket_result(tournament, 4, 1, LOST)
    match = match_at(tournament, 4, 1)
    assert (match.replays, match.decided, match.winner) == ([], "", "b") and sound(tournament)


def test_two_at_once_the_second_repeat_game_is_refused():
    tournament = bracket()
    record_bracket_result(tournament, 4, 1, DRAWN)
    version = match_at(tournament, 4, 1).version
    record_repeat_game(tournament, 4, 1, DRAWN, version, PLENTY)
    with pytest.raises(Conflict):
        record_repeat_game(tournament, 4, 1, WON, version, PLENTY)


def test_undo_of_a_repeat_game_takes_just_that_game_back():
    tournament = bracket()
    record_bracket_result(tournament, 4, 1, DRAWN)
    record_repeat_game(tournament, 4, 1, DRAWN, time=PLENTY)
    record_repeat_game(tournament, 4, 1, WON, time=PLENTY)
    undo_last(tournament)
    match = match_at(tournament, 4, 1)
    assert len(match.replays) == 1 and match.winner == "" and sound(tournament)


def test_other_rulesets_still_refuse_a_drawn_elimination_match():
    tournament = bracket(ruleset="mtr")
    with pytest.raises(Refused, match="needs a winner"):
        record_bracket_result(tournament, 4, 1, Slip("played", 1, 1))
    with pytest.raises(WrongState, match="No repeat game"):
        record_repeat_game(tournament, 4, 1, Slip("played", 2, 0))


def test_where_the_higher_seed_goes_on_a_draw_is_enough():
    tournament = bracket(4, overrides={"elimination": {"draw_rule": "higher_seed"}})
    record_bracket_result(tournament, 4, 2, DRAWN)
    record_bracket_result(tournament, 4, 1, LOST)
    assert set(sitting(tournament, 5, 1)) == {seed(tournament, 4), seed(tournament, 2)}
    assert sound(tournament)


# --- first moves, lengths, third place -----------------------------------------------------------------------


def test_first_moves_alternate_through_the_bracket_and_can_be_set_before_the_game():
    tournament = bracket()
    assert [match_at(tournament, 4, table).first for table in (1, 2, 3, 4)] == ["a"] * 4
    choose_first_move(tournament, 4, 1, "b")
    record_bracket_result(tournament, 4, 1, WON)
    with pytest.raises(WrongState, match="already been played"):
        choose_first_move(tournament, 4, 1, "a")
    record_bracket_result(tournament, 4, 2, WON)  # the higher seed of it moved first
    assert match_at(tournament, 5, 1).first == "a"


def test_a_ruleset_may_list_the_first_moves_of_the_first_round():
    tournament = bracket(overrides={"elimination": {"round1_first": ["a", "b", "a", "b"]}})
    assert [match_at(tournament, 4, table).first for table in (1, 2, 3, 4)] == ["a", "b", "a", "b"]


def test_a_loaded_bracket_match_may_be_corrected_to_a_draw_where_the_rule_for_draws_says_so():
    tournament = bracket(overrides={"draws_allowed": {"elimination": False}})
    record_bracket_result(tournament, 4, 1, WON)
    data = json.loads(dump_event(tournament))
    data["tournament"]["slug"] = "loaded"
    loaded = load_event(event_of(data))
    correct_bracket_result(loaded, 4, 1, DRAWN, reason="the slip says so")
    assert match_at(loaded, 4, 1).winner == "" and sound(loaded)


def test_first_moves_follow_the_rulesets_own_order_of_rules():
    tournament = bracket(overrides={"elimination": {"colours": ["higher_seed_precedence"]}})
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, WON)  # who moved first, seeds 1 and 4, won
    assert match_at(tournament, 5, 1).first == "a"
    tournament = bracket(overrides={"elimination": {"colours": ["alternate"]}})
    choose_first_move(tournament, 4, 2, "b")
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, WON)  # seed 4 moved second, and is due the first move
    assert match_at(tournament, 5, 1).first == "b"


def test_the_choice_of_the_higher_seed_is_recorded():
    tournament = bracket(ruleset="mtr")
    assert match_at(tournament, 4, 1).first == ""
    choose_first_move(tournament, 4, 1, "b")
    assert match_at(tournament, 4, 1).first == "b" and sound(tournament)


def test_the_match_for_place_three_opens_with_the_losers_of_the_semi_finals():
    tournament = bracket(4, ruleset="mtr", overrides={"elimination": {"third_place_match": True}})
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, Slip("played", 2, 0))
    losers = {sitting(tournament, 4, table)[1] for table in (1, 2)}
    third = match_at(tournament, 5, 2)
    assert third.slot == "P3.1" and set(sitting(tournament, 5, 2)) == losers
    record_bracket_result(tournament, 5, 1, Slip("played", 2, 0))
    assert tournament.rounds.get(number=5).state == "published"
    record_bracket_result(tournament, 5, 2, Slip("played", 0, 2))
    assert tournament.rounds.get(number=5).state == "complete"
    assert final_places_of(read.event_of(tournament))[2].entry == sitting(tournament, 5, 2)[1]
    assert sound(tournament)


def test_with_reseeding_the_second_round_waits_for_the_first():
    tournament = bracket(8, ruleset="mtr", overrides={"elimination": {"reseed": True}})
    for table in (1, 2, 3):
        record_bracket_result(tournament, 4, table, Slip("played", 0, 2))  # 8, 5 and 7 win
    assert not tournament.rounds.filter(number=5).exists()
    record_bracket_result(tournament, 4, 4, Slip("played", 2, 0))
    assert entrants(tournament, 5) == [
        {seed(tournament, 3), seed(tournament, 8)},
        {seed(tournament, 5), seed(tournament, 7)},
    ]
    assert sound(tournament)


# --- who leaves ----------------------------------------------------------------------------------------------


def test_when_somebody_leaves_the_opponent_has_the_bye():
    tournament = bracket(8, ruleset="cardeio")
    drop_entry(tournament, seed(tournament, 5))
    assert {seed(tournament, 4)} in entrants(tournament, 4)
    assert sound(tournament)


def test_under_the_mtr_the_highest_ranked_remaining_player_has_the_bye():
    tournament = bracket(8, ruleset="mtr")
    drop_entry(tournament, seed(tournament, 5))
    assert {seed(tournament, 1)} in entrants(tournament, 4)
    assert {seed(tournament, 4), seed(tournament, 8)} in entrants(tournament, 4)
    assert sound(tournament)
    reinstate_entry(tournament, seed(tournament, 5))
    assert {seed(tournament, 4), seed(tournament, 5)} in entrants(tournament, 4)
    assert sound(tournament)


def test_at_clinecon_the_next_alternate_takes_the_place():
    tournament = bracket(8)
    leaver = seed(tournament, 5)
    stage = tournament.stages.get(kind="elimination")
    first = stage.stage_entries.get(alternate=1).entry.code
    drop_entry(tournament, leaver)
    assert seed(tournament, 5) == first
    assert {seed(tournament, 4), first} in entrants(tournament, 4)
    assert sound(tournament)
    undo_last(tournament)
    assert seed(tournament, 5) == leaver and sound(tournament)


def test_an_alternate_replaces_nobody_who_has_played():
    tournament = bracket(8)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, WON)
    winner = seed(tournament, 1)
    disqualify_entry(tournament, winner, "cheating")
    assert seed(tournament, 1) == winner
    assert entrants(tournament, 5) == [{seed(tournament, 4)}]
    assert sound(tournament)


@pytest.mark.long
def test_a_disqualification_stands_in_the_way_of_no_correction_and_no_other_cut():
    tournament = bracket(4, ruleset="cardeio")
    disqualify_entry(tournament, seed(tournament, 3), "cheating")
    undo_cut(tournament)
    assert tournament.penalties.get().round.number == 3 and sound(tournament)
    make_cut(tournament, 8)
    for number, table in ((4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2)):
        record_bracket_result(tournament, number, table, Slip("played", 2, 0))
    disqualify_entry(tournament, sitting(tournament, 5, 2)[1], "cheating")
    assert tournament.penalties.get(number=2).round.number == 6
    record_bracket_result(tournament, 4, 1, Slip("played", 0, 2), resets=["5.1", "6.1"])
    assert not tournament.rounds.filter(number=6).exists()
    assert tournament.penalties.get(number=2).round.number == 5 and sound(tournament)
    undo_last(tournament)
    assert tournament.penalties.get(number=2).round.number == 6 and sound(tournament)


def test_nobody_comes_back_from_the_match_for_place_three_when_a_finalist_is_gone():
    tournament = bracket(4, ruleset="mtr", overrides={"elimination": {"third_place_match": True}})
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 0))
    record_bracket_result(tournament, 4, 2, Slip("played", 0, 2))
    drop_entry(tournament, seed(tournament, 2))
    record_bracket_result(tournament, 5, 1, Slip("played", 2, 0))
    with pytest.raises(ClearsLaterMatches) as refusal:
        record_bracket_result(tournament, 4, 2, Slip("played", 2, 0))
    assert refusal.value.later == ["5.1"]
    record_bracket_result(tournament, 4, 2, Slip("played", 2, 0), resets=["5.1"])
    assert {seed(tournament, 1)} in entrants(tournament, 5)
    assert {seed(tournament, 3), seed(tournament, 4)} in entrants(tournament, 5)
    assert sound(tournament)


def test_a_leaving_the_bracket_has_followed_is_undone_by_a_return_only():
    tournament = bracket(4, ruleset="cardeio")
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 0))
    winner = sitting(tournament, 4, 1)[0]
    drop = drop_entry(tournament, winner)
    record_bracket_result(tournament, 4, 2, Slip("played", 2, 0))
    assert entrants(tournament, 5) == [{seed(tournament, 2)}]
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(tournament, drop.number)
    reinstate_entry(tournament, winner)
    assert entrants(tournament, 5) == [{winner, seed(tournament, 2)}] and sound(tournament)


def test_who_leaves_after_losing_changes_nothing():
    tournament = bracket(8, ruleset="mtr")
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 0, drops="b"))
    record_bracket_result(tournament, 4, 2, Slip("played", 2, 0))
    before = entrants(tournament, 5)
    drop_entry(tournament, sitting(tournament, 4, 2)[1])
    assert entrants(tournament, 5) == before and sound(tournament)


def test_a_drop_in_a_swiss_round_knows_no_bracket():
    tournament = factories.TournamentFactory(entries=8, rounds=2)
    drop_entry(tournament, "P0001")
    assert sound(tournament)
