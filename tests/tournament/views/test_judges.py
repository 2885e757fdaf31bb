import datetime as dt

import pytest
from django.test import Client
from django.utils import timezone

from tests.factories import TWO_NIL, RoundFactory, enter_results
from tests.pages import Page, page, press
from tests.tournament.views.desk import (
    HTMX,
    desk,
    key,
    match_of,
    post_slip,
    running,
    sign_in_staff,
    signed_in,
)
from tests.tournament.views.phones import known
from tournament.history.describe import describe_actions
from tournament.models import Extension, Round, Tournament
from tournament.results.shorthand import slip_check
from tournament.results.slip import Slip
from tournament.services.clock import start_clock
from tournament.services.entries import add_entries, rename_entry
from tournament.services.events import finish_tournament
from tournament.services.judging import call_judge, give_penalty, start_deck_check
from tournament.services.results import extend_table, record_result
from tournament.services.stages import add_stage


def judge_of(tournament, name="lena") -> Client:
    client = Client()
    sign_in_staff(client, tournament, username=name)
    return client


def code_at(tournament, table=1, side="a", number=1):
    return match_of(tournament, table, number).seats.get(side=side).entry.code


def table(tournament, number, more="judge/"):
    return desk(tournament, f"rounds/1/tables/{number}/{more}")


def let_enter_results(tournament, may=True):
    Tournament.objects.filter(pk=tournament.pk).update(judge_results=may)


def ended(tournament, minutes):
    start_clock(tournament, 1, 50)
    ends = timezone.now() - dt.timedelta(minutes=minutes, seconds=5)
    starts = ends - dt.timedelta(minutes=50)
    Round.objects.filter(tournament=tournament).update(starts_at=starts, ends_at=ends)


def test_open_calls_are_counted_at_judges_alone(client):
    tournament = running(client)
    call_judge(tournament, code_at(tournament), "slow play")
    for path in ("", "judge/", "rounds/1/"):
        shown = page(client, desk(tournament, path))
        assert shown.all(".rail .call") == ["1 call"] and shown.all(".tabbar small")[-1] == "1 call", path


# --- all tables ------------------------------------------------------------------------------------------


def test_the_tables_say_their_state_in_words_and_stay_in_their_order(client):
    tournament = running(client, 12)
    ended(tournament, 2)
    lena = judge_of(tournament)
    post_slip(client, tournament, 1, slip="20")
    extend_table(tournament, 1, 3, 5)
    call_judge(tournament, code_at(tournament, 4))
    start_deck_check(tournament, 1, 5)
    shown = page(lena, desk(tournament, "judge/"))
    labels = [link["aria-label"] for link in shown.soup.select(".hall a")]
    states = [
        "2, past 2 min",
        "3, +5 · 2 left",
        "4, judge call",
        "5, deck check",
        "6, past 2 min",
        "1, 2–0",
    ]
    assert labels == [f"Table {state}" for state in states]
    assert shown.all("h2") == ["Playing 5", "Entered 1"]
    assert shown.all("title") == ["Round 1 · 5 of 6 tables outstanding · Friday night"]


def test_the_tables_are_sent_again_only_when_something_changed(client):
    tournament = running(client, 4)
    part = desk(tournament, "judge/tables/")
    mark = page(client, part).one("#tables")["data-v"]
    assert client.get(part, {"v": mark}).status_code == 204
    extend_table(tournament, 1, 1, 5)
    assert client.get(part, {"v": mark}).status_code == 200


def test_seat_me_finds_a_table_by_its_number_and_a_player_by_letters_of_the_name(client):
    tournament = running(client)
    rename_entry(tournament, code_at(tournament, 3), "Žofie Okaforová")
    rename_entry(tournament, code_at(tournament, 4), "王伟")
    lena, judge = judge_of(tournament), desk(tournament, "judge/")

    def found(words: str) -> list[str]:
        return page(lena, judge, q=words).all('[aria-label="Where they sit"] a')

    assert lena.get(judge, {"q": "3"})["Location"] == table(tournament, 3)
    for letters in ("oka", "ok", "ž"):
        assert found(letters) == ["Table 3 Žofie Okaforová"], letters
    assert found("王") == found("王伟") == ["Table 4 王伟"]
    for nobody in ("xyz", "q", "77"):  # there is no table 77
        assert not found(nobody) and "No player at a table" in page(lena, judge, q=nobody), nobody
    assert "No player at a table" not in page(lena, judge, q=" ")


def test_of_rounds_side_by_side_one_stays_chosen_and_seat_me_finds_everybody(client):
    tournament = signed_in(client, entries=4)
    add_stage(tournament)
    add_entries(tournament, ["Ada", "Bo"], stage=2)
    for flight in (1, 2):  # round 1 at tables 1 and 2, and round 2 with Ada and Bo
        RoundFactory(tournament=tournament, flight=flight)
    judge = desk(tournament, "judge/")
    shown = page(client, judge, round=1)
    assert "Playing 2" in shown and str(shown.one("#tables")["data-poll"]).endswith("tables/?round=1")
    assert shown.one('nav[aria-label="Rounds in progress"]') and shown.one('[name="round"][value="1"]')
    assert shown.link("Suggested deck checks").endswith("?round=1")
    assert page(client, table(tournament, 1)).link("All tables") == f"{judge}?round=1"
    call_judge(tournament, code_at(tournament, 2))
    calls = page(client, judge)  # a call is heard from every round
    assert "Playing 1" in calls and "Judge called" in calls and "round 1" in calls
    assert calls.link("Table 2") == table(tournament, 2)
    for chosen in ({}, {"round": 1}, {"round": 2}):
        for name, number in (("Player 01", 1), ("Bo", 2)):
            shown = page(client, judge, **chosen, q=name)
            seat = shown.one('[aria-label="Where they sit"] a')
            assert str(seat["href"]).startswith(desk(tournament, f"rounds/{number}/")), (chosen, name)
            assert bool(seat.select("small")) == (number != chosen.get("round", 2))
    table_of_ada = tournament.seats.get(entry__name="Ada").match.table
    ada = desk(tournament, f"rounds/2/tables/{table_of_ada}/judge/")
    for number, typed, at in (
        (1, 1, table(tournament, 1)),
        (2, table_of_ada, ada),
        (2, 2, table(tournament, 2)),
    ):
        assert client.get(judge, {"round": number, "q": str(typed)})["Location"] == at


def test_without_a_round_the_page_says_what_to_do(client):
    tournament = signed_in(client, entries=4)
    assert "No round is in progress" in page(client, desk(tournament, "judge/"))
    RoundFactory(tournament=tournament)
    assert client.get(desk(tournament, "rounds/1/tables/9/judge/")).status_code == 404


# --- one table -------------------------------------------------------------------------------------------


def test_a_judge_gives_minutes_with_a_reason_and_undoes_only_what_this_judge_did(client):
    tournament = running(client)
    lena, tom = judge_of(tournament), judge_of(tournament, "tom")
    ended(tournament, -20)
    shown = page(lena, table(tournament, 2))
    time = timezone.localtime(tournament.rounds.get().ends_at, dt.UTC) + dt.timedelta(minutes=5)
    assert "Enter the result" not in shown
    press(lena, shown, f"+5 min ends {time:%H:%M}", why="Spilled drink")
    given = Extension.objects.get(match=match_of(tournament, 2))
    assert (given.minutes, given.reason) == (5, "Spilled drink")
    undo = page(lena, table(tournament, 2)).form("Undo")
    assert "Undo" not in page(tom, table(tournament, 2)).all("button")
    assert tom.post(undo.action, undo.fields).status_code == 403
    publish = tournament.actions.filter(kind="publish").latest("number").number
    assert lena.post(undo.action, {"number": publish}).status_code == 403
    assert lena.post(undo.action, undo.fields).status_code == 303
    assert not Extension.objects.exists()


def test_no_judge_takes_back_what_no_judge_may_do(client):
    tournament = running(client)
    lena = judge_of(tournament)
    let_enter_results(tournament)

    def undo(action, number=2):
        offered = "Undo" in page(lena, table(tournament, number)).all("button")
        sent = {"number": action.number, "key": key()}
        return offered, lena.post(table(tournament, number, "undo/"), sent).status_code

    thrown_out = give_penalty(tournament, code_at(tournament, 1), "disqualification", "Theft", actor="lena")
    assert undo(thrown_out, 1) == (False, 403)
    record_result(tournament, 1, 2, TWO_NIL, actor="lena")
    changed = record_result(tournament, 1, 2, Slip("played", 2, 1), actor="lena")
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)  # completes round 1, whose results only the desk corrects
    assert undo(changed) == (False, 403)
    assert client.post(table(tournament, 2, "undo/"), {"number": changed.number}).status_code == 303


def test_two_judges_who_give_a_table_five_minutes_at_once_give_five(client):
    tournament = running(client)
    judges = [judge_of(tournament, name) for name in ("lena", "tom")]
    seen = [page(judge, table(tournament, 2)) for judge in judges]
    first, second = (press(judge, shown, "+5 min") for judge, shown in zip(judges, seen, strict=True))
    assert (first.status, second.status) == (200, 409)
    assert "Someone else gave this table time meanwhile." in second
    assert second.one('[name="seen"]')["value"] == "5" and Extension.objects.get().minutes == 5


@pytest.mark.parametrize("sent", [{}, {"minutes": "0"}, {"minutes": "soon"}, {"minutes": 61}])
def test_minutes_that_are_none_get_one_line_and_write_nothing(client, sent):
    tournament = running(client)
    answer = judge_of(tournament).post(table(tournament, 1, "extension/"), sent)
    assert answer.status_code == 422 and len(Page(answer).all('p[role="alert"]')) == 1
    enter_results(tournament, 1)
    answer = client.post(table(tournament, 1, "extension/"), {"minutes": 5})
    assert answer.status_code == 409 and "has a result" in Page(answer)
    assert not Extension.objects.exists()


def test_judges_may_enter_results_where_the_event_lets_them_and_a_scanned_slip_leads_there(client):
    tournament = running(client)
    lena = judge_of(tournament)
    codes = tuple(code_at(tournament, 2, side) for side in "ab")
    scan = desk(tournament, f"rounds/1/tables/2/code/{slip_check(tournament.slug, 1, 2, codes)}/")
    assert lena.get(scan)["Location"] == table(tournament, 2)
    let_enter_results(tournament)
    assert lena.get(scan)["Location"].endswith("/rounds/1/tables/2/result/")
    code = code_at(tournament)
    always = ("More time", "Penalty for", "Start a deck check")
    let_enter_results(tournament)
    shown = page(lena, table(tournament, 1))
    assert all(words in shown for words in always)
    result = f"/t/{tournament.slug}/rounds/1/tables/1/result/"
    assert shown.link("Enter the result") == result and lena.get(result).status_code == 200
    assert lena.post(result, {"slip": "20", "version": match_of(tournament).version}).status_code == 303
    let_enter_results(tournament, False)
    shown = page(lena, table(tournament, 2))
    assert all(words in shown for words in always) and "Enter the result" not in shown
    assert lena.get(result).status_code == 403
    kinds = page(lena, desk(tournament, "penalties/new/"), player=code)
    assert "match loss" in kinds and "disqualification" not in kinds
    done = [
        lena.post(table(tournament, 2, "extension/"), {"minutes": 5}),
        lena.post(table(tournament, 2, "deck-check/"), {"sides": "ab"}),
        lena.post(desk(tournament, f"players/{code}/drop/"), {"key": key()}),
    ]
    assert [answer.status_code for answer in done] == [303] * 3
    rights = {
        row.split(" yes")[0]: row.split().count("yes")
        for row in page(client, desk(tournament, "settings/staff/")).all("tr")
    }
    for right, roles in (("Give time extensions", 3), ("Enter results and", 2), ("Disqualify a player", 2)):
        assert [count for words, count in rights.items() if words.startswith(right)] == [roles], right


def test_once_the_event_is_finished_no_button_of_a_judge_only_refuses(client):
    tournament = running(client, 4)
    lena = judge_of(tournament)
    extend_table(tournament, 1, 1, 5, actor="lena")
    call_judge(tournament, code_at(tournament, 2))
    enter_results(tournament, 1)
    finish_tournament(tournament)
    for number in (1, 2):
        part = Page(lena.get(table(tournament, number), **HTMX))
        assert not part.all("button") and "Penalty for" not in part and not part.all("html")
    assert not page(lena, desk(tournament, "penalties/"), q="Player").soup.select('[href*="penalties/new/"]')
    answer = client.post(desk(tournament, "judge/calls/1/"), {"done": 1, "key": key()})
    assert answer.status_code == 303 and tournament.flags.get().done  # the desk settles what is left


# --- calls -----------------------------------------------------------------------------------------------


def test_a_player_calls_a_judge_once_a_table_and_sees_that_one_is_on_the_way(client):
    tournament = running(client)
    lena, phone = judge_of(tournament), Client()
    code, other = code_at(tournament, 2), code_at(tournament, 2, "b")
    mine = known(phone, tournament, code)
    own = page(phone, mine)
    assert "What do you need a judge for?" in own
    refused = phone.post(f"{mine}call/", {"key": key(), "text": "x" * 301})
    assert refused.status_code == 400 and "at most 300 characters" in Page(refused)
    press(phone, own, "Call a judge to table 2", text="Rules question")
    call_judge(tournament, other)  # of the opponent: that call stands for both
    assert "A judge was called to table 2" in page(phone, mine) and tournament.flags.count() == 1
    calls = page(lena, desk(tournament, "judge/"))
    assert "Rules question" in calls and "waiting 0 min" in calls
    assert "Rules question" in page(client, desk(tournament, "flags/"))
    assert calls.one('[aria-label="On my way to table 2"]')
    assert "Rules question" in page(lena, table(tournament, 2))
    for action in tournament.actions.filter(kind="judge call"):
        assert "Rules" not in f"{action.changes} {action.reason}"  # personal, as a message is
    assert "Rules question" not in page(client, desk(tournament))
    mark = page(phone, f"{mine}call/").one("[data-v]")["data-v"]
    assert phone.get(f"{mine}call/", {"v": mark}).status_code == 204
    press(lena, calls, "On my way")
    assert "A judge is on the way to table 2" in page(phone, f"{mine}call/", v=mark)
    seen = page(lena, table(tournament, 2))
    assert "lena is on the way" in seen
    press(lena, seen, "Done")
    assert "Call a judge to table 2" in page(phone, mine) and tournament.flags.get().done
    enter_results(tournament, 1)
    assert "Call a judge" not in page(phone, mine)
    answer = phone.post(f"{mine}call/", {"key": key()})
    assert answer.status_code == 409 and "You are not in a match now" in Page(answer)


def test_a_second_judge_who_answers_a_call_learns_who_is_on_the_way(client):
    tournament = running(client)
    lena, omar = judge_of(tournament), judge_of(tournament, "omar")
    call_judge(tournament, code_at(tournament, 2))
    call = desk(tournament, f"judge/calls/{tournament.flags.get().number}/")
    lena.post(call, {"key": key()})
    answer = omar.post(call, {"key": key()})  # from a page that is older than lena's answer
    assert answer.status_code == 409
    assert "lena is already on the way to this table. You do not need to go." in Page(answer)
    assert tournament.flags.get().judge == "lena"
    number = tournament.actions.latest("number").number
    assert lena.post(call, {"key": key()}).status_code == 303
    assert tournament.actions.latest("number").number == number
    assert omar.post(call, {"done": "1", "key": key()}).status_code == 303 and tournament.flags.get().done


# --- deck checks -----------------------------------------------------------------------------------------


def test_a_deck_check_gives_its_minutes_back_and_the_next_table_is_another(client):
    tournament = running(client, 12)
    lena = judge_of(tournament)
    checks, end = desk(tournament, "deck-checks/"), table(tournament, 3, "deck-check/end/")
    first = page(lena, checks)
    assert "No deck checks yet" in first
    assert page(lena, checks).all(".acts a") == first.all(".acts a")  # no one can ask until another comes
    lena.post(table(tournament, 3, "deck-check/"), {"sides": "ab", "key": key()})
    assert lena.post(table(tournament, 3, "deck-check/"), {"sides": "a", "key": key()}).status_code == 409
    assert "Deck check since" in page(lena, table(tournament, 3))
    tournament.deck_checks.update(starts_at=timezone.now() - dt.timedelta(minutes=7, seconds=30))
    assert page(lena, table(tournament, 3)).one('form[action$="/end/"] [name="minutes"]')["value"] == "8"
    answer = lena.post(end, {"minutes": 61, "key": key()})
    assert answer.status_code == 422 and "Enter a whole number from 0 to 60." in Page(answer)
    lena.post(end, {"minutes": 8, "key": key()})
    given = Extension.objects.get()
    assert (given.match.table, given.minutes, given.reason) == (3, 8, "deck check")
    assert not tournament.deck_checks.filter(ends_at=None).exists()
    after = page(lena, checks)
    unchecked = [words for words in after.all(".acts a") if "not yet checked" in words]
    assert "2 players checked" in after and len(unchecked) == 2
    assert not [words for words in unchecked if words.startswith("Table 3 ")]
    assert lena.post(end, {"minutes": 8, "key": key()}).status_code == 409


def test_a_check_that_outlasts_its_round_can_be_ended_and_holds_back_no_table(client):
    tournament = running(client, 4)
    start_deck_check(tournament, 1, 1, judge="Lena")
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    shown = page(client, desk(tournament, "deck-checks/"))
    assert (
        "running" in shown and shown.all(f'#checked + ul a[href="{table(tournament, 1)}"]') == ["Table 1"] * 2
    )
    assert any(words.startswith("Table 1 ") for words in shown.all(".acts a"))
    assert "End the deck check" in page(client, table(tournament, 1))
    client.post(table(tournament, 1, "deck-check/end/"), {"minutes": 3, "key": key()})
    assert not tournament.deck_checks.filter(ends_at=None).exists() and not Extension.objects.exists()
    sentences = [each.sentence for each in describe_actions(tournament, tournament.actions.all())]
    assert sentences[-1].startswith("Deck check ended at") and "extension" not in sentences[-1]


def test_minutes_given_back_to_a_table_with_its_result_are_refused_in_words(client):
    tournament = running(client, 8)
    lena = judge_of(tournament)
    start_deck_check(tournament, 1, 3)
    assert "As a time extension; 0 for none." in page(lena, table(tournament, 3))
    record_result(tournament, 1, 3, TWO_NIL)
    shown = page(lena, table(tournament, 3))
    assert "The table has its result: no minutes are given back." in shown
    assert shown.form("End the deck check")["minutes"] == "0"
    done = press(lena, shown, "End the deck check", minutes=4)
    assert "The table has its result: no minutes were given back." in done
    assert not Extension.objects.exists()


def give(client, address, **sent) -> Page:
    return Page(client.post(address, {"key": key(), **sent}, follow=True))


def test_a_penalty_shows_the_earlier_ones_and_says_what_it_changes(client):
    tournament = running(client)
    lena = judge_of(tournament)
    code = code_at(tournament, 2)
    new = desk(tournament, f"penalties/new/?player={code}")
    form = page(lena, new)
    names = [tag["name"] for tag in form.soup.select("main [name]:not([type=hidden])")]
    assert list(dict.fromkeys(names)) == ["code", "infraction", "kind", "description", "judge"]
    assert form.one('[name="judge"]')["value"] == "lena" and "disqualification" not in form
    sent = {"judge": "lena", "code": code, "infraction": "Slow play"}
    give(lena, new, **sent, kind="warning", description="Twice")
    assert "Twice" in page(lena, new) and "earlier penalties" in page(lena, new)
    assert "1 game win. Enter it with the result." in give(lena, new, **sent, kind="game_loss")
    assert "Table 2 is entered as won by" in give(lena, new, **sent, kind="match_loss")
    assert match_of(tournament, 2).winner == "b"
    assert "It counts in the next match." in give(lena, new, **sent, kind="match_loss")
    assert give(lena, new, **sent, kind="disqualification").status == 422
    entry = tournament.entries.get(code=code)
    listed = page(client, desk(tournament, "penalties/"), q=entry.name[-2:])
    assert listed.words.count("Slow play") == 4 and "4 penalties" in listed
    assert "No penalties" in page(client, desk(tournament, "penalties/"), q="nobody")


@pytest.mark.parametrize(
    ("fields", "infraction", "usual"),
    [({"ruleset": "mtr"}, "Tardiness", "game_loss"), ({"game": "Magic"}, "slow play", "warning"),
     ({"ruleset": "mtr"}, "Regular REL: draws extra cards", "caution"), ({"ruleset": "fide"}, "Slow play", "warning"),
     ({"ruleset": "mtr"}, "Missed Trigger", None), ({"ruleset": "fide"}, "Tardiness", None),
     ({"ruleset": "mtr"}, "In own words", None)],
)  # fmt: skip
def test_an_infraction_of_the_list_has_its_usual_penalty_unless_another_is_chosen(
    client, fields, infraction, usual
):
    tournament = running(client, **fields)
    lena, new = judge_of(tournament), desk(tournament, "penalties/new/")  # a judge who may not disqualify
    listed = {
        tag["value"]: tag
        for tag in page(lena, new, player=code_at(tournament)).soup.select("datalist option")
    }
    if fields == {"ruleset": "fide"}:
        assert "Late to the table" in listed and "Tardiness" not in listed
    else:
        assert listed["Tardiness"]["data-penalty"] == "game_loss" and "Late to the table" not in listed
    sent = {"code": code_at(tournament), "infraction": infraction}
    answer = give(lena, new, **sent)
    assert answer.status == (200 if usual else 422) and (usual or "Choose the penalty." in answer)
    give(lena, new, **sent, kind="caution")
    given = list(tournament.penalties.values_list("reason", "kind"))
    assert given == [(infraction, kind) for kind in (usual, "caution") if kind]


def test_minutes_and_penalties_answer_a_script_with_the_table_or_the_list_and_else_with_a_page(client):
    tournament = running(client)
    lena = judge_of(tournament)
    new = desk(tournament, f"penalties/new/?player={code_at(tournament)}")
    penalty = {"code": code_at(tournament), "infraction": "Slow play", "kind": "warning"}
    for address, sent in ((table(tournament, 1, "extension/"), {"minutes": 5}), (new, penalty)):
        part = Page(lena.post(address, {**sent, "key": key()}, follow=True, **HTMX))
        assert not part.all("html") and part.one(".notice.good") and "Table 1" in part
        refused = Page(lena.post(address, {**sent, "minutes": "soon", "kind": "none"}, **HTMX))
        assert refused.status == 422 and not refused.all("html")
        assert give(lena, address, **sent).one("html .notice.good")
    assert not Page(lena.get(new, **HTMX)).all("html") and page(lena, new).all("html")
    enter_results(tournament, 1)
    sent = {"code": code_at(tournament), "infraction": "Slow play", "kind": "warning", "key": key()}
    answer = client.post(desk(tournament, "penalties/new/"), sent, **HTMX)
    assert answer["HX-Redirect"] == desk(tournament, "penalties/")
    assert "warning recorded." in page(client, answer["HX-Redirect"])


def test_a_penalty_names_which_of_two_players_with_one_name(client):
    tournament = running(client, 2)
    for code in ("P0001", "P0002"):
        rename_entry(tournament, code, "Bo Lind")
    sent = {"code": "P0001", "infraction": "Tardiness", "kind": "game_loss"}
    given = give(client, desk(tournament, "penalties/new/"), **sent)
    assert "Bo Lind (1 of 2): game loss recorded. Table 1: this gives Bo Lind (2 of 2) 1 game win." in given
