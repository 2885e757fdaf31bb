import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TWO_NIL, UserFactory
from tests.pages import Page, page, words_in
from tests.tournament.views.desk import HTMX, key, post_line, running, sign_in_staff
from tournament.event.clock import RoundClock
from tournament.models import Round, Staff
from tournament.results.desk_rows import deadline_groups_of
from tournament.results.desk_sheet import desk_sheet_of, sheets
from tournament.results.shorthand import parse_slip
from tournament.services.clock import start_clock
from tournament.services.results import record_result
from tournament.services.rounds import extend_table

pytestmark = pytest.mark.django_db


def round_page(client, tournament, **query):
    return page(client, f"/t/{tournament.slug}/desk/rounds/1/", **query)


def listed(shown):
    lines = shown.soup.select("#outstanding > .match, #outstanding > .due")
    return [
        line.get("id", "").removeprefix("match-") or words_in(line).removeprefix("! ").partition(" end")[0]
        for line in lines
    ]


def test_outstanding_tables_stand_by_deadline_and_those_past_theirs_are_marked(client):
    tournament = running(client, 12, round_minutes=50)
    assert listed(round_page(client, tournament)) == list("123456")
    start_clock(tournament, 1)
    extend_table(tournament, 1, 2, 5)
    extend_table(tournament, 1, 4, 3)
    round_page(client, tournament)  # draws every row, of which the result changes one
    record_result(tournament, 1, 3, TWO_NIL)
    shown = round_page(client, tournament)
    assert shown.one("#match-1.out") and shown.one("#match-3.in")
    assert listed(shown) == ["No extra time · 3", "1", "5", "6", "+3 min · 1", "4", "+5 min · 1", "2"]
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
    assert [line for line in listed(round_page(client, tournament)) if not line.isdigit()] == [
        "Past time · 4",
        "+5 min · 1",
    ]
    part = Page(client.get(f"/t/{tournament.slug}/desk/rounds/1/rows/", {"since": 1}))
    assert part.all("[data-fresh]") and "Past time · 4" in part


def test_each_table_leads_to_its_slip_a_page_without_javascript_and_a_part_with_it(client):
    tournament = running(client)
    record_result(tournament, 1, 2, TWO_NIL)
    plain = round_page(client, tournament)
    for table in (1, 2):
        address = f"/t/{tournament.slug}/desk/rounds/1/tables/{table}/slip/"
        assert plain.one(f'a.at[href="{address}"]')
        whole, part = client.get(address), client.get(address, **HTMX)
        assert whole["Vary"] == part["Vary"] and "HX-Request" in whole["Vary"]
        assert Page(whole).all("html") and not Page(part).all("html")
        for shown in (Page(whole), Page(part)):
            assert bool(shown.all('[value="21"]')) == (table == 1)  # the usual scores, while it is out
            assert ("Clear the result" in shown) == (table == 2)
    assert round_page(client, tournament, names=1).all(".with-names") and not plain.all(".with-names")
    sign_in_staff(client, tournament)
    seen = round_page(client, tournament)
    assert seen.all(".at") and not seen.all('[href*="/slip/"]')


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
                shown = round_page(client, tournament)
            counts.append(len(queries))
        assert len(shown.all("[id^=match-]")) == players // 2
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
    sent, before = {"key": key(), "replace": "on"}, tournament.actions.count()
    assert [post_line(client, tournament, line, **sent).status_code for _ in "12"] == [200, 200]
    assert tournament.actions.count() == before + 1
