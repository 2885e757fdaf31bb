"""Verify: the slips again, compared with what is entered."""

import html
import re

import pytest

from tests.factories import enter_results
from tests.tournament.views.desk import HTMX, key, match_of, post_line, running
from tests.tournament.views.test_fixed_score import code_of

pytestmark = pytest.mark.django_db


def send(client, tournament, text="", page="", htmx=True, **more):
    """A line as the page sends it, with what it typed before."""
    lines = re.search(r'name="lines"(?: value="([^"]*)")?', page)
    sent = {"text": text, "lines": html.unescape(lines[1] or "") if lines else "", "key": key(), **more}
    answer = client.post(f"/t/{tournament.slug}/desk/rounds/1/verify/", sent, **(HTMX if htmx else {}))
    return answer.content.decode(), answer.status_code


@pytest.fixture
def tournament(client):
    tournament = running(client)
    enter_results(tournament, 1)  # 2–0 everywhere
    tournament.refresh_from_db()
    return tournament


@pytest.mark.parametrize("htmx", [True, False])
def test_only_differences_light_up_and_nothing_is_written(client, tournament, htmx):
    before = tournament.revision
    page, _status = send(client, tournament, "1 20", htmx=htmx)
    assert "1 of 4 tables verified, 0 differ" in page and "Table 1 verified" in page
    page, _status = send(client, tournament, "2 12", page, htmx)
    assert "2 of 4 tables verified, 1 differs" in page and "Table 2 differs" in page and "data-beep" in page
    assert "2–0" in page.split('id="differs-2"')[1] and "1–2" in page.split('id="differs-2"')[1]
    page, _status = send(client, tournament, "2 20", page, htmx)  # typed better: the later one counts
    assert "2 of 4 tables verified, 0 differ" in page
    page, status = send(client, tournament, "77 20", page, htmx)
    assert status == 404 and "has no table 77" in page and "2 of 4 tables verified" in page
    page, status = send(client, tournament, "3", page, htmx)
    assert status == 400 and "Type the table and what its slip says" in page
    tournament.refresh_from_db()
    assert tournament.revision == before


def test_the_slip_is_entered_by_its_button_against_the_version_that_was_shown(client, tournament):
    page, _status = send(client, tournament, "2 12")
    seen = match_of(tournament, 2).version
    post_line(client, tournament, "2 21", replace="on")
    page, status = send(client, tournament, page=page, correct=f"2:{seen}")
    assert status == 409 and "different result while you were working" in page
    assert "2–1" in page and "1–2" in page and match_of(tournament, 2).winner == "a"
    page, status = send(client, tournament, page=page, correct=f"2:{match_of(tournament, 2).version}")
    assert (
        status == 200
        and "Table 2 saved as on the slip" in page
        and "1 of 4 tables verified, 0 differ" in page
    )
    assert match_of(tournament, 2).winner == "b"


def test_drops_are_part_of_the_slip(client, tournament):
    post_line(client, tournament, "1 21x", replace="on")
    page, _status = send(client, tournament, "1 21")
    assert "1 differ" in page and "drops" in page.split('id="differs-1"')[1]
    page, _status = send(client, tournament, "1 21x")
    assert "0 differ" in page
    page, _status = send(client, tournament, "2 x20", page)
    assert "1 differ" in page


def test_a_scan_names_the_table_and_a_table_without_a_result_differs(client, tournament):
    post_line(client, tournament, "3 -")
    answer = client.post(
        f"/t/{tournament.slug}/desk/rounds/1/verify/", {"text": code_of(tournament, 3), "key": key()}, **HTMX
    )
    assert '"table": "3"' in answer["HX-Trigger"]
    page, _status = send(client, tournament, "3 20")
    assert "no result" in page.split('id="differs-3"')[1]


def test_lines_that_were_tampered_with_are_one_clear_refusal(client, tournament):
    page, status = send(client, tournament, "1 20", lines="nonsense\n1 99")
    assert status == 400 and "was not understood" in page
    page, status = send(client, tournament, correct="2:1")
    assert status == 400 and "Type this slip again" in page
