import re

import pytest

from tests.pages import Page, page
from tests.tournament.views.desk import key, match_of, post_slip, running
from tournament.history.describe import describe_actions
from tournament.results.slip import Slip
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.judging import answer_call, call_judge, end_deck_check, settle_call, start_deck_check
from tournament.services.results import record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def log(client, tournament, **query):
    return page(client, f"/t/{tournament.slug}/desk/log/", **query)


def undo(client, tournament, number, **fields):
    sent = {"number": number, "key": key(), **fields}
    return Page(client.post(f"/t/{tournament.slug}/desk/undo/", sent, follow=True))


def names_at(tournament, table):
    return [seat.entry.name for seat in match_of(tournament, table).seats.order_by("side")]


def test_every_action_is_a_sentence_with_names(client):
    tournament = running(client, 9)
    post_slip(client, tournament, slip="20")
    post_slip(client, tournament, slip="21")
    rename_entry(tournament, "P0004", "van Dam")
    drop_entry(tournament, "P0004")
    assert "van Dam dropped" in page(client, f"/t/{tournament.slug}/desk/"), "the desk says what came last"
    disqualify_entry(tournament, "P0005", "fixed a match")
    rename_entry(tournament, "P0009", "Nour")
    change_settings(tournament, rounds_planned=5)
    a, b = names_at(tournament, 1)
    shown = log(client, tournament)
    for sentence in (
        "Event created",
        "9 players registered: Player 01, Player 02, Player 03 …",
        "Round 1 paired; 5 matches of round 1",
        "Round 1 published",
        f"Table 1, round 1: {a} 2–0 {b}",
        f"Table 1, round 1: {a} 2–1 {b} (was 2–0)",
        "van Dam dropped",
        "Player 05 was disqualified",
        "Nour: name changed",
        "Swiss rounds: none → 5",
    ):
        assert sentence in shown, sentence


def test_an_undo_is_a_line_of_its_own_and_says_what_it_took_back_or_why_it_cannot(client):
    tournament = running(client, 8)
    post_slip(client, tournament, slip="20")
    tournament.refresh_from_db()
    number = tournament.revision
    a, b = names_at(tournament, 1)
    said = f"Action {number} undone: Table 1, round 1: {a} vs. {b}, no result (was 2–0)"
    assert said in undo(client, tournament, number)
    assert match_of(tournament).result is None
    assert "gone" in log(client, tournament).one(f"tr#action-{number}")["class"]
    assert [undo(client, tournament, wrong).status for wrong in (number, 1, 12345)] == [409, 409, 404]
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    first = tournament.revision
    record_result(tournament, 1, 1, Slip("played", 2, 1))
    refused = undo(client, tournament, first)
    assert refused.status == 409 and f"Action {tournament.revision}" in refused


def test_an_undone_publication_is_a_draft_again(client):
    tournament = running(client, 8)
    tournament.refresh_from_db()
    assert "Unpublish round 1?" in undo(client, tournament, tournament.revision)
    assert "Check and publish round 1" in undo(client, tournament, tournament.revision, sure="on")
    assert tournament.rounds.get().state == "draft"


def test_a_long_log_comes_in_pages(client):
    tournament = running(client, 2)
    for number in range(50):
        rename_entry(tournament, "P0001", f"Ada {number}")
    first = log(client, tournament)
    assert len(first.all("tr[id^=action-]")) == 50 and "Older" in first
    assert "Event created" in log(client, tournament, page=2)


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
        "message, judge call or drop request 1 is open again",
        "judge call 1 waits for a judge",
        "judge call 1 deleted",
    ]
