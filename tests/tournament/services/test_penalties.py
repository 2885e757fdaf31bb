import json

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.steps import is_sound, load_again
from tournament.archive.load import dump_event
from tournament.errors import NotFound, Refused
from tournament.history.describe import describe_actions
from tournament.models import Entry, Match, Penalty
from tournament.results.slip import Slip
from tournament.services.anonymity import anonymize_entry
from tournament.services.entries import add_entries
from tournament.services.judging import give_penalty, list_penalties
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.stages import add_stage
from tournament.services.undo import can_unpublish, undo_action

SLOW = "Slow play"


@pytest.fixture
def running():
    tournament = TournamentFactory(entries=6, rounds=1)
    RoundFactory(tournament=tournament)
    return tournament


def match_at(tournament, table=1, number=2):
    return Match.objects.get(round__tournament=tournament, round__number=number, table=table)


def player_at(tournament, table, side, number=2):
    return match_at(tournament, table, number).seats.get(side=side).entry.code


def games_at(tournament, table=1, number=2):
    seats = match_at(tournament, table, number).seats.order_by("side")
    return match_at(tournament, table, number).result, list(seats.values_list("games", flat=True))


def test_a_caution_changes_no_match_and_the_log_says_all_but_the_description(running):
    code = player_at(running, 1, "a")
    action = give_penalty(
        running, code, "caution", SLOW, judge="Lena", description="Looked at\u202e the clock\n twice"
    )
    penalty = running.penalties.get()
    said = (penalty.kind, penalty.reason, penalty.judge, penalty.round.number)
    assert said == ("caution", "Slow play", "Lena", 2)
    assert penalty.description == "Looked at the clock\ntwice" and penalty.counts_in is None
    assert "clock" not in json.dumps(action.changes)
    name = Entry.objects.get(tournament=running, code=code).name
    assert describe_actions(running, [action])[0].sentence == f"{name}: caution (Slow play)"
    assert games_at(running)[0] is None and is_sound(running)


def test_a_penalty_is_of_the_round_that_the_player_plays_also_beside_another_session():
    event = TournamentFactory(entries=4)
    add_stage(event)
    add_entries(event, ["Flight B 1", "Flight B 2"], stage=2)
    give_penalty(event, "P0001", "caution", SLOW)
    for session in (1, 2):
        draft_next_round(event, flight=session)
        publish_round(event, session)
    for code in ("P0001", "P0005"):
        give_penalty(event, code, "caution", SLOW)
    enter_results(event, 1)
    give_penalty(event, "P0001", "caution", SLOW)  # between two rounds of the session
    add_entries(event, ["Late"], stage=2)
    give_penalty(event, "P0007", "caution", SLOW)  # without a seat
    rows = event.penalties.order_by("number").values_list("entry__code", "round__number")
    assert list(rows) == [("P0001", None), ("P0001", 1), ("P0005", 2), ("P0001", 1), ("P0007", 2)]
    tables = {each.number: each.table for each in list_penalties(event, ["P0001"])}
    assert tables[1] is None and tables[2] and is_sound(event)


def test_a_penalty_for_nobody_or_for_nothing_writes_nothing_and_a_disqualification_drops_as_one_action(
    running,
):
    for code, kind, infraction, error, words in (
        ("", "warning", SLOW, Refused, "Choose the player"),
        ("P9999", "warning", SLOW, NotFound, "P9999"),
        ("P0001", "frown", SLOW, Refused, "Choose the penalty"),
        ("P0001", "warning", "  ", Refused, "Enter the infraction"),
    ):
        with pytest.raises(error, match=words):
            give_penalty(running, code, kind, infraction)
    assert not running.penalties.exists()
    action = give_penalty(running, "P0001", "disqualification", "Bribery", judge="Lena")
    assert running.entries.get(code="P0001").status == "disqualified"
    assert running.penalties.get().judge == "Lena"
    undo_action(running, action.number)
    assert running.entries.get(code="P0001").status == "playing"
    assert not running.penalties.exists() and is_sound(running)


def test_a_game_loss_is_a_game_win_of_the_opponent_that_no_slip_can_leave_out(running):
    give_penalty(running, player_at(running, 1, "a"), "game_loss", SLOW)
    assert running.penalties.get().counts_in == 2 and games_at(running)[0] is None
    with pytest.raises(Refused, match=r"has a penalty in this match: Player .. has at least 1 game win"):
        record_result(running, 2, 1, TWO_NIL)
    record_result(running, 2, 1, Slip("played", 2, 1))
    assert games_at(running) == ("played", [2, 1])
    enter_results(running, 2)
    RoundFactory(tournament=running)
    assert running.penalties.get().counts_in == 2 and is_sound(running)  # once, and not again


def test_in_a_bracket_a_loss_counts_too_and_the_match_is_entered_by_hand():
    tournament = TournamentFactory(entries=8, rounds=3, with_cut=4)
    code = player_at(tournament, 1, "a", 4)
    give_penalty(tournament, code, "match_loss", SLOW)
    assert tournament.penalties.get().counts_in == 4 and games_at(tournament, 1, 4)[0] is None
    with pytest.raises(Refused, match="at least 2 game wins"):
        record_bracket_result(tournament, 4, 1, TWO_NIL)
    record_bracket_result(tournament, 4, 1, Slip("played", 0, 2))
    winner = player_at(tournament, 1, "b", 4)
    give_penalty(tournament, winner, "game_loss", SLOW)
    record_bracket_result(tournament, 4, 2, TWO_NIL)
    assert tournament.penalties.get(entry__code=winner).counts_in == 5 and is_sound(tournament)


def test_a_second_game_loss_ends_a_match_as_does_one_match_loss_and_undo_takes_back_both(running):
    code = player_at(running, 1, "b")
    give_penalty(running, code, "game_loss", SLOW)
    second = give_penalty(running, code, "game_loss", SLOW)
    assert games_at(running) == ("played", [2, 0]) and match_at(running).winner == "a"
    undo_action(running, second.number)
    assert games_at(running)[0] is None and running.penalties.count() == 1
    lost = give_penalty(running, player_at(running, 2, "a"), "match_loss", SLOW)
    assert games_at(running, 2) == ("played", [0, 2]) and is_sound(running)
    with pytest.raises(Refused, match="at least 2 game wins"):
        record_result(running, 2, 2, TWO_NIL)
    undo_action(running, lost.number)
    assert games_at(running, 2)[0] is None and running.penalties.count() == 1 and is_sound(running)


def test_after_the_result_a_loss_waits_for_the_next_match_and_its_round_can_still_be_unpublished(running):
    code = player_at(running, 1, "a")
    enter_results(running, 2)
    give_penalty(running, code, "match_loss", SLOW)
    assert running.penalties.get().counts_in == 0 and games_at(running)[1] != [0, 2]
    RoundFactory(tournament=running)
    seat = running.seats.get(round__number=3, entry__code=code)
    assert seat.match.result == "played" and seat.games == 0 and running.penalties.get().counts_in == 3
    assert can_unpublish(running, 3) and is_sound(running)
    undo_action(running, running.actions.filter(kind="publish").latest("number").number)
    assert running.penalties.get().counts_in == 0
    assert not running.rounds.get(number=3).matches.exclude(result=None).exists() and is_sound(running)


def test_a_file_keeps_penalties_but_for_what_was_written_and_anonymizing_takes_that(running):
    code, other = player_at(running, 1, "a"), player_at(running, 2, "a")
    name = Entry.objects.get(tournament=running, code=code).name
    give_penalty(running, code, "warning", f"{name} was late", description="Private", judge="Lena")
    give_penalty(running, other, "game_loss", SLOW, description=f"Took cards of {name}")
    running.refresh_from_db()
    file = dump_event(running, with_seed=True)
    assert "Private" not in file and '"judge":"Lena"' in file and '"counts_in":2' in file
    anonymize_entry(running, code)
    first, second = running.penalties.order_by("number")
    assert first.description == "" and name not in first.reason + second.description
    assert Penalty.objects.filter(tournament=load_again(running), counts_in=2).count() == 1
