"""The page that repairs a published round: what it offers, and what stays of a choice it refuses."""

import re

import pytest

from pairings.repair.page import repair_page
from tests import factories
from tests.pairings.repair.test_services import WON, do, option, second_round, tables
from tests.tournament.views.desk import match_of
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
UNTRUE = "Nothing needs to change"


def repair_text(client, tournament, **chosen):
    """The page as a browser gets it: (status, its text)."""
    client.force_login(tournament.owner)
    fields = {"chosen": "1", **chosen} if chosen else {}
    response = client.get(f"/t/{tournament.slug}/desk/rounds/2/repair/", fields)
    return response.status_code, " ".join(response.content.decode().split())


def reverse_result(tournament, number, table):
    """Correct a result to its opposite. Answers the action and the two names, the new winner first."""
    seats = {seat.side: seat for seat in match_of(tournament, table, number).seats.select_related("entry")}
    slip = Slip("played", seats["b"].games, seats["a"].games)
    action = correct_result(tournament, number, table, slip, reason="The slip was misread.")
    winner, loser = sorted(seats.values(), key=lambda seat: seat.games)
    return action, winner.entry.name, loser.entry.name


def ticked(page):
    """{name: whether its box is ticked}."""
    boxes = re.findall(r'<input type="checkbox"([^>]*)>\s*<label[^>]*>([^<]*)</label>', page)
    return {name.strip(): " checked" in attributes for attributes, name in boxes}


def late_and_gone():
    """(round 2 of 7 players with a finished table 1, who comes late, who dropped, who has played)."""
    tournament = second_round(7)
    record_result(tournament, 2, 1, WON)
    add_entries(tournament, ["Kim Late"], reason="train")
    leaver, played = min(tables(tournament, 2)[2]), min(tables(tournament, 2)[1])
    drop_entry(tournament, leaver)
    late = tournament.entries.get(name="Kim Late")
    return tournament, late, tournament.entries.get(code=leaver), tournament.entries.get(code=played)


def test_a_refused_choice_stays_as_it_was_made(client):
    tournament, late, leaver, played = late_and_gone()
    status, page = repair_text(client, tournament, into=late.code, out=leaver.code, missing=played.name)
    assert status == 409 and f"{played.name} already has a result at table 1, so that table stays." in page
    assert ticked(page) == {late.name: True, leaver.name: True}
    assert f'name="missing" value="{played.name}"' in page
    assert UNTRUE not in page and "Cost:" not in page


def test_a_name_that_is_nobodys_stays_with_everything_ticked(client):
    tournament, late, leaver, _played = late_and_gone()
    status, page = repair_text(client, tournament, into=late.code, out=leaver.code, missing="Zoe <x")
    assert status == 422 and "No player here matches “Zoe &lt;x”." in page
    assert ticked(page) == {late.name: True, leaver.name: True}
    assert 'name="missing" value="Zoe &lt;x"' in page and UNTRUE not in page
    _status, page = repair_text(client, tournament, out=leaver.code, missing="Zoe")
    assert ticked(page) == {late.name: False, leaver.name: True}


def test_a_choice_that_can_be_is_ticked_and_the_field_is_free_for_the_next(client):
    tournament, late, leaver, _played = late_and_gone()
    missing = tournament.entries.get(code=min(tables(tournament, 2)[3]))
    status, page = repair_text(client, tournament, into=late.code, out=leaver.code, missing=missing.name)
    assert status == 200 and 'name="missing"' in page and 'name="missing" value' not in page
    assert ticked(page) == {late.name: True, leaver.name: True, missing.name: True}


def test_who_was_just_taken_out_is_not_brought_back_unasked(client):
    tournament = second_round(8)
    missing = tournament.entries.get(code=min(tables(tournament, 2)[2]))
    do(tournament, repair_page(tournament, 2, (), (missing.code,)), "keep")
    status, page = repair_text(client, tournament)
    assert (status, ticked(page)) == (200, {missing.name: False})
    assert option(repair_page(tournament, 2), "leave").possible and "Impossible" not in page
    do(tournament, repair_page(tournament, 2, (missing.code,), ()), "keep")  # there after all
    assert any(missing.code in pair for pair in tables(tournament, 2).values())


def test_a_late_player_may_wait_for_the_next_round_and_what_that_means_is_said(client):
    tournament = second_round(16)
    add_entries(tournament, ["Kim Late"], reason="train")
    leave = option(repair_page(tournament, 2), "leave")
    assert leave.possible
    late = "Kim Late starts next round; this round counts as a loss."
    assert leave.cost == f"{late} For the others: as good as the best possible"
    factories.correct(tournament, 1, 1)
    assert "points of squared score difference" in option(repair_page(tournament, 2), "leave").cost
    _status, page = repair_text(client, tournament)
    assert late in page and "Impossible" not in page


def test_whoever_is_gone_cannot_be_left_where_they_sit(client):
    tournament, late, leaver, _played = late_and_gone()
    leave = option(repair_page(tournament, 2), "leave")
    assert not leave.possible
    assert leave.cost == f"Impossible: it seats players who are gone: {leaver.name}."
    _status, page = repair_text(client, tournament)
    assert "do nothing" not in page and late.name in page


def test_a_correction_that_makes_the_pairings_worse_says_by_how_much_and_offers_three_options(client):
    tournament = second_round(16)
    _action, winner, loser = reverse_result(tournament, 1, 1)
    _status, page = repair_text(client, tournament)
    assert "Table 1, round 1:" in page and "(was " in page and "The slip was misread." in page
    assert f"{winner}: was 0 points, now 3." in page and f"{loser}: was 3 points, now 0." in page
    assert UNTRUE not in page and "nothing needs to change" not in page
    for title in ("Keep the round as it is", "Change as few tables as possible", "Re-pair all open tables"):
        assert f">{title}</h2>" in page
    assert page.count('name="plan"') == 2 and "tables change:" in page
    leave = option(repair_page(tournament, 2), "leave")
    assert leave.cost == "1 more pair-down than needed (+12 points of squared score difference)"
    assert not leave.is_best and leave.cost in page


def test_a_correction_that_leaves_the_pairings_as_good_as_any_says_so(client):
    tournament = factories.TournamentFactory(entries=4, rounds=2, published=True)  # round 3: whoever is left
    _action, winner, _loser = reverse_result(tournament, 2, 1)
    client.force_login(tournament.owner)
    page = client.get(f"/t/{tournament.slug}/desk/rounds/3/repair/").content.decode()
    assert "The corrected points leave these pairings as good as any: nothing needs to change." in page
    assert f"{winner}: was " in page and "Cost:" not in page


def test_a_correction_that_was_undone_has_changed_nothing(client):
    tournament = second_round(16)
    action, _winner, _loser = reverse_result(tournament, 1, 1)
    undo_action(tournament, action.number)
    _status, page = repair_text(client, tournament)
    assert "No earlier result has changed since then." in page and "round 1:" not in page
    assert UNTRUE in page  # though other pairings of all open tables would be as good


def test_a_repaired_round_has_only_the_corrections_since(client):
    tournament = second_round(16)
    reverse_result(tournament, 1, 1)
    do(tournament, repair_page(tournament, 2), "keep")
    _status, page = repair_text(client, tournament)
    assert "No earlier result has changed since then." in page
    _action, winner, _loser = reverse_result(tournament, 1, 2)
    _status, page = repair_text(client, tournament)
    assert "Table 2, round 1:" in page and "Table 1, round 1:" not in page
    assert f"{winner}: was 0 points, now 3." in page


def test_a_correction_in_an_event_from_a_file_shows_whose_points_changed(client):
    tournament = factories.TournamentFactory(entries=8, rounds=1, published=True, recorded=True)
    _action, winner, _loser = reverse_result(tournament, 1, 1)
    _status, page = repair_text(client, tournament)
    assert f"{winner}: was " in page and "Table 1, round 1:" in page


def test_once_every_table_has_a_result_no_late_player_is_offered_the_bye(client):
    tournament = second_round(8)
    factories.enter_results(tournament, 2)
    add_entries(tournament, ["Kim Late"], reason="train")
    _status, page = repair_text(client, tournament)
    assert ticked(page) == {"Kim Late": False} and "Cost:" not in page and "registered" not in page
    assert "there is nothing left to re-pair. An absent player starts next round." in page
    late = tournament.entries.get(name="Kim Late")
    _status, page = repair_text(client, tournament, into=late.code)
    assert page.count("Kim Late gets the bye although every table has finished") == 2
    assert page.count("as good as the best possible") == 1  # to leave the round, for the others


def test_what_was_typed_stays_where_the_facts_have_moved(client):
    tournament, late, leaver, _played = late_and_gone()
    client.force_login(tournament.owner)
    sent = {"into": late.code, "out": leaver.code, "seen": 1, "plan": "0" * 32, "reason": "the late train"}
    response = client.post(f"/t/{tournament.slug}/desk/rounds/2/repair/", sent)
    page = " ".join(response.content.decode().split())
    assert response.status_code == 409 and "Nothing was saved." in page
    assert ticked(page) == {late.name: True, leaver.name: True} and 'value="the late train"' in page


def test_a_repair_that_someone_else_made_first_shows_what_there_is_now(client):
    tournament, *_players = late_and_gone()
    page = repair_page(tournament, 2)
    do(tournament, page, "keep")
    client.force_login(tournament.owner)
    sent = {"into": page.added, "out": page.removed, "seen": page.seen, "plan": option(page, "anew").plan}
    response = client.post(f"/t/{tournament.slug}/desk/rounds/2/repair/", {**sent, "reason": "never came"})
    text = " ".join(response.content.decode().split())
    assert response.status_code == 409
    assert "Something changed since you opened this page. Nothing was saved. Review the new options." in text
    assert UNTRUE in text and ticked(text) == {}
