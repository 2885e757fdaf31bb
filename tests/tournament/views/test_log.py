import re

import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page, words_in
from tests.tournament.views.desk import HTMX, key, match_of, post_slip, running, sign_in_staff, signed_in
from tournament.history.describe import describe_actions
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import disqualify_entry, drop_entry
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.judging import answer_call, call_judge, end_deck_check, settle_call, start_deck_check
from tournament.services.results import record_result
from tournament.services.stages import add_stage
from tournament.services.undo import undo_action

INSTEAD = "Correct it instead"


def row_of(client, tournament, action) -> Page:
    return Page(str(page(client, f"/t/{tournament.slug}/desk/log/").one(f"#action-{action.number}")))


def undo(client, tournament, action, **sent):
    return client.post(f"/t/{tournament.slug}/desk/undo/", {"number": action.number, "key": key(), **sent})


def refusal_of(client, tournament, action) -> tuple[str, str]:
    answer = Page(undo(client, tournament, action))
    assert answer.status == 409
    notice = answer.one("p.notice.bad")
    link = notice.select_one("a")
    assert link is None or words_in(link) == INSTEAD
    return words_in(notice), link["href"] if link else ""


def can_undo(row: Page) -> bool:
    return "Undo" in row.all("button")


def is_corrected_at(client, tournament, action, part):
    """Whether the log, and the refusal of an undo, lead there instead of undoing; and whether the page opens."""
    address = f"/t/{tournament.slug}/desk/{part}"
    row = row_of(client, tournament, action)
    assert row.link("Correct…") == address and not can_undo(row)
    assert refusal_of(client, tournament, action)[1] == address
    return client.get(address).status_code == 200


def next_round(tournament):
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)


def test_a_result_of_a_complete_round_or_one_that_was_replaced_is_corrected_at_its_table(client):
    tournament = running(client)
    first = record_result(tournament, 1, 2, Slip("played", 2, 0))
    assert can_undo(row_of(client, tournament, first))
    second = record_result(tournament, 1, 2, Slip("played", 0, 2))
    assert is_corrected_at(client, tournament, first, "rounds/1/tables/2/correct/")
    assert can_undo(row_of(client, tournament, second))
    sent = {"number": first.number, "round": 1, "key": key()}
    desk = Page(client.post(f"/t/{tournament.slug}/desk/undo/", sent, **HTMX))  # from the round's own page
    assert desk.status == 409 and desk.link(INSTEAD).endswith("/rounds/1/tables/2/correct/")
    other = record_result(tournament, 1, 3, Slip("played", 2, 0))
    next_round(tournament)
    assert is_corrected_at(client, tournament, other, "rounds/1/tables/3/correct/")


def test_a_publication_with_results_is_corrected_by_a_repair_of_that_round(client):
    tournament = running(client)
    publication = tournament.actions.get(kind="publish")
    record_result(tournament, 1, 2, Slip("played", 2, 0))
    assert is_corrected_at(client, tournament, publication, "rounds/1/repair/")
    next_round(tournament)
    assert is_corrected_at(client, tournament, publication, "rounds/1/")


def test_what_was_done_to_players_is_corrected_where_one_says_what_is_right(client):
    tournament = running(client)
    late = add_entries(tournament, ["Kim Late", "Lou Late"])
    rename = rename_entry(tournament, "P0003", "Bo Lind")
    assert is_corrected_at(client, tournament, rename, "players/P0003/")
    drop = drop_entry(tournament, "P0004")
    assert can_undo(row_of(client, tournament, drop))
    next_round(tournament)
    assert refusal_of(client, tournament, drop)[1].endswith("/desk/players/P0004/correct/")
    assert refusal_of(client, tournament, late)[1].endswith("/desk/players/")


def test_after_the_end_results_are_corrected_and_the_finish_is_undone(client):
    tournament = signed_in(client, entries=4, rounds=1)
    settings = change_settings(tournament, table_plan="20-40")
    finish = finish_tournament(tournament)
    result = tournament.actions.filter(kind="result").first()
    table = result.changes[0]["fact"].split("/")[3]
    assert is_corrected_at(client, tournament, result, f"rounds/1/tables/{table}/correct/")
    assert can_undo(row_of(client, tournament, finish))
    assert "Correct…" not in row_of(client, tournament, settings)
    why, instead = refusal_of(client, tournament, settings)
    assert "Reopen it first." in why and not instead
    sign_in_staff(client, tournament, "scorekeeper")
    last = page(client, f"/t/{tournament.slug}/desk/")
    assert "Correct…" in last.all("section:has(#changes) a")
    assert "Undo" not in last.all("section:has(#changes) button")
    client.force_login(tournament.owner)
    correction = correct_result(tournament, 1, int(table), Slip("played", 0, 2), reason="misread")
    assert can_undo(row_of(client, tournament, correction))
    undo(client, tournament, correction)
    assert tournament.actions.latest("number").undoes == correction.number


def test_what_is_undone_already_is_not_corrected(client):
    tournament = running(client)
    result = record_result(tournament, 1, 2, Slip("played", 2, 0))
    undo(client, tournament, result)
    row = row_of(client, tournament, result)
    assert "undone" in row and "Correct…" not in row and not can_undo(row)
    assert not refusal_of(client, tournament, result)[1]


@pytest.mark.parametrize(("role", "may"), [("scorekeeper", True), ("judge", False)])
def test_the_log_offers_judges_nothing(client, role, may):
    tournament = TournamentFactory(entries=8, rounds=2, published=True)
    sign_in_staff(client, tournament, role)
    log = page(client, f"/t/{tournament.slug}/desk/log/")
    assert ("Correct…" in log) == may and ("Undo" in log.all("button")) == may


def test_undoing_a_correction_leads_to_the_repair_of_the_round_being_played(client):
    tournament = signed_in(client, entries=8, rounds=2, published=True)
    correction = correct_result(tournament, 1, 1, Slip("double_loss"), reason="both left")
    assert undo(client, tournament, correction)["Location"].endswith("/desk/rounds/3/repair/")
    drop = drop_entry(tournament, "P0001")
    assert undo(client, tournament, drop)["Location"] == f"/t/{tournament.slug}/desk/"


def by_scorekeeper(client, tournament, action):
    """Return a scorekeeper's response when undoing that action, and whether the log offers it."""
    sign_in_staff(client, tournament, "scorekeeper")
    offered = can_undo(row_of(client, tournament, action))
    status = undo(client, tournament, action).status_code
    client.force_login(tournament.owner)
    return status, offered


@pytest.mark.parametrize(
    ("complete", "kind"),
    [
        (draft_next_round, "draft"),
        (lambda tournament: make_cut(tournament, 4), "cut"),
        (add_stage, "session"),
    ],
)
def test_what_completed_a_round_is_undone_by_an_organizer_who_alone_may_reopen_it(client, complete, kind):
    tournament = running(client)
    change_settings(tournament, rounds_planned=1)
    enter_results(tournament, 1)
    complete(tournament)
    round_, action = tournament.rounds.get(number=1), tournament.actions.latest("number")

    def state():
        round_.refresh_from_db()
        return round_.state

    assert (action.kind, state()) == (kind, "complete")
    assert by_scorekeeper(client, tournament, action) == (403, False) and state() == "complete"
    assert can_undo(row_of(client, tournament, action))
    assert undo(client, tournament, action).status_code == 303 and state() == "published"
    # Undoing the organizer's undo completes it again, which pairing does, too; that one reopens it again.
    assert by_scorekeeper(client, tournament, tournament.actions.latest("number"))[0] == 303
    assert state() == "complete"
    assert by_scorekeeper(client, tournament, tournament.actions.latest("number"))[0] == 403


def test_a_scorekeeper_undoes_the_last_result_of_a_bracket_round(client):
    tournament = running(client)
    enter_results(tournament, 1)
    make_cut(tournament, 2)
    result = record_bracket_result(tournament, 2, 1, Slip("played", 2, 0))
    assert tournament.rounds.get(number=2).state == "complete"
    assert by_scorekeeper(client, tournament, result) == (303, True)
    assert tournament.rounds.get(number=2).state == "published"


def log(client, tournament, **query):
    return page(client, f"/t/{tournament.slug}/desk/log/", **query)


def undo_number(client, tournament, number, **fields):
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
        "Player 01, Player 02, Player 03 and 6 more registered",
        "Round 1 paired; 5 matches of round 1",
        "Round 1 published",
        f"Table 1, round 1: {a} 2–0 {b}",
        f"Table 1, round 1: {a} 2–1 {b} (was 2–0)",
        "van Dam dropped",
        "Player 05 disqualified",
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
    assert said in undo_number(client, tournament, number)
    assert match_of(tournament).result is None
    assert "gone" in log(client, tournament).one(f"li#action-{number}")["class"]
    assert [undo_number(client, tournament, wrong).status for wrong in (number, 1, 12345)] == [409, 409, 404]
    record_result(tournament, 1, 1, Slip("played", 2, 0))
    first = tournament.revision
    record_result(tournament, 1, 1, Slip("played", 2, 1))
    refused = undo_number(client, tournament, first)
    assert refused.status == 409 and f"Action {tournament.revision}" in refused


def test_an_undone_publication_is_a_draft_again(client):
    tournament = running(client, 8)
    tournament.refresh_from_db()
    assert "Unpublish round 1?" in undo_number(client, tournament, tournament.revision)
    assert "Check and publish round 1" in undo_number(client, tournament, tournament.revision, sure="on")
    assert tournament.rounds.get().state == "draft"


def test_a_long_log_comes_in_pages(client):
    tournament = running(client, 2)
    for number in range(50):
        rename_entry(tournament, "P0001", f"Ada {number}")
    first = log(client, tournament)
    assert len(first.all("li[id^=action-]")) == 50 and "Next page" in first
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
    ended = describe_actions(tournament, actions[-1:])[0].sentence
    time = re.search(r"ended at (\d\d:\d\d)", ended)[1]
    assert ended.startswith(f"Deck check ended at {time}; table 2")
    for action in reversed(actions):
        undo_action(tournament, action.number)
    said = [each.sentence for each in describe_actions(tournament, tournament.actions.order_by("number"))]
    assert said[-8:-5] == [
        "Message or judge call 1 marked done",
        said[-7],
        f"Deck check ended at {time}; table 2, round 1: 4-minute time extension (deck check)",
    ]
    undone = [sentence.split("undone: ")[1] for sentence in said[-5:]]
    assert undone[0] == "table 2, round 1: no time extension; deck check goes on"
    assert undone[2:] == [
        "message, judge call or drop request 1 is open again",
        "judge call 1 waits for a judge",
        f"{caller.name}: judge call 1 deleted",
    ]
