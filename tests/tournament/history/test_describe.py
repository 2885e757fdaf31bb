"""The log in words, and undo from it."""

import re

import pytest

from tests.tournament.views.desk import key, match_of, post_slip, running
from tournament.history.describe import describe_actions
from tournament.results.slip import Slip
from tournament.services.deck_checks import end_deck_check, start_deck_check
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.judge_calls import answer_call, call_judge, settle_call
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def log(client, tournament, **query):
    return client.get(f"/t/{tournament.slug}/desk/log/", query).content.decode()


def undo(client, tournament, number, **fields):
    return client.post(
        f"/t/{tournament.slug}/desk/undo/", {"number": number, "key": key(), **fields}, follow=True
    )


def names_at(tournament, table):
    return [seat.entry.name for seat in match_of(tournament, table).seats.order_by("side")]


def test_every_action_is_a_sentence_with_names(client):
    tournament = running(client, 9)
    post_slip(client, tournament, slip="20")
    post_slip(client, tournament, slip="21")
    drop_entry(tournament, "P0004")
    disqualify_entry(tournament, "P0005", "fixed a match")
    rename_entry(tournament, "P0009", "Nour")
    change_settings(tournament, rounds_planned=5)
    a, b = names_at(tournament, 1)
    html = log(client, tournament)
    for sentence in (
        "Event created",
        "9 players registered: Player 01, Player 02, Player 03 …",
        "Round 1 paired; 5 matches of round 1",
        "Round 1 published",
        f"Table 1, round 1: {a} 2–0 {b}",
        f"Table 1, round 1: {a} 2–1 {b} (was 2–0)",
        "Player 04 dropped",
        "Player 05 was disqualified",
        "Nour: name changed",
        "Swiss rounds none → 5",
    ):
        assert sentence in html, sentence


def test_a_sentence_that_begins_with_a_name_leaves_the_name_as_it_is_written(client):
    tournament = running(client, 4)
    rename_entry(tournament, "P0001", "van Dam")
    drop_entry(tournament, "P0001")
    assert "van Dam dropped" in log(client, tournament)


def test_an_undo_is_a_line_of_its_own_and_says_what_it_took_back(client):
    tournament = running(client, 8)
    post_slip(client, tournament, slip="20")
    tournament.refresh_from_db()
    number = tournament.revision
    page = undo(client, tournament, number)
    assert f"Action {number} undone: Table 1, round 1:" in page.content.decode()
    assert match_of(tournament).result is None
    html = log(client, tournament)
    assert f'<tr id="action-{number}" class="gone">' in html
    assert undo(client, tournament, number).status_code == 409


def test_what_a_later_action_touched_is_refused_naming_it(client):
    tournament = running(client, 8)
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    first = tournament.revision
    record_result(tournament, 1, 1, Slip("played", 2, 1))
    page = undo(client, tournament, first)
    assert page.status_code == 409
    assert f"Action {tournament.revision}" in page.content.decode()


def test_an_undone_publication_is_a_draft_again(client):
    tournament = running(client, 8)
    tournament.refresh_from_db()
    assert "Unpublish round 1?" in undo(client, tournament, tournament.revision).content.decode()
    page = undo(client, tournament, tournament.revision, sure="on")
    assert "Check and publish round 1" in page.content.decode()
    assert tournament.rounds.get().state == "draft"


def test_where_the_event_begins_nothing_is_undone(client):
    tournament = running(client, 4)
    assert undo(client, tournament, 1).status_code == 409
    assert undo(client, tournament, 12345).status_code == 404


def test_a_long_log_comes_in_pages(client):
    tournament = running(client, 2)
    for number in range(50):
        rename_entry(tournament, "P0001", f"Ada {number}")
    first = log(client, tournament)
    assert first.count('<tr id="action-') == 50 and "Older" in first
    assert "Event created" in log(client, tournament, page=2)


def test_the_events_home_says_what_came_last_and_takes_it_back(client):
    tournament = running(client, 8)
    drop_entry(tournament, "P0004")
    page = client.get(f"/t/{tournament.slug}/desk/")
    assert "Player 04 dropped" in page.content.decode()
    undo(client, tournament, tournament.revision)
    assert tournament.entries.get(code="P0004").status == "playing"


def test_what_judges_do_and_its_undo_are_said_once_and_by_their_names(client):
    tournament = running(client, 4)
    caller = match_of(tournament, 1).seats.get(side="a").entry
    actions = [
        call_judge(tournament, caller.code),
        answer_call(tournament, 1, actor="Lena"),
        settle_call(tournament, 1),
        start_deck_check(tournament, 1, 2),
        end_deck_check(tournament, 1, 2, 4),
    ]
    a, b = (match_of(tournament, 2).seats.get(side=side).entry.name for side in "ab")
    ended = describe_actions(tournament, actions[-1:])[0].sentence
    time = re.search(r"ended at (\d\d:\d\d)", ended)[1]
    assert ended.startswith(f"{a}: deck check ended at {time}; {b}: deck check ended at {time}; table 2")
    for action in reversed(actions):
        undo_action(tournament, action.number)
    said = [each.sentence for each in describe_actions(tournament, tournament.actions.order_by("number"))]
    assert said[-8:-5] == [
        "Judge call 1 marked done",
        said[-7],
        f"Deck check ended at {time}; table 2, round 1: 4-minute time extension (deck check)",
    ]
    undone = [sentence.split("undone: ")[1] for sentence in said[-5:]]
    assert undone[0] == "table 2, round 1: no time extension; deck check goes on"
    assert undone[2:] == [
        "message or judge call 1 is open again",
        "judge call 1 waits for a judge",
        "judge call 1 deleted",
    ]
