import pytest

from pairings.draft.services import add_house_opponent, draft_next_round, needs_house_choice
from pairings.request.pairing_request import request_of
from tests import factories
from tests.pairings.drafting import seated
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.errors import Conflict, NotFound, WrongState
from tournament.event import read
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import change_entry
from tournament.services.results import record_result
from tournament.services.rounds import discard_draft, publish_round

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("ruleset", ["fide", "uscf", "scrabble", "go_mcmahon"])
def test_boards_are_in_order_of_the_higher_score_then_of_the_sum(ruleset):
    tournament = factories.TournamentFactory(entries=15, rounds=3, ruleset=ruleset, drafted=True)
    event = read.event_of(tournament)
    points = request_of(event, event.rounds[3]).points
    matches = sorted((match for match in event.rounds[3].matches if match.b), key=lambda match: match.table)
    scores = [sorted((points[match.a], points[match.b]), reverse=True) for match in matches]
    assert [match.table for match in matches] == list(range(1, 8))
    assert scores == sorted(scores, key=lambda both: (both[0], sum(both)), reverse=True)


def test_pairing_again_is_the_next_attempt_counted_through_undone_drafts():
    tournament = factories.TournamentFactory(entries=16)
    draft_next_round(tournament)
    first = seated(tournament)
    draft_next_round(tournament, again=1)
    assert tournament.rounds.get().pairing["attempt"] == 2
    assert seated(tournament) != first
    undo_last(tournament)
    assert seated(tournament) == first and tournament.rounds.get().pairing["attempt"] == 1
    tournament = factories.TournamentFactory(entries=8, rounds=1)
    draft_next_round(tournament)
    draft_next_round(tournament, again=2)
    discard_draft(tournament, 2)
    draft_next_round(tournament)
    assert tournament.rounds.get(number=2).pairing["attempt"] == 3
    publish_round(tournament, 2)
    factories.enter_results(tournament, 2)
    draft_next_round(tournament)
    assert tournament.rounds.get(number=3).pairing["attempt"] == 1


def test_a_refused_new_draft_leaves_the_old_one():
    tournament = factories.TournamentFactory(entries=2)
    draft_next_round(tournament)
    drop_entry(tournament, "P0001")
    with pytest.raises(WrongState, match="at least 2 players"):
        draft_next_round(tournament, again=1)
    assert tournament.rounds.get().state == "draft"
    with pytest.raises(WrongState, match="dropped since these pairings were made"):
        publish_round(tournament, 1)
    discard_draft(tournament, 1)
    assert not tournament.rounds.exists()


def test_an_odd_clinecon_field_asks_and_the_house_plays_instead_of_the_bye():
    tournament = factories.TournamentFactory(entries=7, ruleset="twixt")
    assert needs_house_choice(tournament)
    add_house_opponent(tournament, "Director")
    draft_next_round(tournament, house="H01")
    publish_round(tournament, 1)
    round_ = tournament.rounds.get()
    assert round_.seats.get(entry__code="H01") and not round_.matches.filter(result="bye").exists()
    assert set(round_.matches.values_list("first", flat=True)) <= {"a", "b"}
    assert integrity.check(tournament) == []
    assert not needs_house_choice(factories.TournamentFactory(entries=8, ruleset="twixt"))
    assert not needs_house_choice(factories.TournamentFactory(entries=7, ruleset="mtr"))


def test_a_house_opponent_is_one_and_is_not_seated_in_an_even_field_or_where_nobody_knows_it():
    tournament = factories.TournamentFactory(entries=8, ruleset="twixt")
    add_house_opponent(tournament, "Director")
    draft_next_round(tournament, house="H01")
    assert not tournament.rounds.get().seats.filter(entry__code="H01").exists()
    assert not tournament.rounds.get().matches.filter(result="bye").exists()
    other = factories.TournamentFactory(entries=7, ruleset="mtr")
    add_house_opponent(other, "Director")
    with pytest.raises(WrongState, match="does not use house opponents"):
        draft_next_round(other, house="H01")
    tournament = factories.TournamentFactory(entries=7, ruleset="twixt")
    with pytest.raises(NotFound):
        draft_next_round(tournament, house="P0001")


def test_a_round_of_one_player_or_none_or_of_awarded_byes_only_is_refused():
    for players in (0, 1):
        with pytest.raises(WrongState, match="at least 2 players"):
            draft_next_round(factories.TournamentFactory(entries=players))
    tournament = factories.TournamentFactory(entries=2)
    for code in ("P0001", "P0002"):
        change_entry(tournament, code, awarded_byes=1)
    with pytest.raises(WrongState, match="awarded bye"):
        draft_next_round(tournament)


def test_unavoidable_rematches_are_waived_and_say_why():
    tournament = factories.TournamentFactory(entries=2)
    factories.enter_results(tournament, factories.RoundFactory(tournament=tournament).number)
    factories.RoundFactory(tournament=tournament)
    match = tournament.rounds.get(number=2).matches.get()
    assert (match.waived_rule, match.waived_reason) == ("repeat", "no legal pairing without it")
    assert integrity.check(tournament) == []


def test_a_key_that_another_form_used_pairs_nothing():
    tournament = factories.TournamentFactory(entries=6)
    factories.RoundFactory(tournament=tournament)
    for table in (1, 2, 3):
        record_result(tournament, 1, table, Slip("played", 2, 0), key=f"k{table}")
    with pytest.raises(Conflict, match="already sent"):
        draft_next_round(tournament, key="k1")
    assert tournament.rounds.count() == 1
