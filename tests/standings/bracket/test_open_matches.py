import pytest

from standings.bracket.cut import make_cut, undo_cut
from standings.bracket.open_matches import load_stage_bracket
from standings.bracket.results import (
    choose_first_move,
    correct_bracket_result,
    decide_match,
    record_bracket_result,
    record_repeat_game,
)
from standings.engine.bracket.cut import Time
from standings.table.places import rank_final_places
from tests import factories
from tests.standings.bracket.brackets import bracket_stage, is_sound, match_at, reloaded, seed, sitting
from tests.steps import confirmed, undo_last
from tournament.errors import Conflict, Refused, WrongState
from tournament.event import read
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.results import IS_OPEN
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
DRAWN, WON, LOST = Slip("played", 0, 0, 1), Slip("played", 1, 0), Slip("played", 0, 1)
PLENTY, SHORT = Time(of_round=30, of_stage=200), Time(of_round=30, of_stage=80)


def bracket(size=8, players=12, ruleset="twixt", **fields):
    tournament = factories.TournamentFactory(entries=players, rounds=3, ruleset=ruleset, **fields)
    make_cut(tournament, size)
    return tournament


def entrants(tournament, number):
    """The pairs of a round as sets of codes; a bye is a set of one."""
    matches = tournament.rounds.get(number=number).matches.all()
    return [{seat.entry.code for seat in match.seats.all()} for match in matches]


# --- drawn matches -------------------------------------------------------------------------------------------


def test_a_short_final_may_be_decided_by_the_tiebreak_when_a_finalist_insists():
    tournament = bracket(4)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, DRAWN)
    decide_match(tournament, 4, 2, "higher_seed", time=SHORT)
    record_bracket_result(tournament, 5, 1, DRAWN)
    for how in ("tiebreak", "higher_seed"):
        with pytest.raises(WrongState, match="cannot be decided that way"):
            decide_match(tournament, 5, 1, how, reason="tired", time=PLENTY)
    with pytest.raises(Refused, match="which finalist"):
        decide_match(tournament, 5, 1, "tiebreak", time=Time(0, 49))
    decide_match(tournament, 5, 1, "tiebreak", time=Time(0, 49), reason="Player 01 insists")
    won_outright = sitting(tournament, 4, 1)[0]
    match = match_at(tournament, 5, 1)
    assert match.decided == "tiebreak"
    assert sitting(tournament, 5, 1)["ab".index(match.winner)] == won_outright
    assert load_stage_bracket(bracket_stage(tournament)).champion == won_outright
    assert is_sound(tournament)


def test_a_repeat_game_is_taken_back_by_undo_and_all_of_them_by_a_corrected_game():
    tournament = bracket()
    record_bracket_result(tournament, 4, 1, DRAWN)
    version = match_at(tournament, 4, 1).version
    record_repeat_game(tournament, 4, 1, DRAWN, version, PLENTY)
    with pytest.raises(Conflict):
        record_repeat_game(tournament, 4, 1, WON, version, PLENTY)
    record_repeat_game(tournament, 4, 1, WON, time=PLENTY)
    undo_last(tournament)
    match = match_at(tournament, 4, 1)
    assert len(match.replays) == 1 and match.winner == "" and is_sound(tournament)
    decide_match(tournament, 4, 1, "higher_seed", time=SHORT)
    record_bracket_result(tournament, 4, 1, LOST)
    match = match_at(tournament, 4, 1)
    assert (match.replays, match.decided, match.winner) == ([], "", "b") and is_sound(tournament)


def test_rulesets_refuse_a_drawn_match_and_record_who_chose_to_move_first():
    tournament = bracket(ruleset="mtr")
    with pytest.raises(Refused, match="needs a winner"):
        record_bracket_result(tournament, 4, 1, Slip("played", 1, 1))
    with pytest.raises(WrongState, match="No repeat game"):
        record_repeat_game(tournament, 4, 1, Slip("played", 2, 0))
    assert match_at(tournament, 4, 1).first == ""
    choose_first_move(tournament, 4, 1, "b")
    assert match_at(tournament, 4, 1).first == "b" and is_sound(tournament)


def test_where_the_higher_seed_goes_on_a_draw_is_enough():
    tournament = bracket(4, overrides={"elimination": {"draw_rule": "higher_seed"}})
    record_bracket_result(tournament, 4, 2, DRAWN)
    record_bracket_result(tournament, 4, 1, LOST)
    assert set(sitting(tournament, 5, 1)) == {seed(tournament, 4), seed(tournament, 2)}
    assert is_sound(tournament)


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


def test_a_ruleset_may_list_first_moves_or_the_order_of_rules_for_them():
    tournament = bracket(overrides={"elimination": {"round1_first": ["a", "b", "a", "b"]}})
    assert [match_at(tournament, 4, table).first for table in (1, 2, 3, 4)] == ["a", "b", "a", "b"]
    tournament = bracket(overrides={"elimination": {"colours": ["higher_seed_precedence"]}})
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, WON)  # who moved first, seeds 1 and 4, won
    assert match_at(tournament, 5, 1).first == "a"
    tournament = bracket(overrides={"elimination": {"colours": ["alternate"]}})
    choose_first_move(tournament, 4, 2, "b")
    for table in (1, 2):
        record_bracket_result(tournament, 4, table, WON)  # seed 4 moved second, and is due the first move
    assert match_at(tournament, 5, 1).first == "b"


def test_a_loaded_bracket_match_may_be_corrected_to_a_draw_where_the_rule_for_draws_says_so():
    tournament = bracket(overrides={"draws_allowed": {"elimination": False}})
    record_bracket_result(tournament, 4, 1, WON)
    loaded = reloaded(tournament)
    correct_bracket_result(loaded, 4, 1, DRAWN, reason="the slip says so")
    assert match_at(loaded, 4, 1).winner == "" and is_sound(loaded)


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
    assert rank_final_places(read.load_event_values(tournament))[2].entry == sitting(tournament, 5, 2)[1]
    assert is_sound(tournament)


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
    assert is_sound(tournament)


# --- tables --------------------------------------------------------------------------------------------------


def tables_of_open(tournament):
    """{slot: table} of the matches that are open."""
    rows = Match.objects.filter(IS_OPEN, round__tournament=tournament)
    return dict(rows.values_list("slot", "table"))


def test_a_match_opens_at_a_free_table_and_moves_when_it_is_reopened():
    assert tables_of_open(bracket(5, ruleset="mtr")) == {"W1.2": 2, "W2.2": 3}
    tournament = bracket(8)
    for table in (2, 3, 4):
        record_bracket_result(tournament, 4, table, WON)
    assert tables_of_open(tournament) == {"W1.1": 1, "W2.2": 2}
    result = tournament.actions.get(kind="bracket result", changes__0__fact="rounds/4/tables/2")
    with pytest.raises(WrongState, match="another match is being played at table 2"):
        undo_action(tournament, result.number)
    two = sitting(tournament, 4, 2)
    confirmed(correct_bracket_result, tournament, 4, 2, DRAWN, reason="the slip says so")
    assert tables_of_open(tournament) == {"W1.1": 1, "W1.2": 5, "W2.2": 2}
    assert sitting(tournament, 4, 5) == two
    assert is_sound(tournament)


# --- who leaves ----------------------------------------------------------------------------------------------


def test_when_somebody_leaves_the_opponent_has_the_bye():
    tournament = bracket(8, ruleset="cardeio")
    confirmed(drop_entry, tournament, seed(tournament, 5))
    assert {seed(tournament, 4)} in entrants(tournament, 4)
    assert is_sound(tournament)


def test_under_the_mtr_the_highest_ranked_remaining_player_has_the_bye():
    tournament = bracket(8, ruleset="mtr")
    confirmed(drop_entry, tournament, seed(tournament, 5))
    assert {seed(tournament, 1)} in entrants(tournament, 4)
    assert {seed(tournament, 4), seed(tournament, 8)} in entrants(tournament, 4)
    assert is_sound(tournament)
    confirmed(reinstate_entry, tournament, seed(tournament, 5))
    assert {seed(tournament, 4), seed(tournament, 5)} in entrants(tournament, 4)
    assert is_sound(tournament)


def test_at_clinecon_the_next_alternate_takes_the_place_of_who_has_not_played():
    tournament = bracket(8)
    leaver = seed(tournament, 5)
    stage = bracket_stage(tournament)
    first = stage.stage_entries.get(alternate=1).entry.code
    confirmed(drop_entry, tournament, leaver)
    assert seed(tournament, 5) == first
    assert {seed(tournament, 4), first} in entrants(tournament, 4)
    assert is_sound(tournament)
    confirmed(undo_last, tournament)
    assert seed(tournament, 5) == leaver and is_sound(tournament)
    record_bracket_result(tournament, 4, 1, WON)
    record_bracket_result(tournament, 4, 2, WON)
    winner = seed(tournament, 1)
    confirmed(disqualify_entry, tournament, winner, "cheating")
    assert seed(tournament, 1) == winner
    assert entrants(tournament, 5) == [{seed(tournament, 4)}]
    assert is_sound(tournament)


@pytest.mark.long
def test_a_disqualification_stands_in_the_way_of_no_correction_and_no_other_cut():
    tournament = bracket(4, ruleset="cardeio")
    confirmed(disqualify_entry, tournament, seed(tournament, 3), "cheating")
    undo_cut(tournament)
    assert tournament.penalties.get().round.number == 3 and is_sound(tournament)
    make_cut(tournament, 8)
    for number, table in ((4, 1), (4, 2), (4, 3), (4, 4), (5, 1), (5, 2)):
        record_bracket_result(tournament, number, table, Slip("played", 2, 0))
    confirmed(disqualify_entry, tournament, sitting(tournament, 5, 2)[1], "cheating")
    assert tournament.penalties.get(number=2).round.number == 6
    confirmed(record_bracket_result, tournament, 4, 1, Slip("played", 0, 2))
    assert not tournament.rounds.filter(number=6).exists()
    assert tournament.penalties.get(number=2).round.number == 5 and is_sound(tournament)
    confirmed(undo_last, tournament)
    assert tournament.penalties.get(number=2).round.number == 6 and is_sound(tournament)


def test_nobody_comes_back_from_the_match_for_place_three_when_a_finalist_is_gone():
    tournament = bracket(4, ruleset="mtr", overrides={"elimination": {"third_place_match": True}})
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 0))
    record_bracket_result(tournament, 4, 2, Slip("played", 0, 2))
    confirmed(drop_entry, tournament, seed(tournament, 2))
    record_bracket_result(tournament, 5, 1, Slip("played", 2, 0))
    confirmed(record_bracket_result, tournament, 4, 2, Slip("played", 2, 0))
    assert {seed(tournament, 1)} in entrants(tournament, 5)
    assert {seed(tournament, 3), seed(tournament, 4)} in entrants(tournament, 5)
    assert is_sound(tournament)


def test_a_leaving_the_bracket_has_followed_is_undone_by_a_return_only():
    tournament = bracket(4, ruleset="cardeio")
    record_bracket_result(tournament, 4, 1, Slip("played", 2, 0))
    winner = sitting(tournament, 4, 1)[0]
    drop = confirmed(drop_entry, tournament, winner)
    record_bracket_result(tournament, 4, 2, Slip("played", 2, 0))
    assert entrants(tournament, 5) == [{seed(tournament, 2)}]
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(tournament, drop.number)
    confirmed(reinstate_entry, tournament, winner)
    assert entrants(tournament, 5) == [{winner, seed(tournament, 2)}] and is_sound(tournament)
