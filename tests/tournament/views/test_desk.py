import datetime as dt
import re
import zoneinfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser import open_as
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, UserFactory, enter_results
from tests.pages import Page, page, press, words_in
from tests.tournament.views.desk import HTMX, key, post_line, running, sign_in_staff, signed_in
from tournament.errors import Refused
from tournament.event.clock import RoundClock
from tournament.models import Round, Staff, Tournament
from tournament.results.desk_rows import group_by_deadline
from tournament.results.desk_sheet import load_desk_sheet, sheets
from tournament.results.shorthand import parse_slip
from tournament.services.clock import start_clock
from tournament.services.drops import drop_entry
from tournament.services.event_settings import announcement_end, change_announcement
from tournament.services.events import finish_tournament
from tournament.services.results import extend_table, record_result
from tournament.services.self_service import send_message, settle_message
from tournament.services.undo import undo_action


def test_an_organizer_walks_the_road_without_javascript(client):
    shown = page(client, "/signup/")
    press(client, shown, "Sign up", username="ada", password1="correct horse", password2="correct horse")
    shown = press(client, page(client, "/new/"), "Create the event", name="Friday night", ruleset="mtr")
    assert shown.answer.redirect_chain == [("/t/friday-night/desk/players/", 303)]
    desk = "/t/friday-night/desk/"
    assert "Add players" in page(client, desk)
    shown = press(client, shown, "Add", names="\n".join(f"Player {n}" for n in range(1, 6)))
    assert "5 players added." in shown
    shown = press(client, page(client, desk), "Pair round 1")
    assert "Before you publish" in shown
    shown = press(client, shown, "Publish round 1")
    assert "Round 1 · 2 of 2 tables outstanding" in shown
    slip = page(client, shown.one('a[href$="/rounds/1/tables/1/slip/"]')["href"])
    shown = press(client, slip, "2–1")
    assert "1 of 2 entered" in shown
    shown = press(client, shown, "Save", text="2 20x")
    assert "0 of 2 tables outstanding" in shown
    assert "Pair round 2" in shown
    press(client, press(client, page(client, desk), "Pair round 2"), "Publish round 2")
    tournament = Tournament.objects.get()
    assert tournament.rounds.count() == 2
    assert tournament.entries.filter(status="dropped").count() == 1
    assert re.search(r"Table 1, round 1: Player \d 2–1 Player \d", page(client, f"{desk}log/").words)


@pytest.mark.parametrize("role", ["scorekeeper", "judge"])
def test_the_desk_offers_each_role_only_what_it_may_do(client, role):
    tournament = TournamentFactory(entries=4)
    sign_in_staff(client, tournament, role)

    def desk():
        shown = page(client, f"/t/{tournament.slug}/desk/")
        offered = [form.action for form in shown.forms if "/desk/" in form.action]
        refused = [action for action in offered if client.get(action).status_code not in (200, 405)]
        assert not refused
        steps = [action.split("/desk/")[1] for action in offered]
        return shown, [step for step in steps if step != "undo/"]

    shown, offered = desk()
    assert offered == (["pair/"] if role == "scorekeeper" else [])
    assert ("only an organizer or a scorekeeper can do this" in shown) == (role == "judge")
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 2)
    shown, offered = desk()
    assert "Finish the event: " in shown and "only an organizer can do this" in shown
    assert offered == (["pair/"] if role == "scorekeeper" else [])
    Tournament.objects.filter(pk=tournament.pk).update(state="finished")
    assert desk()[1] == []


def test_finishing_lists_open_messages_first_and_can_be_done_anyway(client):
    tournament = TournamentFactory(entries=4, rounds=1)
    send_message(tournament, "P0003", "My result of round 1 is wrong.", number=1)
    client.force_login(tournament.owner)
    asked = Page(client.post(f"/t/{tournament.slug}/desk/settings/finish/", {"key": "once"}))
    assert "Finish the event?" in asked and "1 player message is still open." in asked
    assert "My result of round 1 is wrong." in asked
    assert asked.one(f'a[href="/t/{tournament.slug}/desk/players/P0003/"]')
    tournament.refresh_from_db()
    assert tournament.state == "running"
    press(client, asked, "Finish the event")
    tournament.refresh_from_db()
    assert tournament.state == "finished"
    quiet = TournamentFactory(entries=4, rounds=1, owner=tournament.owner)
    send_message(quiet, "P0003", "Thank you all.")
    settle_message(quiet, 1)
    client.post(f"/t/{quiet.slug}/desk/settings/finish/", {"key": "once"})  # asks nothing
    quiet.refresh_from_db()
    assert quiet.state == "finished"


def test_the_browsers_title_is_the_pages_heading_and_the_event(client):
    tournament = signed_in(client, entries=4, name="Fish & <Chips>", drafted=True)
    for path, title in (
        ("rounds/1/draft/", "Round 1 · draft pairings"),
        ("players/P0001/", "Player 01 · P0001"),
        ("log/", "Log"),
    ):
        assert page(client, f"/t/{tournament.slug}/desk/{path}").all("title") == [f"{title} · Fish & <Chips>"]


def test_a_judge_sees_the_tables_of_a_round_and_nothing_that_enters_a_result(client):
    tournament = TournamentFactory(entries=4)
    RoundFactory(tournament=tournament)
    sign_in_staff(client, tournament)
    home = page(client, f"/t/{tournament.slug}/desk/")
    assert home.link("Go to the tables") and "Enter results of round 1" not in home.all("a")
    address = f"/t/{tournament.slug}/desk/rounds/1/"
    for part in ("", "tables/1/", "rows/?since=1"):
        shown = page(client, address + part)
        assert shown.one("#match-1")
        assert not shown.soup.select('[action*="/result/"], [action*="/box/"], [href*="/correct/"]'), part


def player_page(client, tournament, code="P0001"):
    return page(client, f"/t/{tournament.slug}/desk/players/{code}/")


def offered(shown):
    return {form.action.split("/")[-2] for form in shown.forms}


NOT_AFTER_END = {"drop", "paid", "pairing", "disqualify", "bye"}
AFTER_END = {"name", "person"}


def test_a_finished_event_offers_only_what_may_still_change_of_a_player(client):
    tournament = signed_in(client, entries=4, rounds=1)
    shown = player_page(client, tournament)
    assert offered(shown) >= NOT_AFTER_END | AFTER_END
    assert "Record a penalty" in shown and "staff account" in shown.words.lower()
    drop_entry(tournament, "P0002")
    assert "reinstate" in offered(player_page(client, tournament, "P0002"))
    finish_tournament(tournament)
    shown = player_page(client, tournament)
    assert offered(shown) >= AFTER_END and not NOT_AFTER_END & offered(shown)
    assert "Record a penalty" not in shown and "staff account" not in shown.words.lower()
    assert "Correct a mistake" in shown
    assert "reinstate" not in offered(player_page(client, tournament, "P0002"))


def test_a_judge_reads_of_the_cut_and_is_not_led_to_a_refusal(client):
    tournament = signed_in(client, entries=8, rounds=3, cut=4)
    desk = f"/t/{tournament.slug}/desk/"
    assert page(client, desk).all(f'[href="{desk}cut/"]')
    sign_in_staff(client, tournament)
    shown = page(client, desk)
    assert "Cut to top 4" in shown and not shown.all(f'[href="{desk}cut/"]')


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
    sheet = load_desk_sheet(tournament, 1)
    for minutes, expected in (
        (-1, [(0, 3, False), (3, 1, False), (5, 1, False)]),
        (1, [(0, 3, True), (3, 1, False), (5, 1, False)]),
        (4, [(0, 4, True), (5, 1, False)]),
        (9, [(0, 5, True)]),
    ):
        now = ends + dt.timedelta(minutes=minutes)
        groups = group_by_deadline(RoundClock(None, ends), sheet.outstanding, now)
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


LINE = "Round 5 at 14:30"
POLLED = (
    "now/ rounds/1/pairings/ standings/table/ players/P0001/now/ bracket/tree/ screen/bracket/part/".split()
)
PAGES = [
    "", "rounds/1/", "rounds/1/proof/", "standings/", "standings/P0001/", "standings/P0001/match_points/",
    "players/", "players/?q=pla", "players/P0001/", "rules/", "bracket/", "screen/bracket/", "bracket/print/",
]  # fmt: skip


@pytest.fixture
def event(client):
    event = signed_in(client, entries=4, rounds=1, time_zone="Europe/Berlin")
    return event


def address(event, path=""):
    return f"/t/{event.slug}/{path}"


def notices(shown: Page) -> list[str]:
    return shown.all('#notice[role="status"]')


def mark_in(shown: Page) -> str:
    return shown.soup.select_one("[data-v]")["data-v"]


def test_the_owner_announces_and_everybody_sees_it_until_it_ends_by_itself(client, event, monkeypatch):
    desk = press(client, page(client, address(event, "desk/")), "Announce", text=LINE)
    assert notices(desk) == [LINE]
    client.logout()
    etags = {}
    for path in PAGES:
        answer = client.get(address(event, path))
        assert notices(Page(answer)) == [LINE], path
        etags[path] = answer.headers.get("ETag", "none")
    polled = address(event, "now/")
    mark = mark_in(page(client, polled))
    later = timezone.now() + dt.timedelta(minutes=61)
    monkeypatch.setattr(timezone, "now", lambda: later)
    for path, etag in etags.items():
        answer = client.get(address(event, path), headers={"If-None-Match": etag})
        assert (answer.status_code, notices(Page(answer))) == (200, [""]), path
    assert page(client, polled, v=mark).one("[data-notice]")["data-notice"] == ""
    event.refresh_from_db()
    revision = event.revision
    client.force_login(event.owner)
    assert notices(page(client, address(event, "desk/"))) == [""]
    event.refresh_from_db()
    assert (event.revision, event.announcement) == (revision, LINE), "nothing was written"


def test_phones_and_the_desk_get_it_with_their_next_poll_and_nobody_is_ranked_anew(client):
    event = TournamentFactory(entries=4, rounds=1)
    marks = {path: mark_in(page(client, address(event, path))) for path in POLLED}
    for path, mark in marks.items():
        assert client.get(address(event, path), {"v": mark}).status_code == 204
    client.force_login(event.owner)
    marks["desk/rounds/1/status/"] = str(event.revision)
    ranked = event.standings_revision
    change_announcement(event, LINE)
    assert event.standings_revision == ranked
    for path, mark in marks.items():
        assert page(client, address(event, path), v=mark).one("[data-notice]")["data-notice"] == LINE, path


@pytest.mark.parametrize(
    ("now", "ends", "end"),
    [
        ("2026-11-21 13:00", "14:30", "2026-11-21 14:30"),
        ("2026-11-21 23:50", "00:10", "2026-11-22 00:10"),
        ("2026-11-21 14:30", "14:30", "2026-11-22 14:30"),
        ("2026-11-21 14:30:27", "", "2026-11-21 15:30"),
    ],
)
def test_it_ends_the_next_time_the_events_clocks_show_that(monkeypatch, now, ends, end):
    berlin = dt.timezone(dt.timedelta(hours=1))
    monkeypatch.setattr(timezone, "now", lambda: dt.datetime.fromisoformat(now).replace(tzinfo=berlin))
    assert announcement_end(ends, "Europe/Berlin") == dt.datetime.fromisoformat(end).replace(tzinfo=berlin)


def test_a_time_that_has_just_passed_is_said_to_mean_tomorrow(client, event):
    passed = timezone.now().astimezone(zoneinfo.ZoneInfo("Europe/Berlin")) - dt.timedelta(minutes=2)
    tomorrow = passed + dt.timedelta(days=1)
    desk = page(client, address(event, "desk/"))
    shown = press(client, desk, "Announce", text=LINE, ends=f"{passed:%H:%M}")
    assert f"until {tomorrow.day} {tomorrow:%b %Y}, {passed:%H:%M}." in shown


def test_the_log_tells_it_and_undo_takes_it_back(client, event):
    for _ in range(2):
        change_announcement(event, LINE, "23:59", actor=event.owner, key="k")
    said = event.actions.get(key="k")
    assert f"Announced until 23:59: “{LINE}”" in page(client, address(event, "desk/log/"))
    undo_action(event, said.number)
    assert event.notice == ""
    change_announcement(event, LINE)
    change_announcement(event, " ")
    assert event.notice == ""
    assert "Announcement taken down" in page(client, address(event, "desk/log/"))


@pytest.mark.parametrize(
    ("text", "ends", "words"),
    [("x" * 201, "", "at most 200 characters"), (LINE, "25:00", "Enter a valid time")],
)
def test_what_cannot_be_announced_is_said_at_its_field_and_no_service_takes_it(
    client, event, text, ends, words
):
    answer = client.post(address(event, "desk/announcement/"), {"text": text, "ends": ends})
    assert answer.status_code == 422 and words in Page(answer)
    with pytest.raises(Refused):
        change_announcement(event, text, ends)
    event.refresh_from_db()
    assert event.announcement == ""


def test_only_the_owner_is_offered_to_announce_even_after_the_end(client, event):
    sign_in_staff(client, event)
    assert "Announce" not in page(client, address(event, "desk/")).all("button")
    over = TournamentFactory(entries=2, rounds=1, finished=True)
    change_announcement(over, "Prizes at 18:00")
    assert over.notice == "Prizes at 18:00"
