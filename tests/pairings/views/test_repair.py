from pairings.repair.page import repair_page
from tests import factories
from tests.pages import Page, words_in
from tests.pairings.repair.test_services import WON, do, option, second_round, tables
from tests.tournament.views.desk import match_of
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries
from tournament.services.results import record_result
from tournament.services.undo import undo_action

UNTRUE = "Nothing needs to change"
KEEP = "Change these tables"


def address(tournament, number=2):
    return f"/t/{tournament.slug}/desk/rounds/{number}/repair/"


def shown_to(client, tournament, number=2, **chosen):
    client.force_login(tournament.owner)
    return Page(client.get(address(tournament, number), {"chosen": "1", **chosen} if chosen else {}))


def reverse_result(tournament, number, table):
    """Correct a result to its opposite. Answers the action and the two names, the new winner first."""
    seats = {seat.side: seat for seat in match_of(tournament, table, number).seats.select_related("entry")}
    slip = Slip("played", seats["b"].games, seats["a"].games)
    action = correct_result(tournament, number, table, slip, reason="The slip was misread.")
    winner, loser = sorted(seats.values(), key=lambda seat: seat.games)
    return action, winner.entry.name, loser.entry.name


def opened(shown):
    return [fold["id"] for fold in shown.soup.select("details[name=option][open]")]


def ticked(shown, form="form[method=get]"):
    """{name: whether its box is ticked} of the choice of players, or of another form."""
    boxes = shown.soup.select(f"{form} input[type=checkbox]")
    return {words_in(box.find_parent("label")): box.has_attr("checked") for box in boxes}


def late_and_gone():
    """(round 2 of 7 players with a finished table 1, who comes late, who dropped, who has played)."""
    tournament = second_round(7)
    record_result(tournament, 2, 1, WON)
    add_entries(tournament, ["Kim Late"], reason="train")
    leaver, played = min(tables(tournament, 2)[2]), min(tables(tournament, 2)[1])
    drop_entry(tournament, leaver)
    late = tournament.entries.get(name="Kim Late")
    return tournament, late, tournament.entries.get(code=leaver), tournament.entries.get(code=played)


def test_a_refused_choice_stays_and_what_was_typed_where_the_facts_have_moved(client):
    tournament, late, leaver, played = late_and_gone()
    for missing, status, words in (
        (played.name, 409, f"{played.name} already has a result at table 1, so that table stays."),
        ("Zoe <x", 422, "No player here matches “Zoe <x”."),
    ):
        shown = shown_to(client, tournament, into=late.code, out=leaver.code, missing=missing)
        assert shown.status == status and words in shown
        assert ticked(shown) == {late.name: True, f"{leaver.name} (dropped)": True}
        assert shown.one('input[name="missing"]')["value"] == missing
        assert UNTRUE not in shown and "Cost:" not in shown
    shown = shown_to(client, tournament, out=leaver.code, missing="Zoe")
    assert ticked(shown) == {late.name: False, f"{leaver.name} (dropped)": True}
    tournament, late, leaver, _played = late_and_gone()
    form = shown_to(client, tournament).form(KEEP)
    stale = {**form.fields, "seen": 1, "plan": "0" * 32, "reason": "the late train"}
    shown = Page(client.post(address(tournament), stale))
    assert shown.status == 409 and shown.form(KEEP)["reason"] == "the late train"
    assert ticked(shown) == {late.name: True, f"{leaver.name} (dropped)": True}
    do(tournament, repair_page(tournament, 2), "keep")  # by someone else
    shown = Page(client.post(address(tournament), {**form.fields, "reason": "never came"}))
    assert shown.status == 409
    assert "Something changed since you opened this page. Nothing was saved. Review the new options." in shown
    assert UNTRUE in shown and ticked(shown) == {}


def test_a_choice_that_can_be_is_ticked_and_done_with_its_drops(client):
    tournament, late, leaver, _played = late_and_gone()
    leave = option(repair_page(tournament, 2), "leave")
    assert not leave.possible
    assert leave.cost == f"Impossible: it seats players who are gone: {leaver.name}."
    missing = tournament.entries.get(code=min(tables(tournament, 2)[3]))
    shown = shown_to(client, tournament, into=late.code, out=leaver.code, missing=missing.name)
    assert shown.status == 200 and not shown.one('input[name="missing"]').get("value")
    assert ticked(shown) == {late.name: True, f"{leaver.name} (dropped)": True, missing.name: True}
    last, keep = f"{late.name}, after this round", "#option-keep"
    assert ticked(shown, keep) == {missing.name: False, last: False}
    sent = {**shown.form(KEEP).fields, "drop": missing.code}
    refused = Page(client.post(address(tournament), {**sent, "reason": ""}))
    assert refused.status == 400 and ticked(refused, keep) == {missing.name: True, last: False}
    assert client.post(address(tournament), {**sent, "reason": "never came"}).status_code == 303
    assert tournament.entries.filter(status="dropped").count() == 2
    assert f"{missing.name} dropped" in Page(client.get(f"/t/{tournament.slug}/desk/log/"))


def test_who_was_taken_out_is_not_brought_back_unasked_nor_offered_a_bye_once_every_table_has_a_result(
    client,
):
    tournament = second_round(8)
    missing = tournament.entries.get(code=min(tables(tournament, 2)[2]))
    do(tournament, repair_page(tournament, 2, (), (missing.code,)), "keep")
    shown = shown_to(client, tournament)
    assert (shown.status, ticked(shown)) == (200, {missing.name: False})
    assert option(repair_page(tournament, 2), "leave").possible and "Impossible" not in shown
    do(tournament, repair_page(tournament, 2, (missing.code,), ()), "keep")  # there after all
    assert any(missing.code in pair for pair in tables(tournament, 2).values())
    factories.enter_results(tournament, 2)
    add_entries(tournament, ["Kim Late"], reason="train")
    shown = shown_to(client, tournament)
    assert ticked(shown) == {"Kim Late": False} and "Cost:" not in shown
    assert "there is nothing left to re-pair. An absent player starts next round." in shown
    shown = shown_to(client, tournament, into=tournament.entries.get(name="Kim Late").code)
    assert shown.words.count("Kim Late gets the bye although every table has finished") == 2
    assert shown.words.count("no better pairing exists") == 1  # to leave the round, for the others


def test_a_late_player_may_wait_for_the_next_round_and_what_that_means_is_said(client):
    tournament = second_round(16)
    add_entries(tournament, ["Kim Late"], reason="train")
    leave = option(repair_page(tournament, 2), "leave")
    late = "Kim Late starts next round; this round counts as a loss."
    assert leave.possible and leave.cost == f"{late} For the others: no better pairing exists"
    factories.correct(tournament, 1, 1)
    assert "points of squared score difference" in option(repair_page(tournament, 2), "leave").cost
    shown = shown_to(client, tournament)
    assert late in shown and "Impossible" not in shown


def test_a_correction_that_makes_the_pairings_worse_says_by_how_much_and_offers_three_options(client):
    tournament = second_round(16)
    _action, winner, loser = reverse_result(tournament, 1, 1)
    shown = shown_to(client, tournament)
    assert "Table 1, round 1:" in shown and "(was " in shown and "The slip was misread." in shown
    assert f"{winner}: was 0 points, now 3." in shown and f"{loser}: was 3 points, now 0." in shown
    assert UNTRUE not in shown and "nothing needs to change" not in shown
    options = ["Keep the round as it is", "Change as few tables as possible", "Re-pair all open tables"]
    assert shown.all(".fold > summary > span:first-child") == options and "tables change" in shown
    anew = shown.form("Re-pair these tables").fields
    assert shown.form(KEEP)["plan"] != anew["plan"] and opened(shown) == ["option-keep"]
    assert opened(Page(client.post(address(tournament), {**anew, "reason": ""}))) == ["option-anew"]
    leave = option(repair_page(tournament, 2), "leave")
    assert leave.cost == "1 more pair-down than needed (+12 points of squared score difference)"
    assert not leave.is_best and leave.cost in shown


def test_a_correction_says_whose_points_changed_though_nothing_needs_to_change(client):
    tournament = factories.TournamentFactory(entries=4, rounds=2, published=True)  # round 3: whoever is left
    _action, winner, _loser = reverse_result(tournament, 2, 1)
    shown = shown_to(client, tournament, 3)
    assert "The corrected points leave these pairings as good as any: nothing needs to change." in shown
    assert f"{winner}: was " in shown and "Cost:" not in shown
    tournament = factories.TournamentFactory(entries=8, rounds=1, published=True, recorded=True)
    _action, winner, _loser = reverse_result(tournament, 1, 1)
    shown = shown_to(client, tournament)
    assert f"{winner}: was " in shown and "Table 1, round 1:" in shown


def test_only_corrections_that_stand_and_are_newer_than_the_pairings_are_named(client):
    tournament = second_round(16)
    action, _winner, _loser = reverse_result(tournament, 1, 1)
    undo_action(tournament, action.number)
    shown = shown_to(client, tournament)
    assert "No earlier result has changed since then." in shown and "round 1:" not in shown
    assert UNTRUE in shown  # though other pairings of all open tables would be as good
    reverse_result(tournament, 1, 1)
    do(tournament, repair_page(tournament, 2), "keep")
    assert "No earlier result has changed since then." in shown_to(client, tournament)
    _action, winner, _loser = reverse_result(tournament, 1, 2)
    shown = shown_to(client, tournament)
    assert "Table 2, round 1:" in shown and "Table 1, round 1:" not in shown
    assert f"{winner}: was 0 points, now 3." in shown
