import pytest

from pairings.draft.services import draft_next_round
from standings.table.swiss import compute_standings
from tests import factories
from tests.steps import complete_round, is_sound
from tournament.errors import Refused, WrongState
from tournament.event.read import load_event_values
from tournament.history.describe import describe_actions
from tournament.progress.next_step import load_progress_facts
from tournament.services.drops import check_in_entry, drop_entry, reinstate_entry, withdraw_no_shows
from tournament.services.rounds import publish_round
from tournament.services.undo import undo_action


def hall(players=6, here=4):
    tournament = factories.TournamentFactory(entries=players)
    for number in range(1, here + 1):
        check_in_entry(tournament, f"P{number:04d}")
    return tournament


def out(tournament):
    return list(tournament.entries.filter(status="dropped").values_list("code", flat=True))


def ranked(tournament):
    return {row.entry for row in compute_standings(load_event_values(tournament))}


def test_checking_in_is_done_once_taken_back_and_not_for_who_is_out_or_waits():
    tournament = factories.TournamentFactory(entries=3)
    assert check_in_entry(tournament, "P0001") is not None
    assert check_in_entry(tournament, "P0001") is None
    action = check_in_entry(tournament, "P0001", False)
    assert not tournament.entries.get(code="P0001").checked_in
    assert describe_actions(tournament, [action])[0].sentence == "Check-in undone for Player 01"
    drop_entry(tournament, "P0001")
    tournament.entries.filter(code="P0002").update(status="waitlisted")
    for code, why in (("P0001", "has dropped"), ("P0002", "on the waitlist"), ("P0009", "no player")):
        with pytest.raises(Refused, match=why):
            check_in_entry(tournament, code)


def test_no_shows_are_in_no_standings_and_no_round_and_undone_as_one_action():
    tournament = hall()
    undo_action(tournament, withdraw_no_shows(tournament, ["P0005", "P0006"]).number)
    assert out(tournament) == [] and len(ranked(tournament)) == 6
    action = withdraw_no_shows(tournament, ["P0004", "P0005", "P0006"])
    assert out(tournament) == ["P0005", "P0006"]  # the fourth was checked in meanwhile
    assert ranked(tournament) == {"P0001", "P0002", "P0003", "P0004"}
    assert load_progress_facts(tournament).players == 4
    assert describe_actions(tournament, [action])[0].sentence == "Player 05, Player 06 withdrawn"
    factories.RoundFactory(tournament=tournament)
    assert tournament.rounds.get().seats.count() == 4
    assert is_sound(tournament)


def test_a_no_show_who_comes_before_round_1_plays_it_and_later_is_late():
    tournament = hall()
    withdraw_no_shows(tournament, ["P0005", "P0006"])
    reinstate_entry(tournament, "P0005")
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    reinstate_entry(tournament, "P0006")
    seated = tournament.rounds.get().seats
    assert seated.filter(entry__code="P0005", kind__in=("match", "bye")).exists()
    late = tournament.entries.get(code="P0006")
    assert (late.late, late.joined_round, late.seats.get().match.result) == (True, 2, "missed")
    assert len(ranked(tournament)) == 5  # after round 1, in which P0006 had not joined
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    complete_round(tournament, 2)
    assert len(ranked(tournament)) == 6 and is_sound(tournament)


def test_no_one_is_withdrawn_where_no_one_checks_in_or_round_1_is_published():
    with pytest.raises(WrongState, match="No one is checked in"):
        withdraw_no_shows(hall(here=0), ["P0001"])
    tournament = hall()
    draft_next_round(tournament)
    withdraw_no_shows(tournament, ["P0006"])
    with pytest.raises(WrongState):  # whoever is seated no longer plays
        publish_round(tournament, 1)
    draft_next_round(tournament, again=1)
    publish_round(tournament, 1)
    with pytest.raises(WrongState, match="Round 1 is published"):
        withdraw_no_shows(tournament, ["P0005"])
    assert out(tournament) == ["P0006"] and is_sound(tournament)
