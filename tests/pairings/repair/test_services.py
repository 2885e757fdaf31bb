"""A published round repaired: players late, missing or reinstated, other points; three options, one action."""

import random

import pytest

from pairings.draft.services import add_house_opponent
from pairings.question.request import PairingRequest
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from tests import factories
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.errors import Conflict, Refused, WrongState
from tournament.models import Tournament
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import add_entries
from tournament.services.results import record_result
from tournament.services.rounds import extend_table

pytestmark = pytest.mark.django_db
WON = Slip("played", 2, 0)


def tables(tournament, number):
    """{table: {a, b}} of a round; those without a table by their code."""
    seats: dict = {}
    for seat in tournament.rounds.get(number=number).seats.select_related("match", "entry"):
        key = seat.match.table or f"{seat.match.result} {seat.entry.code}"
        seats.setdefault(key, set()).add(seat.entry.code)
    return seats


def option(page, name):
    return next(choice for choice in page.options if choice.name == name)


def do(tournament, page, name, reason="announced", **more):
    return apply_repair(
        tournament,
        page.open.round.number,
        plan=option(page, name).plan,
        added=page.added,
        removed=page.removed,
        seen=page.seen,
        reason=reason,
        **more,
    )


def second_round(players=8, **fields):
    """An event in its second round, always with the same pairings."""
    tournament = factories.TournamentFactory(entries=players, **fields)
    Tournament.objects.filter(pk=tournament.pk).update(seed="1" * 32)
    tournament.refresh_from_db()
    factories.RoundFactory(tournament=tournament, results=random.Random(1))
    factories.RoundFactory(tournament=tournament)
    return tournament


def pairs(tournament, number):
    return {frozenset(pair) for key, pair in tables(tournament, number).items() if isinstance(key, int)}


def test_nothing_happened_and_all_options_say_so():
    page = repair_page(second_round(), 2)
    assert page.added == page.removed == () and not page.corrected
    assert option(page, "leave").possible and option(page, "leave").cost == "as good as the best possible"
    assert option(page, "keep").table_changes == ()


def test_the_points_of_a_field_are_worked_out_a_few_times_and_not_for_each_seat(monkeypatch):
    tournament = second_round(24)
    read = []
    points = PairingRequest.points
    monkeypatch.setattr(
        PairingRequest, "points", property(lambda request: read.append(1) or points.fget(request))
    )
    seat = tournament.rounds.get(number=2).seats.select_related("entry").first()
    page = repair_page(tournament, 2, (), [seat.entry.code])
    assert option(page, "anew").table_changes and len(read) <= 6


def test_a_round_that_stands_best_is_said_to_be_so_once(client):
    tournament = second_round(4)  # two have won and two have lost: there is one best round
    client.force_login(tournament.owner)
    page = client.get(f"/t/{tournament.slug}/desk/rounds/2/repair/").content.decode()
    assert "Nothing needs to change" in page and "No table changes" not in page


def test_a_late_player_is_offered_the_one_who_has_the_bye():
    tournament = second_round(7)
    before = tables(tournament, 2)
    bye = next(next(iter(pair)) for key, pair in before.items() if str(key).startswith("bye"))
    add_entries(tournament, ["Late"], reason="train")
    page = repair_page(tournament, 2)
    assert page.added == ("P0008",)
    assert [(row.table, row.after) for row in option(page, "keep").table_changes if row.table] == [
        (4, f"{page.open.names[bye]} – Late")
    ] or [row.after for row in option(page, "keep").table_changes if row.table] == [
        f"Late – {page.open.names[bye]}"
    ]
    do(tournament, page, "keep")
    after = tables(tournament, 2)
    assert after[4] == {bye, "P0008"}
    assert {key: pair for key, pair in after.items() if key in (1, 2, 3)} == {
        key: pair for key, pair in before.items() if key in (1, 2, 3)
    }
    assert tournament.entries.get(code="P0008").joined_round == 2
    assert integrity.check(tournament) == []


def test_a_repair_is_undone_as_one_action():
    tournament = second_round(7)
    add_entries(tournament, ["Late"], reason="train")
    before, about = tables(tournament, 2), tournament.rounds.get(number=2).pairing
    do(tournament, repair_page(tournament, 2), "keep")
    assert tables(tournament, 2) != before
    undo_last(tournament)
    assert tables(tournament, 2) == before
    assert tournament.rounds.get(number=2).pairing == about
    assert tournament.entries.get(code="P0008").joined_round == 3
    assert integrity.check(tournament) == []


def test_a_player_who_dropped_and_never_came_leaves_the_bye_to_the_opponent():
    tournament = second_round(8)
    leaver = min(tables(tournament, 2)[3])
    drop_entry(tournament, leaver)
    page = repair_page(tournament, 2)
    assert page.removed == (leaver,)
    do(tournament, page, "keep")
    assert leaver not in {code for pair in tables(tournament, 2).values() for code in pair}
    assert tournament.entries.get(code=leaver).dropped_after == 1
    assert sum(str(key).startswith("bye") for key in tables(tournament, 2)) == 1
    assert integrity.check(tournament) == []


def test_somebody_missing_only_now_has_a_lost_round_and_plays_the_next():
    tournament = second_round(8)
    away = min(tables(tournament, 2)[2])
    page = repair_page(tournament, 2, (), (away,))
    do(tournament, page, "keep")
    assert tables(tournament, 2)[f"missed {away}"] == {away}
    assert integrity.check(tournament) == []
    factories.enter_results(tournament, 2)
    factories.RoundFactory(tournament=tournament)
    assert away in {code for pair in pairs(tournament, 3) for code in pair}


def test_a_drop_by_mistake_is_restored_into_the_round():
    tournament = factories.TournamentFactory(entries=8, rounds=1)
    drop_entry(tournament, "P0005")
    factories.RoundFactory(tournament=tournament)
    reinstate_entry(tournament, "P0005")
    page = repair_page(tournament, 2)
    assert page.added == ("P0005",)
    do(tournament, page, "keep")
    assert any("P0005" in pair for pair in pairs(tournament, 2))
    assert integrity.check(tournament) == []


def test_a_corrected_result_shows_its_points_and_what_leaving_it_costs():
    tournament = second_round(16)
    factories.correct(tournament, 1, 1)
    page = repair_page(tournament, 2)
    assert {points[1:] for points in page.corrected} == {("3", "0"), ("0", "3")}
    assert "points of squared score difference" in option(page, "leave").cost
    keep, anew = option(page, "keep"), option(page, "anew")
    assert keep.cost == "as good as the best possible" and 1 <= len(keep.table_changes) <= len(
        anew.table_changes
    )
    before = pairs(tournament, 2)
    do(tournament, page, "keep", reason="slip of table 1 misread")
    assert len(before - pairs(tournament, 2)) == len(keep.table_changes)
    assert repair_page(tournament, 2).options[0].cost == "as good as the best possible"
    record = tournament.rounds.get(number=2).pairing["repairs"][0]
    assert record["reason"] == "slip of table 1 misread" and record["option"] == "keep"


def test_finished_tables_stand_and_others_keep_table_and_first_move():
    tournament = second_round(16, ruleset="twixt")
    factories.correct(tournament, 1, 1)
    record_result(tournament, 2, 1, Slip("played", 1, 0))
    record_result(tournament, 2, 5, Slip("played", 1, 0))
    before = tables(tournament, 2)
    firsts = {m.table: m.first for m in tournament.rounds.get(number=2).matches.all()}
    page = repair_page(tournament, 2)
    assert len(page.open.finished) == 2
    do(tournament, page, "anew")
    after = tables(tournament, 2)
    assert after[1] == before[1] and after[5] == before[5] and after != before
    for match in tournament.rounds.get(number=2).matches.all():
        if after[match.table] == before[match.table]:
            assert match.first == firsts[match.table]
    assert integrity.check(tournament) == []


def test_new_tables_are_not_where_a_player_sat_before_where_that_can_be_helped():
    again = {}
    for vary in (True, False):
        tournament = second_round(16)
        Tournament.objects.filter(pk=tournament.pk).update(vary_tables=vary)
        tournament.refresh_from_db()
        factories.correct(tournament, 1, 1)
        record_result(tournament, 2, 8, WON)
        do(tournament, repair_page(tournament, 2), "anew")
        first, second = tables(tournament, 1), tables(tournament, 2)
        again[vary] = sum(len(first.get(table, set()) & players) for table, players in second.items())
        assert sorted(second) == list(range(1, 9))
    assert again == {True: 0, False: 2}


def test_a_result_that_comes_in_at_a_table_that_would_change_stops_the_repair():
    tournament = second_round(16)
    factories.correct(tournament, 1, 1)
    page = repair_page(tournament, 2)
    moved = next(row.table for row in option(page, "keep").table_changes)
    before = tables(tournament, 2)
    record_result(tournament, 2, moved, WON)
    with pytest.raises(WrongState, match=f"A result came in at table {moved}"):
        do(tournament, page, "keep")
    assert tables(tournament, 2) == before


def test_a_result_at_another_table_does_not_stop_it():
    tournament = second_round(16)
    factories.correct(tournament, 1, 1)
    page = repair_page(tournament, 2)
    moved = {row.table for row in option(page, "keep").table_changes}
    record_result(tournament, 2, min({1, 2, 3, 4, 5, 6, 7, 8} - moved), WON)
    do(tournament, page, "keep")
    assert integrity.check(tournament) == []


def test_other_facts_that_moved_stop_it():
    tournament = second_round(16)
    factories.correct(tournament, 1, 1)
    page = repair_page(tournament, 2)
    factories.correct(tournament, 1, 2)
    with pytest.raises(Conflict, match="Something changed since you opened this page"):
        do(tournament, page, "keep")


def test_players_taken_out_in_another_window_stop_it_with_the_same_words():
    tournament = second_round(8)
    drop_entry(tournament, "P0003")
    page = repair_page(tournament, 2)
    do(tournament, page, "anew")
    with pytest.raises(Conflict, match="Something changed since you opened this page"):
        do(tournament, page, "keep")


def test_a_second_press_that_meets_the_first_halfway_is_answered_as_the_first(monkeypatch):
    tournament = second_round(8)
    drop_entry(tournament, "P0003")
    page = repair_page(tournament, 2)
    presses = []

    def compute_after_the_other_press(*args, **kwargs):
        if not presses:
            presses.append(None)
            presses[0] = do(tournament, page, "keep", key="one press")
        return repair_page(*args, **kwargs)

    monkeypatch.setattr("pairings.repair.services.repair_page", compute_after_the_other_press)
    assert do(tournament, page, "keep", key="one press") == presses[0]


def test_who_has_played_is_not_taken_out():
    tournament = second_round(8)
    record_result(tournament, 2, 1, WON)
    with pytest.raises(WrongState, match="already has a result at table 1"):
        repair_page(tournament, 2, (), (min(tables(tournament, 2)[1]),))
    with pytest.raises(Refused, match="was not absent"):
        repair_page(tournament, 2, ("P0001",), ())


def test_extra_minutes_of_a_table_that_goes_do_not_stop_a_repair():
    tournament = second_round(8)
    leaver = min(tables(tournament, 2)[3])
    extend_table(tournament, 2, 3, 5)
    drop_entry(tournament, leaver)
    do(tournament, repair_page(tournament, 2), "keep")
    assert integrity.check(tournament) == []
    undo_last(tournament)
    assert tournament.rounds.get(number=2).matches.get(table=3).extension.minutes == 5


def test_the_house_steps_back_when_a_late_player_makes_the_number_even():
    tournament = factories.TournamentFactory(entries=7, ruleset="twixt")
    add_house_opponent(tournament, "Director")
    factories.RoundFactory(tournament=tournament, house="H01")
    add_entries(tournament, ["Late"], reason="train")
    do(tournament, repair_page(tournament, 1), "keep")
    seated = {code for pair in tables(tournament, 1).values() for code in pair}
    assert "H01" not in seated and "P0008" in seated
    assert integrity.check(tournament) == []


def test_one_repair_sent_twice_is_done_once():
    tournament = second_round(7)
    add_entries(tournament, ["Late"], reason="train")
    page = repair_page(tournament, 2)
    first = do(tournament, page, "keep", key="same")
    assert do(tournament, page, "keep", key="same") == first


def test_a_complete_round_is_not_repaired():
    tournament = factories.TournamentFactory(entries=8, rounds=1)
    from pairings.draft.services import draft_next_round

    draft_next_round(tournament)
    with pytest.raises(WrongState, match="not in progress"):
        repair_page(tournament, 1)
