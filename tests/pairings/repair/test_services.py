import random
from itertools import combinations

import pytest

from pairings.draft.services import add_house_opponent
from pairings.proof.page import explain_why_not
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from tests import factories
from tests.pages import page, words_in
from tests.pairings.drafting import drawn_again
from tests.steps import undo_last
from tournament.actionlog import integrity
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.read import load_event_values
from tournament.models import Tournament
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import add_entries
from tournament.services.results import extend_table, record_result

pytestmark = pytest.mark.django_db
WON = Slip("played", 2, 0)


def tables(tournament, number):
    """{table: {a, b}} of a round; those without a table by their result and code."""
    seats: dict = {}
    for seat in tournament.rounds.get(number=number).seats.select_related("match", "entry"):
        key = seat.match.table or f"{seat.match.result} {seat.entry.code}"
        seats.setdefault(key, set()).add(seat.entry.code)
    return seats


def pairs(tournament, number):
    return {frozenset(pair) for key, pair in tables(tournament, number).items() if isinstance(key, int)}


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


def test_somebody_missing_only_now_has_a_lost_round_and_who_was_not_absent_is_not_repaired():
    tournament = second_round(8)
    page = repair_page(tournament, 2)
    assert page.added == page.removed == () and not page.corrected
    assert option(page, "leave").possible and option(page, "leave").cost == "no better pairing exists"
    assert option(page, "keep").table_changes == ()
    with pytest.raises(Refused, match="was not absent"):
        repair_page(tournament, 2, ("P0001",), ())
    with pytest.raises(WrongState, match="not in progress"):
        repair_page(tournament, 1)
    away = min(tables(tournament, 2)[2])
    page = repair_page(tournament, 2, (), (away,))
    do(tournament, page, "keep")
    assert tables(tournament, 2)[f"missed {away}"] == {away}
    assert integrity.check(tournament) == []
    factories.enter_results(tournament, 2)
    factories.RoundFactory(tournament=tournament)
    assert away in {code for pair in pairs(tournament, 3) for code in pair}


def test_a_late_player_is_offered_the_one_who_has_the_bye(client):
    tournament = second_round(7)
    before, about = tables(tournament, 2), tournament.rounds.get(number=2).pairing
    (bye,) = next(pair for key, pair in before.items() if str(key).startswith("bye"))
    add_entries(tournament, ["Late"], reason="train")
    page = repair_page(tournament, 2)
    assert page.added == ("P0008",)
    (change,) = (row for row in option(page, "keep").table_changes if row.table)
    assert change.table == 4 and set(change.after.split(" – ")) == {page.open.names[bye], "Late"}
    before_repair = tables(tournament, 2)
    do(tournament, page, "keep")
    after = tables(tournament, 2)
    assert after[4] == {bye, "P0008"} and all(after[table] == before[table] for table in (1, 2, 3))
    assert tournament.entries.get(code="P0008").joined_round == 2
    assert integrity.check(tournament) == []
    shown = proof(client, tournament)
    assert "proven optimal" in shown and "finished table" not in shown, "the best of all"
    undo_last(tournament)
    assert tables(tournament, 2) == before_repair
    assert tournament.rounds.get(number=2).pairing == about
    assert tournament.entries.get(code="P0008").joined_round == 3
    assert integrity.check(tournament) == []


def test_a_player_who_dropped_and_never_came_leaves_the_bye_to_the_opponent():
    tournament = second_round(8)
    leaver = min(tables(tournament, 2)[3])
    extend_table(tournament, 2, 3, 5)
    drop_entry(tournament, leaver)
    page = repair_page(tournament, 2)
    assert page.removed == (leaver,)
    do(tournament, page, "keep")
    assert leaver not in {code for pair in tables(tournament, 2).values() for code in pair}
    assert tournament.entries.get(code=leaver).dropped_after == 1
    assert sum(str(key).startswith("bye") for key in tables(tournament, 2)) == 1
    assert integrity.check(tournament) == []
    undo_last(tournament)
    assert tournament.rounds.get(number=2).matches.get(table=3).extension.minutes == 5


def test_what_came_in_since_stops_a_repair_only_where_it_would_change_it():
    tournament = second_round(16)
    factories.correct(tournament, 1, 1)
    page, before = repair_page(tournament, 2), tables(tournament, 2)
    moved = [row.table for row in option(page, "keep").table_changes]
    record_result(tournament, 2, moved[0], WON)
    with pytest.raises(WrongState, match=f"A result came in at table {moved[0]}"):
        do(tournament, page, "keep")
    undo_last(tournament)
    factories.correct(tournament, 1, 2)
    with pytest.raises(Conflict, match="Something changed since you opened this page"):
        do(tournament, page, "keep")
    assert tables(tournament, 2) == before
    page = repair_page(tournament, 2)
    moved = {row.table for row in option(page, "keep").table_changes}
    record_result(tournament, 2, min({*range(1, 9)} - moved), WON)
    do(tournament, page, "keep")
    assert integrity.check(tournament) == []


@pytest.mark.parametrize("number", [1, 2])
def test_somebody_missing_may_drop_with_the_same_action(number):
    tournament = second_round(8) if number == 2 else factories.TournamentFactory(entries=8, published=True)
    away, other = (min(tables(tournament, number)[table]) for table in (2, 3))
    before = tables(tournament, number)
    do(
        tournament,
        repair_page(tournament, number, (), (away, other)),
        "keep",
        drops=[away, min(before[1]), "nobody"],
    )
    assert {f"missed {other}", f"missed {away}"} & {*tables(tournament, number)} == {f"missed {other}"}
    left, stays = (tournament.entries.get(code=code) for code in (away, other))
    assert (left.status, left.dropped_after, stays.status) == ("dropped", number - 1, "playing")
    assert tournament.entries.exclude(status="playing").count() == 1 and integrity.check(tournament) == []
    undo_last(tournament)
    assert tournament.entries.get(code=away).status == "playing"
    assert tables(tournament, number) == before and integrity.check(tournament) == []


def test_somebody_who_arrives_may_play_this_round_and_drop_after_it():
    tournament = second_round(8)
    add_entries(tournament, ["Kim Late", "Kit Late"], reason="train")
    late = [entry.code for entry in tournament.entries.filter(joined_round__gt=2)]
    do(tournament, repair_page(tournament, 2, late, ()), "keep", drops=late[:1])
    assert set(late) <= {code for pair in pairs(tournament, 2) for code in pair}
    assert [
        (entry.status, entry.joined_round, entry.dropped_after)
        for entry in tournament.entries.filter(code__in=late).order_by("code")
    ] == [("dropped", 2, 2), ("playing", 2, None)]
    assert integrity.check(tournament) == []
    undo_last(tournament)
    assert tournament.entries.filter(code__in=late, status="playing", joined_round=3).count() == 2
    assert integrity.check(tournament) == []


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
    assert keep.cost == "no better pairing exists" and 1 <= len(keep.table_changes) <= len(anew.table_changes)
    before = pairs(tournament, 2)
    do(tournament, page, "keep", reason="slip of table 1 misread")
    assert len(before - pairs(tournament, 2)) == len(keep.table_changes)
    assert repair_page(tournament, 2).options[0].cost == "no better pairing exists"
    record = tournament.rounds.get(number=2).pairing["repairs"][0]
    assert record["reason"] == "slip of table 1 misread" and record["option"] == "keep"


def test_finished_tables_stand_are_not_called_locked_and_others_keep_table_and_first_move(client):
    tournament = second_round(16, ruleset="twixt")
    factories.correct(tournament, 1, 1)
    record_result(tournament, 2, 1, Slip("played", 1, 0))
    record_result(tournament, 2, 5, Slip("played", 1, 0))
    before = tables(tournament, 2)
    firsts = {m.table: m.first for m in tournament.rounds.get(number=2).matches.all()}
    repair = repair_page(tournament, 2)
    assert len(repair.open.finished) == 2
    assert "With 2 finished tables kept:" in option(repair, "anew").certificate
    client.force_login(tournament.owner)
    shown = page(client, f"/t/{tournament.slug}/desk/rounds/2/repair/")
    assert "finished tables" in shown and "locked table" not in shown
    do(tournament, repair, "anew")
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


def test_the_house_steps_back_when_a_late_player_makes_the_number_even():
    tournament = factories.TournamentFactory(entries=7, ruleset="twixt")
    add_house_opponent(tournament, "Director")
    factories.RoundFactory(tournament=tournament, house="H01")
    add_entries(tournament, ["Late"], reason="train")
    do(tournament, repair_page(tournament, 1), "keep")
    seated = {code for pair in tables(tournament, 1).values() for code in pair}
    assert "H01" not in seated and "P0008" in seated
    assert integrity.check(tournament) == []


def corrected(players=8, name="anew", **fields):
    """Round 2 re-paired around its first table: a result of round 1 was corrected after that was finished."""
    tournament = second_round(players, **fields)
    record_result(tournament, 2, 1, WON)
    codes = tables(tournament, 2)[1]
    table = next(table for table, pair in tables(tournament, 1).items() if pair & codes)
    factories.correct(tournament, 1, table)
    do(tournament, repair_page(tournament, 2), name)
    return tournament


def proof(client, tournament):
    return page(client, f"/t/{tournament.slug}/rounds/2/proof/")


def test_everybody_reads_around_which_tables_a_re_paired_round_and_its_reasons_hold(client):
    tournament = corrected()
    round_, finished = tournament.rounds.get(number=2), tables(tournament, 2)[1]
    assert [set(pair) for pair in round_.pairing["repairs"][0]["stood"]] == [finished]
    reasons = {next(iter(tables(tournament, 2)[2])): "Rematch: no pairing of this round has fewer rematches."}
    reasons[next(iter(finished))] = "Paired up: plays someone who was paired down."
    round_.pairing = {**round_.pairing, "reasons": reasons}
    round_.save()
    shown = proof(client, tournament)
    assert "With 1 finished table kept: No rematches" in shown
    assert "apply to pairings that keep it" in shown and "locked table" not in shown
    assert "with the finished tables kept: Rematch: no pairing of this round has fewer rematches." in shown
    assert "when this table was paired: Paired up: plays someone who was paired down." in shown


@pytest.mark.parametrize("name", ["keep", "anew"])
def test_no_two_would_be_better_in_a_re_paired_round(name):
    tournament = corrected(name=name)
    stands = tables(tournament, 2)[1]
    for a, b in combinations([entry.code for entry in tournament.entries.all()], 2):
        reasons = " ".join(explain_why_not(tournament, 2, a, b))
        assert "would be better" not in reasons
        if len(stands & {a, b}) == 1:
            assert "was finished when the round was re-paired, so it was kept" in reasons


@pytest.mark.parametrize("ruleset", ["mtr", "twixt"])
@pytest.mark.parametrize("name", ["keep", "anew"])
def test_a_repair_after_a_correction_is_drawn_again_to_its_digest(tmp_path, client, name, ruleset):
    tournament = (
        corrected(16, name, ruleset=ruleset) if ruleset == "mtr" else second_round(16, ruleset=ruleset)
    )
    if ruleset != "mtr":
        factories.correct(tournament, 1, 1)
        do(tournament, repair_page(tournament, 2), name)
    document, code = drawn_again(tmp_path, tournament, 2)
    assert (document["asked_the_same"], document["seated_the_same"], code) == (True, True, 0)
    assert document["attempt"] == 2
    shown = proof(client, tournament)
    before = tournament.rounds.get(number=2).pairing["repairs"][0]["before"]
    assert "The command re-runs the last repair" in shown and before["digest"] in shown
    assert "no one picked it by hand" not in shown


def test_a_repair_with_somebody_late_and_somebody_gone_is_drawn_again_twice(tmp_path):
    tournament = second_round(9)
    add_entries(tournament, ["Late"], reason="train")
    do(tournament, repair_page(tournament, 2), "keep")
    record_result(tournament, 2, 2, WON)
    drop_entry(tournament, min(tables(tournament, 2)[3]))
    missing = min(tables(tournament, 2)[4])
    page = repair_page(tournament, 2)
    do(tournament, repair_page(tournament, 2, (), {*page.removed, missing}), "keep")
    document, code = drawn_again(tmp_path, tournament, 2)
    assert (document["asked_the_same"], document["seated_the_same"], code) == (True, True, 0)
    assert (
        document["attempt"] == 3
        and load_event_values(tournament).rounds[1].pairing.digest == document["digest"]
    )


def announced(client, tournament):
    """(table, before, after) of each row that is announced for the last repair."""
    number = tournament.actions.filter(kind="re-pair").last().number
    shown = page(client, f"/t/{tournament.slug}/desk/rounds/2/repaired/", action=number)
    rows = [tuple(map(words_in, row.select("td"))) for row in shown.soup.select("table.rows tbody tr")]
    assert rows
    return rows


def test_where_sides_count_a_new_table_says_who_moves_first(client):
    tournament = second_round(7, ruleset="twixt")
    client.force_login(tournament.owner)
    add_entries(tournament, ["Late One"], reason="train")
    page = repair_page(tournament, 2)
    (words,) = [row.after for row in option(page, "keep").table_changes if "Late One" in row.after]
    do(tournament, page, "keep")
    match = tournament.rounds.get(number=2).matches.get(seats__entry__name="Late One")
    first = match.seats.get(side=match.first).entry.name
    assert f"{first} (moves first)" in words
    rows = announced(client, tournament)
    assert (str(match.table), words) in [(table, after) for table, _before, after in rows]
    assert "no one" in [before for table, before, _after in rows if table == "4"]


def test_who_came_and_who_left_has_a_line_in_what_is_announced(client):
    tournament = second_round(9)
    client.force_login(tournament.owner)
    add_entries(tournament, ["Late A", "Late B"], reason="train")
    leaver, missing = min(tables(tournament, 2)[3]), min(tables(tournament, 2)[4])
    names = {entry.code: entry.name for entry in tournament.entries.all()}
    drop_entry(tournament, leaver)
    do(tournament, repair_page(tournament, 2, None, {leaver, missing}), "keep")
    rows = announced(client, tournament)
    assert all(before and after for _table, before, after in rows)
    alone = [(before, after) for table, before, after in rows if table == "–"]
    at = {
        row["entry__name"]: row["match__table"]
        for row in tournament.rounds.get(number=2).seats.values("entry__name", "match__table")
    }
    for late in ("Late A", "Late B"):
        assert (f"{late} – missed", f"{late}: table {at[late]}") in alone
    assert (f"{names[leaver]}: table 3", f"{names[leaver]}: no longer in this round") in alone
    assert (f"{names[missing]}: table 4", f"{names[missing]} – missed") in alone
