import re

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result, record_repeat_game
from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page
from tests.pairings.correcting import RULING, SAVE, look, rank_changes, ranks, save, save_twice, saving
from tests.steps import confirmed
from tests.tournament.views.desk import HTMX, match_of, signed_in
from tournament.actionlog import integrity
from tournament.actionlog.change import hash_body
from tournament.errors import Conflict, WrongState
from tournament.models import Match, Staff
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.events import finish_tournament
from tournament.services.results import record_result
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action


@pytest.fixture
def event(client):
    return signed_in(client, entries=8, rounds=3)


def address(event, number=1, table=1):
    return f"/t/{event.slug}/desk/rounds/{number}/tables/{table}/correct/"


def turned(event, number=1, table=1):
    match = match_of(event, table, number)
    a, b = match.seats.order_by("side").values_list("games", flat=True)
    return {"version": match.version, "a": b if a != b else 2, "b": a if a != b else 0}


def look_at(client, event, number=1, table=1, **games):
    return look(client, address(event, number, table), **{**turned(event, number, table), **games})


def correct(client, event, number=1, table=1, **games):
    return save(client, address(event, number, table), **{**turned(event, number, table), **games})[1]


@pytest.mark.parametrize(("number", "table"), [(1, 1), (1, 4), (2, 3), (3, 2)])
def test_the_ranks_shown_before_are_the_ranks_afterwards(client, event, number, table):
    before, count = ranks(event), event.actions.count()
    shown = look_at(client, event, number, table)
    assert shown.status == 200 and ranks(event) == before, "looking changes nothing"
    assert correct(client, event, number, table).status_code == 303
    after, names = ranks(event), dict(event.entries.values_list("code", "name"))
    changed = [(names[c], str(before[c]), str(after[c])) for c in before if before[c] != after[c]]
    assert rank_changes(shown) == sorted(changed)
    action = event.actions.last()
    assert event.actions.count() == count + 1
    assert (action.kind, action.reason) == ("correction", f"{RULING['reason']} (ruled by Ana)")
    undo_action(event, action.number)
    assert ranks(event) == before and integrity.check(event) == []


def test_a_finished_event_is_corrected_undone_and_a_correction_sent_twice_is_done_once(client, event):
    finish_tournament(event)
    before = ranks(event)
    assert correct(client, event).status_code == 303
    event.refresh_from_db()
    assert event.state == "finished" and ranks(event) != before
    undo_action(event, event.actions.last().number)
    assert ranks(event) == before
    count = event.actions.count()
    answers = save_twice(client, address(event), key="a" * 32, **turned(event))
    assert [status for status, _to in answers] == [303, 303] and event.actions.count() == count + 1
    other = turned(event) | {"a": 1, "b": 1, "drawn": 1}
    refused = look(client, address(event), key="a" * 32, save="on", **other, **RULING)
    assert refused.status == 409 and "was already sent" in refused
    key = refused.one('form.correction input[name="key"]')["value"]
    assert save(client, address(event), key=key, **other)[1].status_code == 303


def test_a_round_that_is_being_played_is_repaired_after_a_correction(client, event):
    RoundFactory(tournament=event)
    seats = event.seats.filter(round__number=4).order_by("pk").values_list("entry__code", "match__table")
    before = list(seats)
    shown = look_at(client, event, 3)
    assert "Round 4 stays as it was paired" in shown and "you choose whether to repair round 4" in shown
    assert correct(client, event, 3)["Location"] == f"/t/{event.slug}/desk/rounds/4/repair/"
    assert list(seats.all()) == before
    enter_results(event, 4)
    assert "repair" not in look_at(client, event, 3, 2)
    assert "/repair/" not in correct(client, event, 3, 2)["Location"], "all its tables have finished"


def test_a_round_of_another_session_is_not_concerned(client):
    event = signed_in(client, entries=8, rounds=1)
    add_stage(event)
    for name in ("Ada", "Bo", "Cy", "Di"):
        client.post(f"/t/{event.slug}/desk/players/", {"names": name, "session": 2, "key": name})
    assert RoundFactory(tournament=event, flight=2).number == 2
    shown = look_at(client, event)
    assert "What changes" in shown and "Round 2 stays" not in shown and "repair round 2" not in shown
    assert "/repair/" not in correct(client, event)["Location"]


@pytest.mark.long
def test_after_the_cut_the_bracket_stays_and_the_page_says_who_would_be_in(client, event):
    make_cut(event, 4)
    seeds = event.entries.filter(stage_entries__seed__isnull=False).values_list("code", flat=True)
    before = list(seeds)
    pages = [look_at(client, event, number, table) for number in (1, 2, 3) for table in (1, 2, 3, 4)]
    assert all("The bracket stays as it was set." in shown for shown in pages)
    assert any("would be in it instead of" in shown for shown in pages)
    correct(client, event, 3)
    assert list(seeds.all()) == before and integrity.check(event) == []


def test_what_cannot_be_corrected_is_refused_in_one_line_and_nothing_is_written(client, event):
    count, now = event.actions.count(), turned(event)
    assert "That is saved already" in look_at(client, event, a=now["b"], b=now["a"])
    assert look_at(client, event, a=3, b=0).status == look_at(client, event, slip="clear").status == 422
    assert client.get(address(event, 1, 77)).status_code == client.get(address(event, 9)).status_code == 404
    shown = look_at(client, event)
    assert "Enter a reason" not in shown and shown.one('textarea[name="reason"][required]')
    for typed, status, words in (
        ({"reason": " ", "ruled_by": "Ana"}, 422, "Say why it is corrected."),
        ({"digest": "0" * 32, "shown": ""}, 409, "not what you were shown before"),
        ({"reason": "x" * 10_000}, 422, "What changes"),
        ({"reason": "Slip\x00"}, 422, "What changes"),
        ({"ruled_by": "x" * 500}, 422, "What changes"),
    ):
        refused = look(client, address(event), **saving(shown, **typed))
        assert (refused.status, words in refused) == (status, True), typed
        assert len(refused.all(".error")) == (status == 422)
    assert event.actions.count() == count
    assert client.post(address(event), saving(refused)).status_code == 303
    draft_next_round(event)
    refused = look_at(client, event, 3)
    assert refused.status == 409 and "Round 4 has draft pairings" in refused


def test_a_stale_page_shows_what_is_saved_now_and_only_what_was_shown_is_saved(client, event):
    stale = turned(event)
    correct(client, event, a=1, b=1)
    sent = saving(look(client, address(event), **turned(event) | {"a": stale["a"], "b": stale["b"]}))
    shown = look(client, address(event), **sent | {"version": stale["version"], "shown": ""})
    assert shown.status == 409 and "1–1" in shown and "while you were working" in shown
    assert int(shown.one('input[name="version"]')["value"]) == match_of(event).version

    def correct_it(**more):
        return correct_result(event, 1, 1, Slip("double_loss"), reason="both left", **more)

    count, shown = event.actions.count(), correct_it(preview=True)
    with pytest.raises(Conflict, match="no longer what you were shown"):
        correct_it(expects=hash_body([*shown.changes, {"fact": "rounds/1/tables/2"}]))
    assert event.actions.count() == count
    assert correct_it(expects=hash_body(shown.changes)).changes == shown.changes


def test_the_effect_is_worked_out_again_only_where_something_else_was_written(client, event, monkeypatch):
    RoundFactory(tournament=event)
    sent = saving(look_at(client, event))
    record_result(event, 4, 1, Slip("played", 2, 0))  # it changes no rank yet
    assert client.post(address(event), sent).status_code == 303
    sent = saving(look_at(client, event))
    correct_result(event, 1, 2, Slip("double_loss"), reason="both left")
    count = event.actions.count()
    for shown in (sent["shown"], "x:y"):
        assert client.post(address(event), {**sent, "shown": shown}).status_code == 409
    assert event.actions.count() == count
    sent = saving(look_at(client, event))
    monkeypatch.setattr("pairings.views.corrections.effect_of_correction", None)
    assert client.post(address(event), sent).status_code == 303


def test_the_tables_of_later_rounds_are_worked_out_apart_from_the_page(client, event, monkeypatch):
    def compare(table, htmx=True, **games):
        sent = {**turned(event, 1, table), **games, "other_tables": "on"}
        return Page(client.post(address(event, 1, table), sent, **(HTMX if htmx else {})))

    parts = [compare(table) for table in (1, 2, 3, 4)]
    differ = r"(\d) tables? of round \d would be paired differently: ([\d, ]+)"
    tables = re.findall(differ, " ".join(part.words for part in parts))
    assert tables and all(int(count) == len(named.split(",")) for count, named in tables)
    assert not any(part.all("h1") for part in parts)
    won = Match.objects.filter(round__tournament=event, round__number=1, winner="a")[0]
    lost = won.seats.get(side="b").games  # one more game or one fewer: the same points
    assert "every table of the later rounds would be paired the same" in compare(won.table, a=2, b=1 - lost)
    whole = compare(1, htmx=False)  # without JavaScript: the page, with the sentences in it
    assert (
        parts[0].words in whole and whole.form(SAVE)["digest"] == look_at(client, event).form(SAVE)["digest"]
    )
    monkeypatch.setattr("pairings.corrections.effect.find_other_tables", None)
    assert look_at(client, event).one('button[name="other_tables"]')["hx-trigger"] == "load"
    assert not look_at(client, event, 3).all('[name="other_tables"]')


@pytest.fixture
def bracket(event):
    """The same event with a bracket of four, played to its end."""
    make_cut(event, 4)
    for number, table in [(4, 1), (4, 2), (5, 1)]:
        record_bracket_result(event, number, table, Slip("played", 2, 0))
    return event


def test_a_wrong_semifinal_clears_the_final_and_the_event_goes_on(client, bracket):
    first, second = match_of(bracket, 1, 4).seats.order_by("side").values_list("entry__name", flat=True)
    shown = look_at(client, bracket, 4)
    assert f"{second} still in (was " in shown and f"{first} 3rd–4th (was " in shown
    finish_tournament(bracket)
    final = match_of(bracket, 1, 5)
    stays = final.seats.get(entry__in=match_of(bracket, 2, 4).seats.values("entry")).entry
    shown = look_at(client, bracket, 4)
    for words in (
        "Final, ",
        "Correct the result: Semifinal 1",
        "is cleared, with its result",
        "The event goes on",
    ):
        assert words in shown
    assert match_of(bracket, 1, 5) == final
    assert correct(client, bracket, 4)["Location"].endswith("/desk/bracket/")
    again = match_of(bracket, 1, 5)
    assert again.result is None and again.seats.filter(entry=stays).exists()
    assert again.seats.filter(entry__name=second).exists()
    bracket.refresh_from_db()
    assert bracket.state == "running" and integrity.check(bracket) == []
    confirmed(undo_action, bracket, bracket.actions.last().number)
    bracket.refresh_from_db()
    assert bracket.state == "finished" and match_of(bracket, 1, 5).result == "played"


def test_a_match_without_a_result_is_cleared_without_one(client, event):
    make_cut(event, 4)
    for table in (1, 2):
        record_bracket_result(event, 4, table, Slip("played", 2, 0))
    shown = look_at(client, event, 4)
    assert "this match is cleared. The winner of the corrected match plays instead." in shown


def test_a_semifinal_that_was_drawn_is_played_on_also_in_a_finished_event(client, event):
    drawn = TournamentFactory(ruleset="twixt", entries=8, rounds=2, with_cut=4, owner=event.owner)
    for number, table in [(3, 1), (3, 2), (4, 1)]:
        record_bracket_result(drawn, number, table, Slip("played", 1, 0))
    finish_tournament(drawn)
    draw = {"a": 0, "b": 0, "drawn": 1}
    assert "The event goes on" in look_at(client, drawn, 3, **draw)
    assert correct(client, drawn, 3, **draw).status_code == 303
    drawn.refresh_from_db()
    assert drawn.state == "running" and not drawn.rounds.filter(number=4).exists()
    with pytest.raises(WrongState, match="Results of the semifinals are outstanding at these tables: 1"):
        finish_tournament(drawn)
    record_repeat_game(drawn, 3, 1, Slip("played", 1, 0))
    assert drawn.rounds.get(number=4).matches.get().result is None
    assert integrity.check(drawn) == []


def test_a_wrong_final_says_who_wins_the_event_and_a_wrong_score_clears_nothing(client, bracket):
    shown = look_at(client, bracket, 4, a=2, b=1)
    assert "this match is cleared" not in shown and "The bracket stays as it was set." in shown
    assert correct(client, bracket, 4, a=2, b=1).status_code == 303
    assert match_of(bracket, 1, 5).result == "played"
    finish_tournament(bracket)
    first, second = match_of(bracket, 1, 5).seats.order_by("side").values_list("entry__name", flat=True)
    shown = look_at(client, bracket, 5)
    assert f"Final places: {second} 1st (was 2nd), {first} 2nd (was 1st)." in shown
    correct(client, bracket, 5)
    places = client.get(f"/t/{bracket.slug}/bracket.json").json()["places"]
    assert [place["name"] for place in places[:2]] == [second, first]


def test_only_an_organizer_corrects_what_lets_a_finished_event_go_on_and_judges_correct_nothing(
    client, bracket
):
    finish_tournament(bracket)
    scorekeeper, judge = UserFactory(), UserFactory()
    Staff.objects.create(tournament=bracket, user=scorekeeper, role="scorekeeper")
    Staff.objects.create(tournament=bracket, user=judge, role="judge")
    client.force_login(scorekeeper)
    count, refused = bracket.actions.count(), look_at(client, bracket, 4)
    assert refused.status == 403 and "Only an organizer can correct that." in refused
    assert bracket.actions.count() == count
    assert correct(client, bracket, 4, a=2, b=1).status_code == 303
    rounds = f"/t/{bracket.slug}/desk/rounds/1/"
    links = {a["href"] for a in page(client, rounds).soup("a")}
    assert {address(bracket, 1, n) for n in range(1, 5)} <= links
    client.force_login(judge)
    assert client.get(address(bracket)).status_code == 403
    assert not page(client, rounds).soup.select('[href*="correct/"]')
