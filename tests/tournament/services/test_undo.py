import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut, undo_cut
from standings.bracket.results import record_bracket_result
from tests import factories
from tests.steps import complete_round, is_sound, undo_last
from tournament.actionlog.fold import state_at
from tournament.errors import NotFound, WrongState
from tournament.event import read
from tournament.models import Extension
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_announcement, change_settings
from tournament.services.events import finish_tournament
from tournament.services.results import extend_table, record_result
from tournament.services.rounds import discard_draft, publish_round
from tournament.services.undo import find_last_undoable, undo_action


def test_undo_gives_the_old_value_back_once_and_an_undo_of_it_does_it_again(desk):
    record_result(desk, 1, 1, Slip("played", 2, 0))
    second = record_result(desk, 1, 1, Slip("played", 0, 2))
    before = read.read_state(desk)[0]
    back = undo_action(desk, second.number, key="again")
    assert undo_action(desk, second.number, key="again") == back
    match = desk.rounds.get().matches.get(table=1)
    assert (back.undoes, back.kind, match.winner, match.version) == (second.number, "undo", "a", back.number)
    assert state_at(desk, second.number) == before != state_at(desk) == read.read_state(desk)[0]
    undo_action(desk, back.number)
    assert desk.rounds.get().matches.get(table=1).winner == "b"
    with pytest.raises(WrongState, match="already undone"):
        undo_action(desk, back.number)


def test_undo_is_refused_naming_the_later_action_that_touched_the_same_and_no_other(desk):
    first = record_result(desk, 1, 1, Slip("played", 2, 0))
    record_result(desk, 1, 2, Slip("played", 2, 0))
    second = record_result(desk, 1, 1, Slip("played", 0, 2))
    with pytest.raises(WrongState, match=f"Action {second.number}"):
        undo_action(desk, first.number)
    undo_action(desk, second.number)
    undo_action(desk, first.number)
    assert list(desk.rounds.get().matches.filter(table__lt=3).values_list("winner", flat=True)) == ["", "a"]


def test_a_publication_is_undone_only_while_nothing_was_reported(desk):
    publication = desk.actions.get(kind="publish")
    record_result(desk, 1, 1, Slip("played", 2, 0))
    with pytest.raises(WrongState, match="already has results"):
        undo_action(desk, publication.number)
    undo_last(desk)
    undo_action(desk, publication.number)
    desk.refresh_from_db()
    assert desk.rounds.get().state == "draft" and desk.profile is None and desk.state == "open"
    publish_round(desk, 1)
    assert is_sound(desk)


def test_undoing_pair_next_opens_the_round_again_and_a_late_registration_takes_its_missed_round_along(desk):
    with pytest.raises(WrongState):
        undo_action(desk, desk.actions.get(kind="register").number)
    assert desk.entries.count() == 6
    factories.enter_results(desk, 1)
    completion = complete_round(desk, 1)
    draft_next_round(desk)
    with pytest.raises(WrongState):
        undo_action(desk, completion.number)
    assert list(desk.rounds.values_list("state", flat=True)) == ["complete", "draft"]
    undo_last(desk)
    undo_last(desk)
    assert list(desk.rounds.values_list("number", "state")) == [(1, "published")]
    undo_action(desk, add_entries(desk, ["Late"]).number)
    assert not desk.entries.filter(name="Late").exists()
    assert not desk.rounds.get().matches.filter(result="missed").exists() and is_sound(desk)


def test_names_the_beginning_and_the_rules_once_round_1_is_published_are_not_undone():
    tournament = factories.TournamentFactory(entries=4)
    settings = change_settings(tournament, best_of=1)
    factories.RoundFactory(tournament=tournament)
    rename = rename_entry(tournament, "P0001", "New Name")
    for number, error, words in (
        (rename.number, WrongState, "The log does not store names"),
        (settings.number, WrongState, "were fixed when round 1 was published"),
        (1, WrongState, "where this event begins"),
        (999, NotFound, "no action 999"),
    ):
        with pytest.raises(error, match=words):
            undo_action(tournament, number)
    assert find_last_undoable(tournament, "owner")[0].kind == "publish"  # the last that can be undone


def test_an_older_result_drop_or_return_is_not_undone_once_a_round_was_paired_after_it(desk):
    result = record_result(desk, 1, 1, Slip("played", 2, 0))
    factories.enter_results(desk, 1)
    drop = drop_entry(desk, "P0001")
    factories.RoundFactory(tournament=desk)
    for action, words in ((result, "later actions build on it"), (drop, "P0001 plays and has no seat")):
        with pytest.raises(WrongState, match=words):
            undo_action(desk, action.number)
    assert desk.rounds.get(number=1).matches.get(table=1).winner == "a"
    factories.enter_results(desk, 2)
    back = reinstate_entry(desk, "P0001")
    factories.RoundFactory(tournament=desk)
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(desk, back.number)
    assert is_sound(desk)


def test_a_semi_final_is_not_undone_once_the_final_waits_for_its_winner():
    tournament = factories.TournamentFactory(entries=6, rounds=3)
    make_cut(tournament, 4)
    first = record_bracket_result(tournament, 4, 1, Slip("played", 2, 0))
    record_bracket_result(tournament, 4, 2, Slip("played", 2, 0))
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(tournament, first.number)
    assert is_sound(tournament)


def test_a_finished_event_takes_back_what_it_takes(desk):
    planned = change_settings(desk, rounds_planned=4)
    result = record_result(desk, 1, 1, Slip("played", 2, 0))
    factories.enter_results(desk, 1)
    finish_tournament(desk)
    shown = change_settings(desk, name_privacy="initial")
    undo_action(desk, shown.number)
    assert desk.name_privacy == "full"
    corrected = correct_result(desk, 1, 1, Slip("played", 1, 2), reason="misread")
    undo = undo_action(desk, corrected.number)
    assert desk.rounds.get().matches.get(table=1).winner == "a"
    undo_action(desk, undo.number)
    assert desk.rounds.get().matches.get(table=1).winner == "b", "an undo is taken back as what it undid"
    message = change_announcement(desk, "Prizes at 18:00", "")
    undo_action(desk, message.number)
    assert desk.announcement == ""
    for before_the_end in (planned, result):
        with pytest.raises(WrongState, match="The event is finished"):
            undo_action(desk, before_the_end.number)
    undo_action(desk, desk.actions.get(kind="finish").number)
    desk.refresh_from_db()
    assert desk.state == "running"


def unpublish(tournament):
    undo_action(tournament, tournament.actions.filter(kind="publish").last().number)


def test_a_table_with_more_time_goes_with_its_draft_or_its_bracket(desk):
    extend_table(desk, 1, 2, 5)
    unpublish(desk)
    discarded = discard_draft(desk, 1)
    assert not Extension.objects.exists()
    undo_action(desk, discarded.number)
    assert Extension.objects.get().minutes == 5
    draft_next_round(desk, again=1)
    assert not Extension.objects.exists() and is_sound(desk)
    publish_round(desk, 1)
    factories.enter_results(desk, 1)
    make_cut(desk, 4)
    extend_table(desk, 2, 1, 5)
    undo_cut(desk)
    assert not Extension.objects.exists() and is_sound(desk)


def test_who_dropped_in_a_round_that_is_paired_again_left_before_it(desk):
    drop_entry(desk, "P0003")
    unpublish(desk)
    draft_next_round(desk, again=1)
    publish_round(desk, 1)
    assert is_sound(desk)
    assert desk.entries.get(code="P0003").dropped_after == 0
    reinstate_entry(desk, "P0003")
    assert is_sound(desk)
