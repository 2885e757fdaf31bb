"""What can no longer be undone, and where it is corrected instead."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.tournament.views.desk import HTMX, key, post_line, post_slip, running
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries, rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.events import finish_tournament
from tournament.services.results import record_result

pytestmark = pytest.mark.django_db
INSTEAD = "Correct it instead"


def log_of(client, tournament):
    return client.get(f"/t/{tournament.slug}/desk/log/").content.decode()


def row_of(client, tournament, number):
    """The row of that action in the log."""
    page = log_of(client, tournament)
    return page.split(f'id="action-{number}"')[1].split("</tr>")[0]


def refusal_of(client, tournament, number, **headers):
    """What undoing that action answers: its notice."""
    answer = client.post(f"/t/{tournament.slug}/desk/undo/", {"number": number, "key": key()}, **headers)
    assert answer.status_code == 409
    return answer.content.decode().split('<p class="notice error"')[1].split("</p>")[0]


def is_corrected_at(client, tournament, action, page):
    """Whether the log, and the refusal of an undo, lead there instead of undoing; and whether the page opens."""
    address = f"/t/{tournament.slug}/desk/{page}"
    row, refusal = row_of(client, tournament, action.number), refusal_of(client, tournament, action.number)
    assert f'href="{address}"' in row and "Correct…" in row and "undo</button>" not in row
    assert f'<a href="{address}">{INSTEAD}</a>' in refusal
    return client.get(address).status_code == 200


def test_a_result_of_a_complete_round_is_corrected_at_its_table(client):
    tournament = running(client)
    result = record_result(tournament, 1, 2, Slip("played", 2, 0))
    assert "undo</button>" in row_of(client, tournament, result.number)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    assert is_corrected_at(client, tournament, result, "rounds/1/tables/2/correct/")


def test_a_result_that_was_replaced_is_corrected_at_its_table(client):
    tournament = running(client)
    first = record_result(tournament, 1, 2, Slip("played", 2, 0))
    second = record_result(tournament, 1, 2, Slip("played", 0, 2))
    assert is_corrected_at(client, tournament, first, "rounds/1/tables/2/correct/")
    assert "undo</button>" in row_of(client, tournament, second.number)


def test_a_publication_with_results_is_corrected_by_a_repair_of_that_round(client):
    tournament = running(client)
    publication = tournament.actions.get(kind="publish")
    record_result(tournament, 1, 2, Slip("played", 2, 0))
    assert is_corrected_at(client, tournament, publication, "rounds/1/repair/")
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    assert is_corrected_at(client, tournament, publication, "rounds/1/")


def test_a_rename_is_corrected_on_the_players_page_and_a_drop_where_one_says_when_it_was(client):
    tournament = running(client)
    rename = rename_entry(tournament, "P0003", "Bo Lind")
    assert is_corrected_at(client, tournament, rename, "players/P0003/")
    drop = drop_entry(tournament, "P0004")
    assert "undo</button>" in row_of(client, tournament, drop.number)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    assert f'players/P0004/correct/">{INSTEAD}</a>' in refusal_of(client, tournament, drop.number)


def test_several_players_are_corrected_from_the_list(client):
    tournament = running(client)
    late = add_entries(tournament, ["Kim Late", "Lou Late"])
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    assert f'/desk/players/">{INSTEAD}</a>' in refusal_of(client, tournament, late.number)


def test_after_the_end_results_are_corrected_and_the_finish_is_undone(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    client.force_login(tournament.owner)
    settings = change_settings(tournament, first_table=20)
    finish = finish_tournament(tournament)
    result = tournament.actions.filter(kind="result").first()
    table = result.changes[0]["fact"].split("/")[3]
    assert is_corrected_at(client, tournament, result, f"rounds/1/tables/{table}/correct/")
    assert "undo</button>" in row_of(client, tournament, finish.number)
    assert "Correct…" not in row_of(client, tournament, settings.number)
    refusal = refusal_of(client, tournament, settings.number)
    assert "Reopen it first." in refusal and INSTEAD not in refusal


def test_what_is_undone_already_is_not_corrected(client):
    tournament = running(client)
    result = record_result(tournament, 1, 2, Slip("played", 2, 0))
    client.post(f"/t/{tournament.slug}/desk/undo/", {"number": result.number, "key": key()})
    row = row_of(client, tournament, result.number)
    assert "undone" in row and "Correct…" not in row and "undo</button>" not in row
    assert INSTEAD not in refusal_of(client, tournament, result.number)


def test_the_desk_leads_to_the_correction_too(client):
    tournament = running(client)
    post_slip(client, tournament, table=2, slip="20")
    tournament.refresh_from_db()
    first = tournament.revision
    post_line(client, tournament, "2 21", replace="on")
    sent = {"number": first, "round": 1, "key": key()}
    answer = client.post(f"/t/{tournament.slug}/desk/undo/", sent, **HTMX)
    assert answer.status_code == 409
    assert f'/rounds/1/tables/2/correct/">{INSTEAD}</a>' in answer.content.decode()


def test_the_last_changes_that_cannot_be_undone_offer_their_correction(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    finish_tournament(tournament)
    client.force_login(tournament.staff.create(user=UserFactory(), role="scorekeeper").user)
    page = client.get(f"/t/{tournament.slug}/desk/").content.decode()
    last = page.split('id="changes"')[1].split("</section>")[0]
    assert "/correct/" in last and "Correct…" in last and "undo</button>" not in last


def test_a_judge_is_offered_neither(client):
    tournament = TournamentFactory(entries=4, rounds=2)
    client.force_login(tournament.staff.create(user=UserFactory(), role="judge").user)
    page = log_of(client, tournament)
    assert "Correct…" not in page and "undo</button>" not in page


def test_a_log_of_many_rows_takes_no_more_queries_than_one_of_few(client):
    counts = []
    for players in (8, 40):
        tournament = TournamentFactory(entries=players, rounds=2, published=True)
        client.force_login(tournament.owner)
        with CaptureQueriesContext(connection) as queries:
            assert "Correct…" in log_of(client, tournament)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_undoing_a_correction_leads_to_the_repair_of_the_round_being_played(client):
    owner = UserFactory()
    client.force_login(owner)
    tournament = TournamentFactory(entries=8, rounds=2, published=True, owner=owner)
    action = correct_result(tournament, 1, 1, Slip("double_loss"), reason="both left")
    answer = client.post(f"/t/{tournament.slug}/desk/undo/", {"number": action.number})
    assert answer["Location"] == f"/t/{tournament.slug}/desk/rounds/3/repair/"
    drop = drop_entry(tournament, "P0001")
    answer = client.post(f"/t/{tournament.slug}/desk/undo/", {"number": drop.number})
    assert answer["Location"] == f"/t/{tournament.slug}/desk/"
