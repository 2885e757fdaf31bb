"""A draft changed by hand: weighed before, checked while saved, visible ever after."""

import io
import json

import pytest
from django.core.management import call_command

from pairings.audit.pairing_report import comparison_lines, pair_again
from pairings.draft.edits import enter_coin_toss, lock_table, set_first_move, swap_players
from pairings.draft.services import draft_next_round
from pairings.draft.swaps import preview_swap
from pairings.engine import cost_of
from pairings.question.request import request_of
from tests import factories
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.archive.load import dump_event
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.read import event_of
from tournament.models import Action
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.prohibited_pairs import prohibit_pair
from tournament.services.rounds import publish_round

pytestmark = pytest.mark.django_db


def tables(tournament, number=1):
    """{table: {a, b}} of a round; the bye stands under None."""
    results: dict = {}
    for seat in tournament.rounds.get(number=number).seats.select_related("match", "entry"):
        results.setdefault(seat.match.table, set()).add(seat.entry.code)
    return results


def revision(tournament, number=1):
    return tournament.rounds.get(number=number).revision


def drafted(players=8, rounds=1, **fields):
    tournament = (
        factories.TournamentFactory(entries=players, rounds=rounds, **fields)
        if rounds
        else factories.TournamentFactory(entries=players, **fields)
    )
    draft_next_round(tournament)
    return tournament


def one_of_each(tournament, number, first=1, second=2):
    """A player of one table and one of another."""
    seats = tables(tournament, number)
    return min(seats[first]), min(seats[second])


def score_cost(tournament, number):
    event = event_of(tournament)
    round_ = event.rounds[number - 1]
    request = request_of(event, round_)
    return cost_of(request.entrants, request.seating_of(round_), request.policy)["score_difference"]


def test_what_a_swap_costs_is_said_before_and_is_what_it_then_costs():
    tournament = drafted(16, 2)
    a, b = one_of_each(tournament, 3, 1, 8)
    before = score_cost(tournament, 3)
    planned = preview_swap(tournament, 3, a, b)
    assert tables(tournament, 3)[1] >= {a}, "looking changes nothing"
    swap_players(tournament, 3, a, b, seen=planned.seen, reason="brother and sister")
    more = next(c.after - c.before for c in planned.changes if c.criterion == "score_difference")
    assert score_cost(tournament, 3) - before == more > 0
    assert f"{more} points of squared score difference" in planned.cost
    assert a in tables(tournament, 3)[8] and b in tables(tournament, 3)[1]
    assert integrity.check(tournament) == []


def test_an_edit_is_one_action_that_undo_takes_back_with_its_trace():
    tournament = drafted(8)
    before, about = tables(tournament, 2), tournament.rounds.get(number=2).pairing
    a, b = one_of_each(tournament, 2)
    count = Action.objects.filter(tournament=tournament).count()
    swap_players(tournament, 2, a, b, seen=revision(tournament, 2), reason="asked for", key="k")
    assert Action.objects.filter(tournament=tournament).count() == count + 1
    edit = tournament.rounds.get(number=2).pairing["edits"][0]
    assert (edit["kind"], edit["players"], edit["tables"]) == ("swap", [a, b], [1, 2])
    undo_last(tournament)
    assert tables(tournament, 2) == before
    assert tournament.rounds.get(number=2).pairing == about


def test_one_form_sent_twice_swaps_once():
    tournament = drafted(8)
    a, b = one_of_each(tournament, 2)
    seen = revision(tournament, 2)
    first = swap_players(tournament, 2, a, b, seen=seen, reason="once", key="same")
    after = tables(tournament, 2)
    assert swap_players(tournament, 2, a, b, seen=seen, reason="once", key="same") == first
    assert tables(tournament, 2) == after


def test_a_draft_that_somebody_else_changed_is_left_alone():
    tournament = drafted(12)
    a, b = one_of_each(tournament, 2)
    seen = revision(tournament, 2)
    swap_players(tournament, 2, *one_of_each(tournament, 2, 3, 4), seen=seen, reason="first")
    after = tables(tournament, 2)
    with pytest.raises(Conflict, match="Someone changed these draft pairings"):
        swap_players(tournament, 2, a, b, seen=seen, reason="second")
    assert tables(tournament, 2) == after


def test_a_swap_needs_a_reason():
    tournament = drafted(8)
    a, b = one_of_each(tournament, 2)
    with pytest.raises(Refused, match="Enter a reason"):
        swap_players(tournament, 2, a, b, seen=revision(tournament, 2), reason="  ")


def test_a_rematch_is_waived_with_its_reason_and_named_before():
    tournament = drafted(8)
    met = {frozenset(pair) for pair in tables(tournament, 1).values()}
    a, x = sorted(tables(tournament, 2)[1])
    old = next(iter(next(pair for pair in met if a in pair) - {a}))
    planned = preview_swap(tournament, 2, x, old)
    assert " rematch" in planned.cost and planned.waivers
    swap_players(tournament, 2, x, old, seen=planned.seen, reason="they insist")
    match = tournament.rounds.get(number=2).matches.get(table=1)
    assert (match.waived_rule, match.waived_reason) == ("repeat", "they insist")
    publish_round(tournament, 2)
    assert integrity.check(tournament) == []


def test_the_bye_goes_to_another_player_and_a_second_one_needs_its_waiver():
    tournament = drafted(7)
    first_bye = next(iter(tables(tournament, 1)[None]))
    bye = next(iter(tables(tournament, 2)[None]))
    planned = preview_swap(tournament, 2, bye, first_bye)
    assert "second bye" in planned.cost and any("already had a bye" in text for text in planned.waivers)
    swap_players(tournament, 2, bye, first_bye, seen=planned.seen, reason="is ill")
    assert tables(tournament, 2)[None] == {first_bye}
    publish_round(tournament, 2)
    assert integrity.check(tournament) == []


def test_two_who_must_never_meet_are_not_put_together():
    tournament = drafted(8)
    a, x = sorted(tables(tournament, 2)[1])
    b = min(tables(tournament, 2)[2])
    prohibit_pair(tournament, a, b)
    planned = preview_swap(tournament, 2, x, b)
    assert planned.refusals and "are on the do-not-pair list" in planned.refusals[0]
    with pytest.raises(WrongState, match="are on the do-not-pair list"):
        swap_players(tournament, 2, x, b, seen=revision(tournament, 2), reason="all the same")


def test_who_meet_each_other_cannot_be_swapped():
    tournament = drafted(8)
    with pytest.raises(Refused, match="nothing to swap"):
        preview_swap(tournament, 2, *sorted(tables(tournament, 2)[1]))


def test_a_locked_table_keeps_its_place_when_the_rest_is_paired_again():
    tournament = drafted(16)
    held = tables(tournament, 2)[5]
    lock_table(tournament, 2, min(held), seen=revision(tournament, 2))
    others = {number: pair for number, pair in tables(tournament, 2).items() if number != 5}
    for _ in range(3):
        draft_next_round(tournament, again=2)
        assert tables(tournament, 2)[5] == held
    assert {n: p for n, p in tables(tournament, 2).items() if n != 5} != others
    assert [set(pair) for pair in tournament.rounds.get(number=2).pairing["locked"]] == [held]
    with pytest.raises(WrongState, match="Table 5 is locked"):
        preview_swap(tournament, 2, min(held), min(tables(tournament, 2)[1]))
    lock_table(tournament, 2, min(held), seen=revision(tournament, 2))
    assert "locked" not in tournament.rounds.get(number=2).pairing
    assert preview_swap(tournament, 2, min(held), min(tables(tournament, 2)[1])).cost


def test_a_lock_goes_with_the_player_who_left():
    tournament = drafted(9)
    held = tables(tournament, 2)[2]
    lock_table(tournament, 2, min(held), seen=revision(tournament, 2))
    drop_entry(tournament, min(held))
    draft_next_round(tournament, again=2)
    assert "locked" not in tournament.rounds.get(number=2).pairing


def test_a_locked_bye_stays():
    tournament = drafted(9)
    bye = next(iter(tables(tournament, 2)[None]))
    lock_table(tournament, 2, bye, seen=revision(tournament, 2))
    for _ in range(4):
        draft_next_round(tournament, again=2)
        assert tables(tournament, 2)[None] == {bye}


def test_the_directors_coin_sets_table_one_and_the_others_alternate():
    tournament = drafted(8, 0, ruleset="twixt")
    for side in "ab":
        enter_coin_toss(tournament, 1, side, seen=revision(tournament))
        firsts = tournament.rounds.get().matches.order_by("table").values_list("first", flat=True)
        assert list(firsts) == ([side, "b" if side == "a" else "a"] * 2)
    assert integrity.check(tournament) == []


def test_no_coin_after_the_first_round_or_without_sides():
    for tournament, number in ((drafted(8, 1, ruleset="twixt"), 2), (drafted(8, 0), 1)):
        with pytest.raises(WrongState, match="coin"):
            enter_coin_toss(tournament, number, "a", seen=revision(tournament, number))


def test_a_first_move_set_by_hand_is_an_exception_with_its_reason():
    tournament = drafted(8, 1, ruleset="twixt")
    match = tournament.rounds.get(number=2).matches.get(table=2)
    second = match.seats.exclude(side=match.first).get().entry.code
    set_first_move(tournament, 2, second, seen=revision(tournament, 2), reason="agreed")
    assert tournament.rounds.get(number=2).matches.get(table=2).first != match.first
    with pytest.raises(WrongState, match="already moves first"):
        set_first_move(tournament, 2, second, seen=revision(tournament, 2), reason="agreed")


def test_a_published_round_is_not_edited_as_a_draft():
    tournament = factories.TournamentFactory(entries=8, rounds=0)
    factories.RoundFactory(tournament=tournament)
    with pytest.raises(WrongState, match="Round 1 is already published"):
        preview_swap(tournament, 1, "P0001", "P0002")


def test_a_correction_while_the_draft_lies_there_shows_in_its_question():
    tournament = drafted(8)
    event = event_of(tournament)
    assert request_of(event, event.rounds[1]).digest == event.rounds[1].pairing.digest
    factories.correct(tournament, 1, 1)
    event = event_of(tournament)
    assert request_of(event, event.rounds[1]).digest != event.rounds[1].pairing.digest


# --- the same round drawn again from a file ---------------------------------------------------------------


def again(tmp_path, tournament, number, *arguments):
    file = tmp_path / "event.json"
    file.write_text(dump_event(tournament, with_seed=True), encoding="utf-8")
    out = io.StringIO()
    try:
        call_command("pair", str(file), "--round", str(number), "--json", *arguments, stdout=out)
    except SystemExit as ended:
        return json.loads(out.getvalue()), ended.code
    return json.loads(out.getvalue()), 0


@pytest.mark.parametrize("ruleset", ["mtr", "twixt"])
def test_every_round_of_a_dump_is_drawn_again_to_its_stored_digest(tmp_path, ruleset):
    tournament = factories.TournamentFactory(entries=9, rounds=3, ruleset=ruleset)
    drop_entry(tournament, "P0004")
    factories.RoundFactory(tournament=tournament)
    for number in (1, 2, 3, 4):
        document, _code = again(tmp_path, tournament, number)
        assert document["digest"] == tournament.rounds.get(number=number).pairing["digest"]
        assert document["asked_the_same"] and document["seated_the_same"]


def test_another_seed_is_another_question(tmp_path):
    tournament = factories.TournamentFactory(entries=8, rounds=1)
    document, _code = again(tmp_path, tournament, 1, "--seed", "ab")
    assert document["asked_the_same"] is False


def test_a_round_of_another_engine_is_not_called_another_question(tmp_path):
    tournament = factories.TournamentFactory(entries=8, rounds=1)
    round_ = tournament.rounds.get(number=1)
    round_.pairing = {**round_.pairing, "engine": "swiss 1"}
    round_.save()
    document, code = again(tmp_path, tournament, 1)
    assert document["asked_the_same"] is None and code == 1
    assert "by engine swiss 1" in comparison_lines(pair_again(event_of(tournament), 1))[0]


def test_a_hand_edit_shows_in_the_round_drawn_again(tmp_path):
    tournament = drafted(8)
    swap_players(tournament, 2, *one_of_each(tournament, 2), seen=revision(tournament, 2), reason="asked for")
    publish_round(tournament, 2)
    document, _code = again(tmp_path, tournament, 2)
    assert document["asked_the_same"] and not document["seated_the_same"] and document["edits"] == 1


def test_a_round_paired_around_locked_tables_is_drawn_again_around_them(tmp_path):
    tournament = drafted(12)
    lock_table(tournament, 2, min(tables(tournament, 2)[3]), seen=revision(tournament, 2))
    draft_next_round(tournament, again=2)
    publish_round(tournament, 2)
    document, _code = again(tmp_path, tournament, 2)
    assert document["asked_the_same"] and document["seated_the_same"]


def test_who_registers_later_changes_no_earlier_round_drawn_again(tmp_path):
    tournament = factories.TournamentFactory(entries=9, rounds=1)
    add_entries(tournament, [f"Late {n}" for n in range(6)])
    document, _code = again(tmp_path, tournament, 1)
    assert document["asked_the_same"] and document["seated_the_same"]
