import pytest

from pairings.draft.services import draft_next_round
from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.pages import Page, page, words_in
from tests.tournament.views.desk import HTMX, key, running, sign_in_staff, signed_in
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.results import record_result
from tournament.services.stages import add_stage

pytestmark = pytest.mark.django_db
INSTEAD = "Correct it instead"


def row_of(client, tournament, action) -> Page:
    return Page(str(page(client, f"/t/{tournament.slug}/desk/log/").one(f"#action-{action.number}")))


def undo(client, tournament, action, **sent):
    return client.post(f"/t/{tournament.slug}/desk/undo/", {"number": action.number, "key": key(), **sent})


def refusal_of(client, tournament, action) -> tuple[str, str]:
    answer = Page(undo(client, tournament, action))
    assert answer.status == 409
    notice = answer.one("p.notice.error")
    link = notice.select_one("a")
    assert link is None or words_in(link) == INSTEAD
    return words_in(notice), link["href"] if link else ""


def can_undo(row: Page) -> bool:
    return "undo" in row.all("button")


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
    assert "undo" not in last.all("section:has(#changes) button")
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
    assert ("Correct…" in log) == may and ("undo" in log.all("button")) == may


def test_undoing_a_correction_leads_to_the_repair_of_the_round_being_played(client):
    tournament = signed_in(client, entries=8, rounds=2, published=True)
    correction = correct_result(tournament, 1, 1, Slip("double_loss"), reason="both left")
    assert undo(client, tournament, correction)["Location"].endswith("/desk/rounds/3/repair/")
    drop = drop_entry(tournament, "P0001")
    assert undo(client, tournament, drop)["Location"] == f"/t/{tournament.slug}/desk/"


def by_scorekeeper(client, tournament, action):
    """What undoing that action answers to a scorekeeper, and whether the log offers it."""
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
