import pytest

from pairings.draft.services import draft_next_round
from pairings.repair.page import repair_page
from pairings.repair.services import apply_repair
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import RoundFactory, enter_results
from tests.pages import Page, page
from tests.pairings.correcting import RULING, look, save, save_twice, saving
from tests.tournament.views.desk import desk, key, signed_in
from tournament.actionlog import integrity
from tournament.results.slip import Slip
from tournament.services.corrections import add_missing_entry
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import add_entries
from tournament.services.events import finish_tournament
from tournament.services.self_service import send_message
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action


@pytest.fixture
def event(client):
    return signed_in(client, entries=9, rounds=2)


def player(event, code="P0003"):
    return desk(event, f"players/{code}/correct/")


def missing(event):
    return desk(event, "correct/missing-player/")


def bye(event, code, number=1):
    return desk(event, f"rounds/{number}/players/{code}/correct/")


def with_bye(event, number=1):
    return event.seats.get(round__number=number, kind="bye").entry.code


def leads_to(client, where, *addresses):
    links = {str(link["href"]) for link in page(client, where).soup.select("a[href]")}
    assert links >= set(addresses), where


def test_a_mistaken_drop_leads_on_to_the_repair_that_offers_the_player(client, event):
    drop_entry(event, "P0003")
    RoundFactory(tournament=event)
    shown, answer = save(client, player(event), joined=1, left="")
    assert "Player 03 reinstated; Player 03, round 3: missed" in shown
    assert answer["Location"] == desk(event, "rounds/3/repair/")
    assert page(client, answer["Location"]).one('[value="P0003"][name="into"][checked]'), "added by default"
    assert client.get(f"/t/{event.slug}/players/P0003/").status_code == 200
    event.refresh_from_db()
    undo_action(event, event.actions.last().number)
    entry = event.entries.get(code="P0003")
    assert (entry.status, entry.dropped_after) == ("dropped", 2)


def test_who_was_repaired_out_of_the_round_by_mistake_is_offered_again(client, event):
    RoundFactory(tournament=event)
    code = event.seats.filter(round__number=3, opponent__isnull=False).first().entry.code
    drop_entry(event, code)
    shown = repair_page(event, 3)
    option = next(option for option in shown.options if option.plan)
    plan = {"plan": option.plan, "added": shown.added, "removed": shown.removed, "seen": shown.seen}
    apply_repair(event, 3, **plan, reason="left")
    assert event.entries.get(code=code).dropped_after == 2
    assert repair_page(event, 3).added == ()
    save(client, player(event, code), joined=1, left="")
    assert repair_page(event, 3).added == (code,)


def test_a_drop_that_should_have_been_earlier_says_after_which_round(client, event):
    RoundFactory(tournament=event)
    code = with_bye(event, 3)
    drop_entry(event, code)
    shown, answer = save(client, player(event, code), joined=1, left=2)
    name = event.entries.get(code=code).name
    assert f"{name} counts as dropped after round 2; {name}, round 3: not in it (was bye)" in shown
    assert answer["Location"] == desk(event, "rounds/3/repair/"), "the round is still being played"
    assert integrity.check(event) == []


def test_a_late_entry_that_was_there_before(client, event):
    add_entries(event, ["Late Lee"], reason="the train was late")
    shown, answer = save(client, player(event, "P0010"), joined=2, left="")
    assert "Late Lee is in the event from round 2" in shown
    assert answer["Location"] == desk(event, "players/P0010/")
    assert event.entries.get(code="P0010").joined_round == 2
    shown, _answer = save(client, player(event, "P0010"), joined=1, left="")
    assert "Late Lee is in the event from the start" in shown


def test_a_disqualification_is_taken_back_also_after_the_end_and_by_a_double_press(client, event):
    assert "The disqualification is taken back" not in page(client, player(event))
    disqualify_entry(event, "P0003", "a reason")
    finish_tournament(event)
    assert "The disqualification is taken back" in page(client, player(event))
    count = event.actions.count()
    answers = save_twice(client, player(event), key=key(), joined=1, left="", lifted="on")
    assert answers == [(303, desk(event, "players/P0003/"))] * 2 and event.actions.count() == count + 1
    assert event.entries.get(code="P0003").status == "playing"


def test_a_session_chosen_by_a_double_press_is_answered_as_by_one(client, event):
    add_stage(event)
    add_entries(event, ["A", "B", "C"], stage=2)
    drop_entry(event, "P0010")
    RoundFactory(tournament=event, flight=2)
    drafted = event.actions.count()
    answers = save_twice(client, player(event, "P0010"), key=key(), joined=1, left="", stage=2)
    assert answers == [(303, desk(event, "rounds/3/repair/"))] * 2
    assert event.actions.count() == drafted + 1


def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(client, event):
    count, code = event.actions.count(), with_bye(event)
    met = event.seats.filter(opponent__isnull=False, round__number=1, match__table=1).first()
    first = f"met {met.opponent.name} in round 1, table 1. Correct who sat there first"
    for address, fields, status, words in (
        (player(event), {"joined": 1, "left": ""}, 200, "That is saved already"),
        (player(event, met.entry.code), {"joined": 2, "left": ""}, 409, first),
        (player(event), {"joined": 9, "left": ""}, 422, "Choose a round of this list."),
        (player(event), {"joined": 2, "left": 1}, 422, "A player cannot leave before joining."),
        (player(event), {"left": "x"}, 422, "Choose a round of this list."),
        (missing(event), {"name": " ", "joined": 1}, 422, "Enter a name."),
        (missing(event), {"name": "x" * 99, "joined": 1}, 422, "at most"),
        (bye(event, code), {"result": "missed", "save": "on"}, 422, "Say why it is corrected."),
        (
            bye(event, code),
            {"result": "missed", "save": "on", **RULING},
            409,
            "not what you were shown before",
        ),
    ):
        shown = look(client, address, **fields)
        assert (shown.status // 100, words in shown) == (status // 100, True), (address, fields)
    for address in (
        player(event, "P0099"),
        bye(event, "P0099"),
        bye(event, code, 7),
        bye(event, met.entry.code),
    ):
        assert client.get(address).status_code == 404
    assert event.actions.count() == count
    draft_next_round(event)
    for address, fields in (
        (player(event, code), {"joined": 1, "left": 1}),
        (bye(event, code), {"result": "missed"}),
        (missing(event), {"name": "Ann", "joined": 1}),
    ):
        shown = look(client, address, **fields)
        assert shown.status == 409 and "Round 3 has draft pairings" in shown


def test_a_bye_counts_as_another_one_and_log_and_round_say_so(client, event):
    code = with_bye(event)
    words = f"{event.entries.get(code=code).name}, round 1: half-point bye (was bye)"
    shown, answer = save(client, bye(event, code), result="half_bye")
    assert words in shown and words in page(client, desk(event, "log/"))
    assert answer["Location"] == desk(event, "rounds/1/")
    assert event.seats.get(round__number=1, entry__code=code).kind == "half_bye"
    assert "half-point bye, was bye" in page(client, f"/t/{event.slug}/rounds/1/")


def test_a_second_bye_is_saved_at_the_first_go_and_no_public_page_says_why(client, event):
    add_missing_entry(event, "Zed", 1, reason="Forgotten")
    code = event.entries.order_by("-code").first().code
    assert save(client, bye(event, code), result="bye")[1].status_code == 303
    client.logout()
    proof = page(client, f"/t/{event.slug}/rounds/1/proof/")
    assert "as it was played" in proof and RULING["reason"] not in proof


def test_a_missing_player_is_added_once_however_often_the_form_comes(client, event):
    make_cut(event, 2)
    record_bracket_result(event, 3, 1, Slip("played", 2, 0))
    finish_tournament(event)
    shown = look(client, missing(event), name="Ann Lee", joined=2, key="a" * 32)
    assert "Ann Lee registered; Ann Lee, rounds 1, 2: missed" in shown
    for _ in range(2):
        assert client.post(missing(event), saving(shown)).status_code == 303
    event.refresh_from_db()
    assert event.entries.filter(name="Ann Lee").count() == 1 and event.state == "finished"
    assert "Ann Lee" in page(client, f"/t/{event.slug}/standings/")


def test_a_missing_player_of_several_sessions_was_in_one_of_them(client, event):
    assert not page(client, missing(event)).all('[name="stage"]')
    add_stage(event)
    add_entries(event, ["A", "B"], stage=2)
    RoundFactory(tournament=event, flight=2)
    refused = look(client, missing(event), name="Ann", joined=1)
    assert refused.status == 422 and "Choose the session" in refused
    _shown, answer = save(client, missing(event), name="Ann", joined=1, stage=2)
    assert answer["Location"] == desk(event, "rounds/3/repair/"), "Ann can still play this round"
    assert dict(event.seats.filter(entry__name="Ann").values_list("round__number", "kind")) == {3: "missed"}


def test_before_round_1_nothing_needs_a_correction(client):
    event = signed_in(client, entries=8)
    assert client.get(missing(event))["Location"] == desk(event, "players/add/")
    assert not page(client, desk(event, "players/P0003/")).all(f'[href="{player(event)}"]')


def test_a_name_is_corrected_in_a_finished_event_and_public_pages_show_it_at_once(client, event):
    finish_tournament(event)
    pages = [f"/t/{event.slug}/standings/", f"/t/{event.slug}/rounds/1/", f"/t/{event.slug}/players/P0003/"]
    before = [client.get(page) for page in pages]
    leads_to(client, player(event), desk(event, "players/P0003/#name"))
    assert client.post(desk(event, "players/P0003/name/"), {"name": "Ada Ruiz"}).status_code == 303
    for address, old in zip(pages, before, strict=True):
        new = client.get(address, headers={"If-None-Match": old.headers.get("ETag", "")})
        assert new.status_code == 200 and "Ada R" in Page(new), address


def test_every_place_where_a_mistake_is_noticed_leads_to_its_correction(client, event):
    enter_results(event, RoundFactory(tournament=event).number)
    index, code = desk(event, "correct/"), with_bye(event)
    seat = event.seats.filter(round__number=1, match__table=1).first()
    send_message(event, seat.entry.code, "I won", number=1)
    send_message(event, code, "I was there", number=1)
    for part in ("rounds/2/", "log/"):
        leads_to(client, desk(event, part), index)
    leads_to(client, desk(event, "rounds/1/"), bye(event, code))
    leads_to(client, desk(event, "rounds/1/tables/1/correct/"), player(event, seat.entry.code))
    leads_to(client, desk(event, "flags/"), desk(event, "rounds/1/tables/1/correct/"), player(event, code))
    seats = event.seats.filter(entry__code=code).select_related("match", "round")
    parts = [(s.round.number, f"tables/{s.match.table}" if s.opponent else f"players/{code}") for s in seats]
    leads_to(client, player(event, code), *(desk(event, f"rounds/{n}/{at}/correct/") for n, at in parts))
    leads_to(client, desk(event, f"players/{code}/"), player(event, code))
    finish_tournament(event)
    leads_to(client, desk(event), index)


def test_the_index_finds_tables_and_players_and_asks_for_more_letters(client, event):
    index = desk(event, "correct/")
    assert client.get(index, {"round": 2, "table": 3}).url == desk(event, "rounds/2/tables/3/correct/")
    refused = Page(client.get(index, {"round": 2, "table": 33}))
    assert refused.status == 422 and "There is no table 33 in round 2." in refused
    assert client.get(index, {"round": "x", "table": ""}).status_code == 422
    for words in ("player 03", "p0003"):
        assert page(client, index, q=words).link("Player 03 P0003") == player(event)
    assert "No player of that name" in page(client, index, q="Zoe")
    assert page(client, index).link("Add a player who played and is missing") == missing(event)
    add_entries(event, [f"Ann {n}" for n in range(30)], reason="the train was late")
    shown = page(client, desk(event, "correct/"), q="ann")
    assert len(shown.all('#list a[href$="/correct/"]')) == 25 and "Type more letters" in shown
