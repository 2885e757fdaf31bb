"""Undo writes the old values back as a new action, unless a later action built on them."""

import contextlib
import random

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests import factories
from tests.conftest import CI
from tests.steps import complete_round, undo_last
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.errors import NotFound, Refused, WrongState
from tournament.event import read
from tournament.results.slip import Slip
from tournament.services.announcements import change_announcement
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.results import record_result
from tournament.services.rounds import publish_round
from tournament.services.undo import last_undoable_action, undo_action

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk():
    tournament = factories.TournamentFactory(entries=6)
    factories.RoundFactory(tournament=tournament)
    return tournament


def test_undo_gives_the_old_value_back_and_says_what_it_undid(desk):
    record_result(desk, 1, 1, Slip("played", 2, 0))
    second = record_result(desk, 1, 1, Slip("played", 2, 1))
    action = undo_action(desk, second.number)
    match = desk.rounds.get().matches.get(table=1)
    assert action.undoes == second.number and action.kind == "undo"
    assert sorted(match.seats.values_list("games", flat=True)) == [0, 2]
    assert match.version == action.number


def test_undoing_an_undo_does_it_again(desk):
    result = record_result(desk, 1, 1, Slip("played", 2, 0))
    back = undo_action(desk, result.number)
    undo_action(desk, back.number)
    assert desk.rounds.get().matches.get(table=1).winner == "a"
    with pytest.raises(WrongState, match="already undone"):
        undo_action(desk, back.number)


def test_undo_is_refused_naming_the_later_action_that_touched_the_same(desk):
    first = record_result(desk, 1, 1, Slip("played", 2, 0))
    second = record_result(desk, 1, 1, Slip("played", 0, 2))
    with pytest.raises(WrongState, match=f"Action {second.number}"):
        undo_action(desk, first.number)


def test_what_another_table_did_later_does_not_stand_in_the_way(desk):
    first = record_result(desk, 1, 1, Slip("played", 2, 0))
    record_result(desk, 1, 2, Slip("played", 2, 0))
    undo_action(desk, first.number)
    assert desk.rounds.get().matches.get(table=1).result is None
    assert desk.rounds.get().matches.get(table=2).winner == "a"


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
    assert integrity.check(desk) == []


def test_undoing_pair_next_opens_the_round_again_and_takes_the_draft_away(desk):
    factories.enter_results(desk, 1)
    draft_next_round(desk)
    undo_last(desk)
    assert list(desk.rounds.values_list("number", "state")) == [(1, "published")]
    assert integrity.check(desk) == []


def test_undoing_a_late_registration_takes_its_missed_round_away(desk):
    factories.enter_results(desk, 1)
    draft_next_round(desk)
    undo_last(desk)
    action = add_entries(desk, ["Late"])
    undo_action(desk, action.number)
    assert not desk.entries.filter(name="Late").exists()
    assert not desk.rounds.get().matches.filter(result="missed").exists()


def test_an_entry_that_sits_in_a_later_round_stays(desk):
    registration = desk.actions.get(kind="register")
    with pytest.raises(WrongState):
        undo_action(desk, registration.number)
    assert desk.entries.count() == 6


def test_names_and_the_beginning_are_not_undone(desk):
    rename = rename_entry(desk, "P0001", "New Name")
    with pytest.raises(WrongState, match="Names are not in the log"):
        undo_action(desk, rename.number)
    with pytest.raises(WrongState, match="where this event begins"):
        undo_action(desk, 1)
    with pytest.raises(NotFound):
        undo_action(desk, 999)
    assert last_undoable_action(desk).kind == "publish"  # the last that can be undone


def test_undo_sent_twice_with_one_key_undoes_once(desk):
    action = record_result(desk, 1, 1, Slip("played", 2, 0))
    first = undo_action(desk, action.number, key="again")
    assert undo_action(desk, action.number, key="again") == first


def test_the_state_after_any_action_is_the_fold_up_to_it(desk):
    before = read.read_state(desk)[0]
    number = desk.revision
    drop_entry(desk, "P0001")
    record_result(desk, 1, 1, Slip("played", 2, 0))
    assert state_at(desk, number) == before
    assert state_at(desk) == read.read_state(desk)[0]


def test_a_result_moves_the_match_and_the_revision_but_no_phone(desk):
    round_ = desk.rounds.get()
    standings, pairings = desk.standings_revision, round_.revision
    record_result(desk, 1, 1, Slip("played", 2, 0))
    round_.refresh_from_db()
    assert (desk.standings_revision, round_.revision) == (standings, pairings)
    factories.enter_results(desk, 1)
    draft_next_round(desk)
    assert desk.standings_revision == desk.revision


def test_an_older_result_is_not_undone_once_its_round_is_complete(desk):
    result = record_result(desk, 1, 1, Slip("played", 2, 0))
    factories.enter_results(desk, 1)
    factories.RoundFactory(tournament=desk)
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(desk, result.number)
    assert desk.rounds.get(number=1).matches.get(table=1).winner == "a"
    assert integrity.check(desk) == []


def test_an_older_drop_or_return_is_not_undone_once_a_round_was_paired_without_them(desk):
    factories.enter_results(desk, 1)
    drop = drop_entry(desk, "P0001")
    factories.RoundFactory(tournament=desk)
    with pytest.raises(WrongState, match="P0001 plays and has no seat"):
        undo_action(desk, drop.number)
    factories.enter_results(desk, 2)
    back = reinstate_entry(desk, "P0001")
    factories.RoundFactory(tournament=desk)
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(desk, back.number)
    assert integrity.check(desk) == []


def test_completing_is_not_undone_once_the_next_round_is_drafted(desk):
    factories.enter_results(desk, 1)
    completion = complete_round(desk, 1)
    draft_next_round(desk)
    with pytest.raises(WrongState):
        undo_action(desk, completion.number)
    assert list(desk.rounds.values_list("state", flat=True)) == ["complete", "draft"]


def test_the_rules_chosen_before_round_one_are_not_undone_after_it():
    tournament = factories.TournamentFactory(entries=4)
    settings = change_settings(tournament, best_of=1)
    factories.RoundFactory(tournament=tournament)
    with pytest.raises(WrongState, match="were fixed when round 1 was published"):
        undo_action(tournament, settings.number)


def test_a_semi_final_is_not_undone_once_the_final_waits_for_its_winner():
    tournament = factories.TournamentFactory(entries=6, rounds=3)
    make_cut(tournament, 4)
    first = record_bracket_result(tournament, 4, 1, Slip("played", 2, 0))
    record_bracket_result(tournament, 4, 2, Slip("played", 2, 0))
    with pytest.raises(WrongState, match="later actions build on it"):
        undo_action(tournament, first.number)
    assert integrity.check(tournament) == []


def test_nothing_but_the_finish_is_undone_in_a_finished_event(desk):
    result = record_result(desk, 1, 1, Slip("played", 2, 0))
    factories.enter_results(desk, 1)
    finish_tournament(desk)
    with pytest.raises(WrongState, match="finished"):
        undo_action(desk, result.number)
    undo_last(desk)
    assert desk.state == "running"


@pytest.mark.parametrize("chance", [random.Random(seed) for seed in range(6 if CI else 2)])
def test_undoing_any_action_at_any_time_is_done_cleanly_or_refused(chance):
    tournament = factories.TournamentFactory(entries=5)
    for _ in range(3):
        factories.enter_results(
            tournament, factories.RoundFactory(tournament=tournament).number, chance=chance
        )
        playing = tournament.entries.filter(status="playing").values_list("code", flat=True)
        if len(playing) > 3:
            drop_entry(tournament, chance.choice(list(playing)))
    for _ in range(12):
        number = chance.randint(1, tournament.revision)
        with contextlib.suppress(Refused):
            undo_action(tournament, number)
        assert integrity.check(tournament) == []
        assert state_at(tournament) == read.read_state(tournament)[0]


def test_a_finished_event_takes_back_what_it_takes(desk):
    planned = change_settings(desk, rounds_planned=4)
    factories.enter_results(desk, 1)
    finish_tournament(desk)
    shown = change_settings(desk, name_privacy="initial")
    undo_action(desk, shown.number)
    assert desk.name_privacy == "full"
    message = change_announcement(desk, "Prizes at 18:00", "")
    undo_action(desk, message.number)
    assert desk.announcement == ""
    with pytest.raises(WrongState, match="The event is finished"):
        undo_action(desk, planned.number)
