import pytest

from pairings.audit.pairing_report import comparison_lines, pair_again
from pairings.draft.edits import lock_table, open_draft, plan_swap, set_first_move, swap_players
from pairings.draft.services import add_house_opponent, draft_next_round, round_choice
from pairings.engine.verify import round_cost
from pairings.request.pairing_request import rebuild_request, recorded_pairing
from tests import factories
from tests.pairings.drafting import drawn_again, revision, seated
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.event import read
from tournament.event.read import load_event_values
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries, change_entry, prohibit_pair
from tournament.services.results import record_result
from tournament.services.rounds import discard_draft, publish_round

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("ruleset", ["fide", "uscf", "scrabble", "go_mcmahon"])
def test_boards_are_in_order_of_the_higher_score_then_of_the_sum(ruleset):
    tournament = factories.TournamentFactory(entries=15, rounds=3, ruleset=ruleset, drafted=True)
    event = read.load_event_values(tournament)
    points = rebuild_request(event, event.rounds[3]).points
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


def test_a_house_opponent_plays_instead_of_the_bye_and_only_where_an_odd_field_of_such_a_ruleset_asks():
    tournament = factories.TournamentFactory(entries=7, ruleset="twixt")
    assert round_choice(tournament).asks_house
    add_house_opponent(tournament, "Director")
    draft_next_round(tournament, house="H01")
    publish_round(tournament, 1)
    round_ = tournament.rounds.get()
    assert round_.seats.get(entry__code="H01") and not round_.matches.filter(result="bye").exists()
    assert set(round_.matches.values_list("first", flat=True)) <= {"a", "b"}
    assert integrity.check(tournament) == []
    with pytest.raises(NotFound):
        draft_next_round(factories.TournamentFactory(entries=7, ruleset="twixt"), house="P0001")
    tournament = factories.TournamentFactory(entries=8, ruleset="twixt")
    assert not round_choice(tournament).asks_house
    add_house_opponent(tournament, "Director")
    draft_next_round(tournament, house="H01")
    assert not tournament.rounds.get().seats.filter(entry__code="H01").exists()
    assert not tournament.rounds.get().matches.filter(result="bye").exists()
    unknown = factories.TournamentFactory(entries=7, ruleset="mtr")
    assert not round_choice(unknown).asks_house
    add_house_opponent(unknown, "Director")
    with pytest.raises(WrongState, match="does not use house opponents"):
        draft_next_round(unknown, house="H01")


def test_a_round_of_one_player_or_none_or_of_awarded_byes_only_is_refused():
    for players in (0, 1):
        with pytest.raises(WrongState, match="at least 2 players"):
            draft_next_round(factories.TournamentFactory(entries=players))
    tournament = factories.TournamentFactory(entries=2)
    for code in ("P0001", "P0002"):
        change_entry(tournament, code, awarded_byes=1)
    with pytest.raises(WrongState, match="awarded bye"):
        draft_next_round(tournament)


def test_a_key_that_another_form_used_pairs_nothing():
    tournament = factories.TournamentFactory(entries=6)
    factories.RoundFactory(tournament=tournament)
    for table in (1, 2, 3):
        record_result(tournament, 1, table, Slip("played", 2, 0), key=f"k{table}")
    with pytest.raises(Conflict, match="already sent"):
        draft_next_round(tournament, key="k1")
    assert tournament.rounds.count() == 1


def drafted(players=8, rounds=1, **fields):
    return factories.TournamentFactory(entries=players, rounds=rounds, drafted=True, **fields)


def one_of_each(tournament, number, first=1, second=2):
    seats = seated(tournament, number)
    return min(seats[first]), min(seats[second])


def score_cost(tournament, number):
    event = load_event_values(tournament)
    round_ = event.rounds[number - 1]
    request = rebuild_request(event, round_)
    return round_cost(request.entrants, recorded_pairing(request, round_), request.policy)["score_difference"]


def test_what_a_swap_costs_is_said_before_and_is_what_it_then_costs():
    tournament = drafted(16, 2)
    a, b = one_of_each(tournament, 3, 1, 8)
    before = score_cost(tournament, 3)
    planned = plan_swap(open_draft(tournament, 3), a, b)
    assert seated(tournament, 3)[1] >= {a}, "looking changes nothing"
    swap_players(tournament, 3, a, b, seen=planned.seen, reason="brother and sister")
    more = next(c.after - c.before for c in planned.changes if c.criterion == "score_difference")
    assert score_cost(tournament, 3) - before == more > 0
    assert f"{more} points of squared score difference" in planned.cost
    assert a in seated(tournament, 3)[8] and b in seated(tournament, 3)[1]
    assert integrity.check(tournament) == []


def test_an_edit_is_one_action_on_the_draft_that_was_seen_and_undo_takes_it_back_with_its_trace():
    tournament = drafted(12)
    before, about = seated(tournament, 2), tournament.rounds.get(number=2).pairing
    a, b = one_of_each(tournament, 2)
    count, seen = tournament.actions.count(), revision(tournament, 2)
    first = swap_players(tournament, 2, a, b, seen=seen, reason="asked for", key="k")
    after = seated(tournament, 2)
    assert swap_players(tournament, 2, a, b, seen=seen, reason="asked for", key="k") == first
    with pytest.raises(Conflict, match="Someone changed these draft pairings"):
        swap_players(tournament, 2, *one_of_each(tournament, 2, 3, 4), seen=seen, reason="second")
    assert seated(tournament, 2) == after and tournament.actions.count() == count + 1
    edit = tournament.rounds.get(number=2).pairing["edits"][0]
    assert (edit["kind"], edit["players"], edit["tables"]) == ("swap", [a, b], [1, 2])
    undo_last(tournament)
    assert seated(tournament, 2) == before
    assert tournament.rounds.get(number=2).pairing == about
    with pytest.raises(Refused, match="nothing to swap"):
        plan_swap(open_draft(tournament, 2), *sorted(seated(tournament, 2)[1]))
    with pytest.raises(WrongState, match="Round 1 is already published"):
        plan_swap(open_draft(tournament, 1), a, b)


@pytest.mark.parametrize(("reason", "waived"), [("they insist", "they insist"), (" ", "swapped by hand")])
def test_a_swap_needs_no_reason_and_a_rematch_is_waived_with_it_and_named_before(reason, waived):
    tournament = drafted(8)
    met = {frozenset(pair) for pair in seated(tournament, 1).values()}
    a, x = sorted(seated(tournament, 2)[1])
    old = next(iter(next(pair for pair in met if a in pair) - {a}))
    planned = plan_swap(open_draft(tournament, 2), x, old)
    assert " rematch" in planned.cost and planned.waivers
    swap_players(tournament, 2, x, old, seen=planned.seen, reason=reason)
    match = tournament.rounds.get(number=2).matches.get(table=1)
    assert (match.waived_rule, match.waived_reason) == ("repeat", waived)
    lock_table(tournament, 2, a, seen=revision(tournament, 2))
    draft_next_round(tournament, again=2)
    assert seated(tournament, 2)[1] == {a, old}, "locked, though a rematch"
    publish_round(tournament, 2)
    assert integrity.check(tournament) == []


def test_a_second_bye_needs_its_waiver_a_locked_one_stays_and_a_lock_goes_with_the_player_who_left():
    tournament = drafted(7)
    first_bye = next(iter(seated(tournament, 1)[None]))
    bye = next(iter(seated(tournament, 2)[None]))
    planned = plan_swap(open_draft(tournament, 2), bye, first_bye)
    assert "second bye" in planned.cost and any("already had a bye" in text for text in planned.waivers)
    swap_players(tournament, 2, bye, first_bye, seen=planned.seen, reason="is ill")
    assert seated(tournament, 2)[None] == {first_bye}
    publish_round(tournament, 2)
    assert integrity.check(tournament) == []
    tournament = drafted(9)
    (lone,), held = seated(tournament, 2)[None], seated(tournament, 2)[2]
    lock_table(tournament, 2, lone, seen=revision(tournament, 2))
    for _ in range(3):
        draft_next_round(tournament, again=2)
        assert seated(tournament, 2)[None] == {lone}
    lock_table(tournament, 2, lone, seen=revision(tournament, 2))
    held = seated(tournament, 2)[2]
    lock_table(tournament, 2, min(held), seen=revision(tournament, 2))
    drop_entry(tournament, min(held))
    draft_next_round(tournament, again=2)
    assert "locked" not in tournament.rounds.get(number=2).pairing


def test_two_who_must_never_meet_are_not_put_together():
    tournament = drafted(8)
    a, x = sorted(seated(tournament, 2)[1])
    b = min(seated(tournament, 2)[2])
    prohibit_pair(tournament, a, b)
    planned = plan_swap(open_draft(tournament, 2), x, b)
    assert planned.refusals and "are on the do-not-pair list" in planned.refusals[0]
    with pytest.raises(WrongState, match="are on the do-not-pair list"):
        swap_players(tournament, 2, x, b, seen=revision(tournament, 2), reason="all the same")


def test_a_locked_table_keeps_its_place_when_the_rest_is_paired_again():
    tournament = drafted(16)
    held = seated(tournament, 2)[5]
    lock_table(tournament, 2, min(held), seen=revision(tournament, 2))
    others = {number: pair for number, pair in seated(tournament, 2).items() if number != 5}
    for _ in range(3):
        draft_next_round(tournament, again=2)
        assert seated(tournament, 2)[5] == held
    assert {n: p for n, p in seated(tournament, 2).items() if n != 5} != others
    assert [set(pair) for pair in tournament.rounds.get(number=2).pairing["locked"]] == [held]
    with pytest.raises(WrongState, match="Table 5 is locked"):
        plan_swap(open_draft(tournament, 2), min(held), min(seated(tournament, 2)[1]))
    lock_table(tournament, 2, min(held), seen=revision(tournament, 2))
    assert "locked" not in tournament.rounds.get(number=2).pairing
    assert plan_swap(open_draft(tournament, 2), min(held), min(seated(tournament, 2)[1])).cost


def test_a_first_move_set_by_hand_is_an_exception_with_its_reason():
    tournament = drafted(8, 1, ruleset="twixt")
    match = tournament.rounds.get(number=2).matches.get(table=2)
    second = match.seats.exclude(side=match.first).get().entry.code
    set_first_move(tournament, 2, second, seen=revision(tournament, 2), reason="agreed")
    assert tournament.rounds.get(number=2).matches.get(table=2).first != match.first
    with pytest.raises(WrongState, match="already moves first"):
        set_first_move(tournament, 2, second, seen=revision(tournament, 2), reason="agreed")


@pytest.mark.parametrize("ruleset", ["mtr", "twixt"])
def test_every_round_of_a_dump_is_drawn_again_to_its_stored_digest_whoever_registers_later(tmp_path, ruleset):
    tournament = factories.TournamentFactory(entries=9, rounds=3, ruleset=ruleset)
    drop_entry(tournament, "P0004")
    factories.RoundFactory(tournament=tournament)
    add_entries(tournament, [f"Late {n}" for n in range(6)], reason="the train was late")
    for number in (1, 2, 3, 4):
        document, _code = drawn_again(tmp_path, tournament, number)
        assert document["digest"] == tournament.rounds.get(number=number).pairing["digest"]
        assert document["asked_the_same"] and document["seated_the_same"]


def test_a_round_of_another_engine_is_not_called_another_question(tmp_path):
    tournament = factories.TournamentFactory(entries=8, rounds=1)
    round_ = tournament.rounds.get(number=1)
    round_.pairing = {**round_.pairing, "engine": "swiss 1"}
    round_.save()
    document, code = drawn_again(tmp_path, tournament, 1)
    assert document["asked_the_same"] is None and code == 1
    assert "by engine swiss 1" in comparison_lines(pair_again(load_event_values(tournament), 1))[0]


def test_hand_edits_and_locked_tables_show_in_the_round_drawn_again(tmp_path):
    tournament = drafted(12)
    lock_table(tournament, 2, min(seated(tournament, 2)[3]), seen=revision(tournament, 2))
    draft_next_round(tournament, again=2)
    publish_round(tournament, 2)
    document, _code = drawn_again(tmp_path, tournament, 2)
    assert document["asked_the_same"] and document["seated_the_same"]
    tournament = drafted(8)
    swap_players(tournament, 2, *one_of_each(tournament, 2), seen=revision(tournament, 2), reason="asked for")
    publish_round(tournament, 2)
    document, _code = drawn_again(tmp_path, tournament, 2)
    assert document["asked_the_same"] and not document["seated_the_same"] and document["edits"] == 1
