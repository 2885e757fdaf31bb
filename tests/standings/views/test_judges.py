"""The judges' phone: tables with their state, one table, seat me, and what the event lets judges do."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.tournament.views.desk import HTMX, key, match_of, post_slip, running
from tests.tournament.views.phones import known, text
from tournament.history.describe import describe_actions
from tournament.models import Extension, Round, Staff, Tournament
from tournament.results.slip_code import slip_check
from tournament.services.clock import start_clock
from tournament.services.deck_checks import start_deck_check
from tournament.services.entries import add_entries, rename_entry
from tournament.services.events import finish_tournament
from tournament.services.judge_calls import call_judge
from tournament.services.results import record_result
from tournament.services.rounds import extend_table
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db


def judge_of(tournament, name="lena") -> Client:
    client, user = Client(), UserFactory(username=name)
    Staff.objects.create(tournament=tournament, user=user, role="judge")
    client.force_login(user)
    return client


def code_at(tournament, table=1, side="a", number=1):
    return match_of(tournament, table, number).seats.get(side=side).entry.code


def desk(tournament, more=""):
    return f"/t/{tournament.slug}/desk/{more}"


def table(tournament, number, more="judge/"):
    return desk(tournament, f"rounds/1/tables/{number}/{more}")


def let(tournament, **rights):
    Tournament.objects.filter(pk=tournament.pk).update(
        **{f"judge_{name}": may for name, may in rights.items()}
    )


def ended(tournament, minutes):
    """The clock of round 1 ran out so many minutes ago."""
    start_clock(tournament, 1, 50)
    ends = timezone.now() - dt.timedelta(minutes=minutes, seconds=5)
    Round.objects.filter(tournament=tournament).update(
        starts_at=ends - dt.timedelta(minutes=50), ends_at=ends
    )


def test_the_tables_say_their_state_in_words_and_stay_in_their_order(client):
    tournament = running(client, 12)
    ended(tournament, 2)
    lena = judge_of(tournament)
    post_slip(client, tournament, 1, slip="20")
    extend_table(tournament, 1, 3, 5)
    call_judge(tournament, code_at(tournament, 4))
    start_deck_check(tournament, 1, 5)
    page = text(lena.get(desk(tournament, "judge/")))
    states = [
        "1, entered",
        "2, past 2 min",
        "3, +5 · 2 left",
        "4, judge call",
        "5, deck check",
        "6, past 2 min",
    ]
    places = [page.index(f'aria-label="Table {state}"') for state in states]
    assert places == sorted(places) and "Outstanding 5" in page and "All 6" in page and "Calls 1" in page
    assert "<title>Round 1 · 5 of 6 tables outstanding" in " ".join(page.split()).replace(
        "<title> ", "<title>"
    )
    outstanding = text(lena.get(desk(tournament, "judge/?show=out")))
    assert "Table 1, entered" not in outstanding and "Table 2, past" in outstanding


def test_the_tables_are_sent_again_only_when_something_changed_and_cost_the_same_for_many(client):
    counts = []
    for players in (4, 40):
        tournament = running(client, players)
        page = desk(tournament, "judge/tables/")
        with CaptureQueriesContext(connection) as queries:
            shown = client.get(page)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12
    [mark] = [part.split('"')[1] for part in text(shown).split() if part.startswith("data-v=")]
    assert client.get(page, {"v": mark}).status_code == 204
    extend_table(tournament, 1, 1, 5)
    assert client.get(page, {"v": mark}).status_code == 200


def test_a_judge_gives_minutes_with_a_reason_and_undoes_only_what_this_judge_did(client):
    tournament = running(client)
    lena, tom = judge_of(tournament), judge_of(tournament, "tom")
    ended(tournament, -20)
    page = text(lena.get(table(tournament, 2)))
    time = timezone.localtime(tournament.rounds.get().ends_at, dt.UTC) + dt.timedelta(minutes=5)
    assert "+5 min" in page and f"ends {time:%H:%M}" in page and "Enter the result" not in page
    answer = lena.post(
        table(tournament, 2, "extension/"), {"minutes": 5, "why": "Spilled drink", "key": key()}
    )
    assert (answer.status_code, answer["Location"]) == (303, table(tournament, 2))
    given = Extension.objects.get(match=match_of(tournament, 2))
    assert (given.minutes, given.reason) == (5, "Spilled drink")
    number = tournament.actions.latest("number").number
    assert "Undo" in text(lena.get(table(tournament, 2))) and "Undo" not in text(
        tom.get(table(tournament, 2))
    )
    assert tom.post(table(tournament, 2, "undo/"), {"number": number}).status_code == 403
    publish = tournament.actions.filter(kind="publish").latest("number").number
    assert lena.post(table(tournament, 2, "undo/"), {"number": publish}).status_code == 403
    assert lena.post(table(tournament, 2, "undo/"), {"number": number, "key": key()}).status_code == 303
    assert not Extension.objects.exists()


def test_two_judges_who_give_a_table_five_minutes_at_once_give_five(client):
    tournament = running(client)
    lena, tom = judge_of(tournament), judge_of(tournament, "tom")
    [seen] = re.findall(r'name="seen" value="(\w*)"', text(tom.get(table(tournament, 2))))
    for judge, status in ((lena, 303), (tom, 409)):
        sent = {"minutes": 5, "seen": seen, "key": key()}
        answer = judge.post(table(tournament, 2, "extension/"), sent)
        assert answer.status_code == status
    assert "Someone else gave this table time meanwhile." in text(answer)
    assert 'name="seen" value="5"' in text(answer)
    assert Extension.objects.get().minutes == 5


@pytest.mark.parametrize("sent", [{}, {"minutes": "0"}, {"minutes": "soon"}, {"minutes": 61}])
def test_minutes_that_are_none_get_one_line_and_write_nothing(client, sent):
    tournament = running(client)
    answer = judge_of(tournament).post(table(tournament, 1, "extension/"), sent)
    assert answer.status_code == 422 and text(answer).count('role="alert">') == 1
    assert not Extension.objects.exists()


def test_a_finished_table_gets_no_minutes(client):
    tournament = running(client)
    enter_results(tournament, 1)
    answer = judge_of(tournament).post(table(tournament, 1, "extension/"), {"minutes": 5})
    assert answer.status_code == 409 and "has a result" in text(answer) and not Extension.objects.exists()


def test_what_judges_may_is_a_setting_and_no_button_only_refuses(client):
    tournament = running(client)
    lena = judge_of(tournament)
    code = code_at(tournament)
    shown = {
        "extensions": "Add a time extension",
        "penalties": "Penalty for",
        "deck_checks": "Start a deck check",
    }
    let(tournament, results=True)
    page = text(lena.get(table(tournament, 1)))
    assert all(words in page for words in (*shown.values(), "Enter the result"))
    result = f"/t/{tournament.slug}/rounds/1/tables/1/result/"
    assert lena.get(result).status_code == 200
    assert lena.post(result, {"slip": "20", "version": match_of(tournament).version}).status_code == 303
    let(tournament, results=False, extensions=False, penalties=False, deck_checks=False, drops=False)
    page = text(lena.get(table(tournament, 2)))
    assert not any(words in page for words in (*shown.values(), "Enter the result"))
    assert 'drop/"' not in text(lena.get(desk(tournament, f"players/{code}/")))
    refused = [
        lena.get(result),
        lena.post(table(tournament, 2, "extension/"), {"minutes": 5}),
        lena.post(table(tournament, 2, "deck-check/"), {"sides": "ab"}),
        lena.post(desk(tournament, "penalties/new/"), {"code": code, "kind": "warning", "infraction": "x"}),
        lena.post(desk(tournament, f"players/{code}/drop/"), {"key": key()}),
    ]
    assert [answer.status_code for answer in refused] == [403] * 5
    rights = text(client.get(desk(tournament, "staff/"))).split("Give time extensions")[1].split("</tr>")[0]
    assert rights.count("yes") == 2


def test_seat_me_finds_a_table_by_its_number_and_a_player_by_letters_of_the_name(client):
    tournament = running(client)
    rename_entry(tournament, code_at(tournament, 3), "Žofie Okaforová")
    lena = judge_of(tournament)
    page = desk(tournament, "judge/")
    assert lena.get(page, {"q": "3"})["Location"] == table(tournament, 3)
    found = text(lena.get(page, {"q": "oka"}))
    assert (
        "Žofie Okaforová" in found
        and table(tournament, 3) in found.split("Where they sit")[1].split("</ul>")[0]
    )
    assert "No player at a table" in text(lena.get(page, {"q": "xyz"}))
    rename_entry(tournament, code_at(tournament, 4), "王伟")
    for letters in ("ok", "ž", "王伟", "王"):
        assert "Where they sit" in text(lena.get(page, {"q": letters})), letters
    assert "No player at a table" in text(lena.get(page, {"q": "q"}))
    assert "No player at a table" in text(lena.get(page, {"q": "77"}))  # there is no such table
    shown = text(lena.get(page, {"q": " "}))
    assert "Where they sit" not in shown and "No player at a table" not in shown


def test_the_slip_a_judge_scans_leads_to_what_the_judge_may_do(client):
    tournament = running(client)
    lena = judge_of(tournament)
    codes = tuple(code_at(tournament, 2, side) for side in "ab")
    scan = desk(tournament, f"rounds/1/tables/2/code/{slip_check(tournament.slug, 1, 2, codes)}/")
    assert lena.get(scan)["Location"] == table(tournament, 2)
    let(tournament, results=True)
    assert lena.get(scan)["Location"].endswith("/rounds/1/tables/2/result/")


def side_by_side(client):
    """Round 1 with 4 players at tables 1 and 2, and round 2 with Ada and Bo, both in progress."""
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=4, owner=owner)
    add_stage(tournament)
    add_entries(tournament, ["Ada", "Bo"], stage=2)
    for flight in (1, 2):
        RoundFactory(tournament=tournament, flight=flight)
    return tournament


def test_of_rounds_side_by_side_one_can_be_chosen(client):
    tournament = side_by_side(client)
    page = text(client.get(desk(tournament, "judge/?round=1&show=out")))
    assert "Rounds in progress" in page and "All 2" in page and "tables/?show=out&amp;round=1" in page
    call_judge(tournament, code_at(tournament, 2))
    page = text(client.get(desk(tournament, "judge/?show=calls")))  # a call is heard from every round
    assert "All 1" in page and "Calls 1" in page and table(tournament, 2) in page and "round 1" in page


def test_seat_me_finds_the_players_and_tables_of_every_round_in_progress(client):
    tournament = side_by_side(client)
    page = desk(tournament, "judge/")
    for chosen in ({}, {"round": 1}, {"round": 2}):
        for name, place in (("Player 01", "rounds/1/"), ("Bo", "rounds/2/")):
            found = text(client.get(page, {**chosen, "q": name})).split("Where they sit")[1].split("</ul>")[0]
            assert desk(tournament, place) in found, (chosen, name)
            assert ("<small>round" in found) == (place != f"rounds/{chosen.get('round', 2)}/")
    table_of_ada = tournament.seats.get(entry__name="Ada").match.table
    assert client.get(page, {"round": 1, "q": "1"})["Location"] == table(tournament, 1)
    assert client.get(page, {"round": 2, "q": str(table_of_ada)})["Location"] == desk(
        tournament, f"rounds/2/tables/{table_of_ada}/judge/"
    )
    assert client.get(page, {"round": 2, "q": "2"})["Location"] == table(tournament, 2)


def test_the_round_that_a_judge_chose_stays_chosen(client):
    tournament = side_by_side(client)
    shown = text(client.get(desk(tournament, "judge/?round=1")))
    assert 'name="round" value="1"' in shown
    assert f'href="{desk(tournament, "deck-checks/")}?round=1"' in shown
    checks = text(client.get(desk(tournament, "deck-checks/?round=1")))
    assert f'href="{desk(tournament, "judge/")}?round=1"' in checks
    assert f'href="{desk(tournament, "judge/")}?round=1"' in text(client.get(table(tournament, 1)))


def test_without_a_round_the_page_says_what_to_do(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=4, owner=owner)
    assert "No round is in progress" in text(client.get(desk(tournament, "judge/")))
    RoundFactory(tournament=tournament)
    assert client.get(desk(tournament, "rounds/1/tables/9/judge/")).status_code == 404
    part = text(client.get(table(tournament, 1), **HTMX))
    assert "<html" not in part and "Table 1" in part


def test_a_player_calls_a_judge_once_a_table_and_sees_that_one_is_on_the_way(client):
    tournament = running(client)
    lena, phone = judge_of(tournament), Client()
    code, other = code_at(tournament, 2), code_at(tournament, 2, "b")
    mine = known(phone, tournament, code)
    assert "Call a judge to table 2" in text(phone.get(mine))
    assert "What do you need a judge for?" in text(phone.get(mine))
    refused = phone.post(f"{mine}call/", {"key": key(), "text": "x" * 301})
    assert refused.status_code == 400 and "at most 300 characters" in text(refused)
    assert phone.post(f"{mine}call/", {"key": key(), "text": "Rules question"}).status_code == 303
    call_judge(tournament, other)  # of the opponent: that call stands for both
    assert "A judge was called to table 2" in text(phone.get(mine)) and tournament.flags.count() == 1
    calls = text(lena.get(desk(tournament, "judge/?show=calls")))
    assert "waits 0 min" in calls and "On my way to table 2" in calls and "Rules question" in calls
    assert "Rules question" in text(lena.get(table(tournament, 2)))
    for action in tournament.actions.filter(kind="judge call"):
        assert "Rules" not in f"{action.changes} {action.reason}"  # personal, as a message is
    assert "player message" not in text(client.get(desk(tournament)))
    number = tournament.flags.get().number
    mark = re.search(r'data-v="([^"]*)"', text(phone.get(f"{mine}call/")))[1]
    assert phone.get(f"{mine}call/", {"v": mark}).status_code == 204
    lena.post(desk(tournament, f"judge/calls/{number}/"), {"key": key()})
    assert "A judge is on the way to table 2" in text(phone.get(f"{mine}call/", {"v": mark}))
    assert "lena is on the way" in text(lena.get(table(tournament, 2)))
    lena.post(desk(tournament, f"judge/calls/{number}/"), {"done": "1", "key": key()})
    assert "Call a judge to table 2" in text(phone.get(mine)) and tournament.flags.get().done
    enter_results(tournament, 1)
    assert "Call a judge" not in text(phone.get(mine))
    answer = phone.post(f"{mine}call/", {"key": key()})
    assert answer.status_code == 409 and "You are not in a match now" in text(answer)


def suggested(page):
    return page.split("Check next")[1].split("checked</h2>")[0]


def test_a_deck_check_gives_its_minutes_back_and_the_next_table_is_another(client):
    tournament = running(client, 12)
    lena = judge_of(tournament)
    first = text(lena.get(desk(tournament, "deck-checks/")))
    assert "at random among players not yet checked" in first and "0 players checked" in first
    again = text(lena.get(desk(tournament, "deck-checks/")))
    assert suggested(again) == suggested(first)  # no one can ask until another comes
    lena.post(table(tournament, 3, "deck-check/"), {"sides": "ab", "key": key()})
    assert lena.post(table(tournament, 3, "deck-check/"), {"sides": "a", "key": key()}).status_code == 409
    assert "Deck check since" in text(lena.get(table(tournament, 3)))
    tournament.deck_checks.update(starts_at=timezone.now() - dt.timedelta(minutes=7, seconds=30))
    assert 'value="8"' in text(lena.get(table(tournament, 3)))
    lena.post(table(tournament, 3, "deck-check/end/"), {"minutes": 8, "key": key()})
    given = Extension.objects.get()
    assert (given.match.table, given.minutes, given.reason) == (3, 8, "deck check")
    assert not tournament.deck_checks.filter(ends_at=None).exists()
    page = text(lena.get(desk(tournament, "deck-checks/")))
    assert "2 players checked" in page and not re.search(
        r"Table 3\s", suggested(page).split("at random ·", 1)[1]
    )
    assert lena.post(table(tournament, 3, "deck-check/end/"), {"minutes": 8, "key": key()}).status_code == 409
    assert lena.post(
        table(tournament, 3, "undo/"), {"number": tournament.revision, "key": key()}
    ).status_code in (303, 403)


def test_a_check_that_outlasts_its_round_can_be_ended_and_holds_back_no_table(client):
    tournament = running(client, 4)
    start_deck_check(tournament, 1, 1, judge="Lena")
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    page = text(client.get(desk(tournament, "deck-checks/")))
    assert "running" in page and table(tournament, 1) in page and "Table 1" in suggested(page)
    assert "End the deck check" in text(client.get(table(tournament, 1)))
    client.post(table(tournament, 1, "deck-check/end/"), {"minutes": 3, "key": key()})
    assert not tournament.deck_checks.filter(ends_at=None).exists() and not Extension.objects.exists()
    sentences = [each.sentence for each in describe_actions(tournament, tournament.actions.all())]
    assert sentences[-1].count(": deck check ended at") == 2 and "extension" not in sentences[-1]


def test_once_the_event_is_finished_no_button_of_a_judge_only_refuses(client):
    tournament = running(client, 4)
    lena = judge_of(tournament)
    extend_table(tournament, 1, 1, 5, actor="lena")
    call_judge(tournament, code_at(tournament, 2))
    enter_results(tournament, 1)
    finish_tournament(tournament)
    for number in (1, 2):
        page = text(lena.get(table(tournament, number), **HTMX))
        assert "<button" not in page and "Penalty for" not in page
    assert "penalties/new/" not in text(lena.get(desk(tournament, "penalties/?q=Player")))
    answer = client.post(desk(tournament, "judge/calls/1/"), {"done": 1, "key": key()})
    assert answer.status_code == 303 and tournament.flags.get().done  # the desk settles what is left


def test_minutes_given_back_to_a_table_with_its_result_are_refused_in_words(client):
    tournament = running(client, 8)
    lena = judge_of(tournament)
    start_deck_check(tournament, 1, 3)
    assert "As a time extension; 0 for none." in text(lena.get(table(tournament, 3)))
    record_result(tournament, 1, 3, TWO_NIL)
    page = text(lena.get(table(tournament, 3)))
    assert "The table has its result: no minutes are given back." in page and 'value="0"' in page
    answer = lena.post(table(tournament, 3, "deck-check/end/"), {"minutes": 4, "key": key()}, follow=True)
    assert "The table has its result: no minutes were given back." in text(answer)
    assert not Extension.objects.exists()


def test_a_number_that_is_too_large_is_refused_with_both_ends(client):
    tournament = running(client, 8)
    lena = judge_of(tournament)
    start_deck_check(tournament, 1, 3)
    answer = lena.post(table(tournament, 3, "deck-check/end/"), {"minutes": 61, "key": key()})
    assert answer.status_code == 422 and "Enter a whole number from 0 to 60." in text(answer)
