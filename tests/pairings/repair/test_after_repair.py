from itertools import combinations

import pytest

from pairings.proof.page import explain_why_not
from pairings.repair.page import repair_page
from tests import factories
from tests.pages import page, words_in
from tests.pairings.drafting import drawn_again
from tests.pairings.repair.test_services import do, option, second_round, tables
from tournament.event.read import event_of
from tournament.results.slip import Slip
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db
WON = Slip("played", 2, 0)


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


def test_a_round_re_paired_before_anything_was_finished_is_the_best_of_all(client):
    tournament = second_round(7)
    add_entries(tournament, ["Late"], reason="train")
    do(tournament, repair_page(tournament, 2), "keep")
    shown = proof(client, tournament)
    assert "proven optimal" in shown and "finished table" not in shown


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
    assert document["attempt"] == 3 and event_of(tournament).rounds[1].pairing.digest == document["digest"]


def test_finished_tables_are_not_called_locked_where_a_round_is_repaired(client):
    tournament = second_round(16)
    for table in (1, 2):
        record_result(tournament, 2, table, WON)
    factories.correct(tournament, 1, 1)
    assert "With 2 finished tables kept:" in option(repair_page(tournament, 2), "anew").certificate
    client.force_login(tournament.owner)
    shown = page(client, f"/t/{tournament.slug}/desk/rounds/2/repair/")
    assert "finished tables" in shown and "locked table" not in shown


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
