"""The desk's page of a round: outstanding tables by deadline, entered ones in short, each a way to its slip."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TWO_NIL, UserFactory
from tests.tournament.views.desk import HTMX, key, post_line, running
from tournament.event.clock import RoundClock
from tournament.models import Round, Staff
from tournament.results.deadline_groups import deadline_groups_of
from tournament.results.desk_sheet import desk_sheet_of, sheets
from tournament.results.shorthand import parse_slip
from tournament.services.clock import start_clock
from tournament.services.results import record_result
from tournament.services.rounds import extend_table

pytestmark = pytest.mark.django_db


def page_of(client, tournament, query=""):
    return client.get(f"/t/{tournament.slug}/desk/rounds/1/{query}").content.decode()


def listed(html):
    """The outstanding list as it is read: headings, and tables."""
    part = html[html.index('id="outstanding"') : html.index('id="deadlines"')]
    return re.findall(r"(Past time · \d+|No extra time · \d+|\+\d+ min · \d+|id=\"match-\d+)", part)


def test_outstanding_tables_stand_by_deadline_and_those_past_theirs_are_marked(client):
    tournament = running(client, 12, round_minutes=50)
    assert listed(page_of(client, tournament)) == [f'id="match-{table}' for table in range(1, 7)]
    start_clock(tournament, 1)
    extend_table(tournament, 1, 2, 5)
    extend_table(tournament, 1, 4, 3)
    page_of(client, tournament)  # draws every row, of which the result changes one
    record_result(tournament, 1, 3, TWO_NIL)
    html = page_of(client, tournament)
    assert 'id="match-1" class="match out"' in html and 'id="match-3" class="match in"' in html
    tables = [line.removeprefix('id="match-') for line in listed(html)]
    assert tables == ["No extra time · 3", "1", "5", "6", "+3 min · 1", "4", "+5 min · 1", "2"]
    ends = Round.objects.get(tournament=tournament).ends_at
    sheet = desk_sheet_of(tournament, Round.objects.get(tournament=tournament))
    for minutes, expected in (
        (-1, [(0, 3, False), (3, 1, False), (5, 1, False)]),
        (1, [(0, 3, True), (3, 1, False), (5, 1, False)]),
        (4, [(0, 4, True), (5, 1, False)]),
        (9, [(0, 5, True)]),
    ):
        now = ends + dt.timedelta(minutes=minutes)
        groups = deadline_groups_of(RoundClock(None, ends), sheet.outstanding, now)
        assert [(group.extra, len(group.rows), group.past) for group in groups] == expected, minutes
    Round.objects.update(ends_at=timezone.now() - dt.timedelta(minutes=4))
    sheets.clear()
    html = page_of(client, tournament)
    assert [line for line in listed(html) if "match" not in line] == ["Past time · 4", "+5 min · 1"]
    part = client.get(f"/t/{tournament.slug}/desk/rounds/1/rows/", {"since": 1}).content.decode()
    assert "data-fresh" in part and "Past time · 4" in part


def test_each_table_leads_to_its_slip_a_page_without_javascript_and_a_part_with_it(client):
    tournament = running(client)
    record_result(tournament, 1, 2, TWO_NIL)
    html = page_of(client, tournament)
    for table in (1, 2):
        address = f"/t/{tournament.slug}/desk/rounds/1/tables/{table}/slip/"
        assert f'<a class="at" href="{address}">' in html
        page, part = client.get(address), client.get(address, **HTMX)
        assert page["Vary"] == part["Vary"] and "HX-Request" in page["Vary"]
        assert "<html" in page.content.decode() and "<html" not in part.content.decode()
        for answer in (page, part):
            assert ('value="21"' in answer.content.decode()) == (
                table == 1
            )  # the usual scores, while it is out
            assert ("Clear the result" in answer.content.decode()) == (table == 2)
    names = page_of(client, tournament, "?names=1")
    assert 'class="matches cells with-names"' in names and "with-names" not in html
    judge = UserFactory()
    Staff.objects.create(tournament=tournament, user=judge, role="judge")
    client.force_login(judge)
    seen = page_of(client, tournament)
    assert 'class="at"' in seen and "/slip/" not in seen


def test_the_page_costs_the_same_queries_for_a_table_and_for_many_kept_or_not(client):
    counts = []
    for players in (4, 60):
        tournament = running(client, players, round_minutes=50)
        start_clock(tournament, 1)
        post_line(client, tournament, "1 20")
        for read in (True, False):
            if read:
                sheets.clear()
            with CaptureQueriesContext(connection) as queries:
                html = page_of(client, tournament)
            counts.append(len(queries))
        assert html.count('id="match-') == players // 2
    assert counts[0] == counts[2] and counts[1] == counts[3] <= 12, counts


@pytest.mark.django_db(transaction=True)
def test_in_a_browser_a_table_goes_under_the_heading_of_its_new_deadline(client, page, live_server):
    owner = UserFactory()
    tournament = running(client, 8, round_minutes=50)
    Staff.objects.create(tournament=tournament, user=owner, role="owner")
    start_clock(tournament, 1)
    open_as(page, live_server, owner, f"/t/{tournament.slug}/desk/rounds/1/")
    assert page.locator("#outstanding .due").count() == 0
    for line in ("2 +5", "3 20"):
        page.fill("#line", line)
        page.press("#line", "Enter")
    expect(page.locator("#entered > #match-3")).to_be_visible()
    texts = page.locator("#outstanding > li:visible").all_inner_texts()
    assert ["No extra time · 2" in texts[0], "+5 min · 1" in texts[3], "+5" in texts[4]] == [True] * 3
    page.click("#match-4 a")
    page.click("#match-4 button[value='21']")
    page.hover("#line")
    expect(page.locator("#entered > #match-4 .score")).to_have_text("2–1")
    assert page.locator("#match-4 .nm").first.bounding_box()["width"] <= 1  # read out, and shown on request


@pytest.mark.parametrize("line", ["1 20", "1 -"])
def test_a_line_whose_answer_was_lost_is_sent_again_and_done_once(client, line):
    tournament = running(client)
    record_result(tournament, 1, 1, parse_slip("02"))
    record_result(tournament, 1, 2, parse_slip("02"))
    tournament.refresh_from_db()
    sent = {"text": line, "key": key(), "seen": tournament.revision, "replace": "on"}
    before = tournament.actions.count()
    address = f"/t/{tournament.slug}/desk/rounds/1/box/"
    answers = [client.post(address, sent, **HTMX) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert tournament.actions.count() == before + 1
