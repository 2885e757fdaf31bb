"""The sheet that a process keeps follows the log: after whatever is done it is what the database says."""

import datetime as dt
import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.factories import RoundFactory, TournamentFactory, UserFactory, enter_results, slips_of
from tests.pages import page
from tests.tournament.views.desk import post_line, running
from tournament.models import Tournament
from tournament.results.desk_rows import list_hall_tables
from tournament.results.desk_sheet import load_desk_sheet, read_sheet, sheets
from tournament.services.clock import start_clock
from tournament.services.drops import drop_entry, reinstate_entry
from tournament.services.entries import rename_entry
from tournament.services.event_settings import change_settings
from tournament.services.judging import call_judge, end_deck_check, start_deck_check
from tournament.services.reports import accept_reports, report_result, withdraw_report
from tournament.services.results import clear_result, extend_table, record_result
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def told(sheet):
    return [row._replace(changed=0) for row in (*sheet.rows, *sheet.alone)], sheet.count, sheet.names


def now(tournament):
    return Tournament.objects.get(pk=tournament.pk)


@pytest.mark.long
def test_the_kept_sheet_is_what_the_database_says_after_whatever_is_done():
    player = UserFactory(username="ada")
    tournament = TournamentFactory(entries=9, round_minutes=50)
    tournament.entries.filter(code="P0001").update(user=player)
    change_settings(tournament, reporting="staff")
    RoundFactory(tournament=tournament)
    kept, chance = load_desk_sheet(now(tournament), 1), random.Random(3)
    slips = slips_of(kept.rules)
    done = []
    steps = {
        "result": lambda t: record_result(
            tournament, 1, t, chance.choice(slips), actor=chance.choice(["ada", "b"])
        ),
        "clear": lambda t: clear_result(tournament, 1, t),
        "extend": lambda t: extend_table(tournament, 1, t, 5),
        "report": lambda t: report_result(tournament, f"P000{t}", 1, chance.choice(slips)),
        "withdraw": lambda t: withdraw_report(tournament, f"P000{t}", 1),
        "accept": lambda t: accept_reports(tournament, 1, chance.choice([t, None])),
        "drop": lambda t: drop_entry(tournament, f"P000{t}"),
        "back": lambda t: reinstate_entry(tournament, f"P000{t}"),
        "rename": lambda t: rename_entry(tournament, f"P000{t}", chance.choice(["Ana", "Bo"])),
        "undo": lambda t: undo_action(tournament, done[-1].number),
    }
    for name in [*steps, *chance.choices(list(steps), k=90)]:
        try:
            action = steps[name](chance.randint(1, 4))
        except Exception as refused:  # what cannot be done now is not done
            assert hasattr(refused, "status"), (name, refused)
            continue
        done += [action] if action else []
        tournament = now(tournament)
        sheet = load_desk_sheet(tournament, 1)
        assert sheet.revision == tournament.revision
        assert told(sheet) == told(read_sheet(tournament, tournament.rounds.get(number=1))), name
    assert len(done) > 20


def test_a_result_costs_one_query_however_many_tables_there_are_and_says_which_rows_changed():
    counts = []
    for players in (4, 40):
        tournament = TournamentFactory(entries=players)
        RoundFactory(tournament=tournament)
        seen = load_desk_sheet(now(tournament), 1).revision
        record_result(tournament, 1, 2, slips_of(load_desk_sheet(now(tournament), 1).rules)[0])
        at = now(tournament)
        with CaptureQueriesContext(connection) as queries:
            rows = load_desk_sheet(at, 1).changed_since(at, seen)
        counts.append(len(queries))
        assert [row.table for row in rows] == [2]
    assert counts == [1, 1]


def test_a_page_from_before_the_sheet_was_read_still_learns_what_changed():
    tournament = TournamentFactory(entries=8)
    RoundFactory(tournament=tournament)
    seen = Tournament.objects.get(pk=tournament.pk).revision
    drop_entry(tournament, "P0003")
    sheets.clear()
    at = now(tournament)
    rows = load_desk_sheet(at, 1).changed_since(at, seen)
    assert [row.table for row in rows] == [r.table for r in rows if "P0003" in (r.a.code, r.b.code)] != []


@pytest.fixture
def every_action_leaves_the_tables_clean() -> None:
    """Not here: its queries are not those of the line."""


def test_a_line_of_the_box_costs_the_same_in_a_small_and_a_large_round(client):
    counts = []
    for players in (6, 60):
        tournament = running(client, players)
        post_line(client, tournament, "1 20")
        with CaptureQueriesContext(connection) as queries:
            assert post_line(client, tournament, "2 20").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 18, counts


def test_a_drop_is_marked_in_its_round_and_not_in_those_before_it(client):
    tournament = running(client)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament)
    name = tournament.rounds.get(number=2).matches.get(table=1).seats.get(side="a").entry.name
    post_line(client, tournament, "1 20", number=2)

    def marked():
        rounds = (page(client, f"/t/{tournament.slug}/desk/rounds/{number}/") for number in (1, 2))
        return [f"{name} drops" in str(shown.soup) for shown in rounds]

    assert marked() == [False, False]  # both are kept now
    post_line(client, tournament, "1 x1", number=2)
    for _ in range(2):
        assert marked() == [False, True]
        sheets.clear()  # and as it is read anew


def test_judges_see_at_a_glance_which_table_needs_them():
    tournament = TournamentFactory(entries=8, reporting="staff", round_minutes=50)
    RoundFactory(tournament=tournament)
    start_clock(tournament, 1)
    call_judge(tournament, tournament.seats.filter(match__table=1)[0].entry.code)
    start_deck_check(tournament, 1, 2)
    extend_table(tournament, 1, 3, 10)
    record_result(tournament, 1, 4, slips_of(load_desk_sheet(now(tournament), 1).rules)[0])

    def states(minutes):
        event = now(tournament)
        sheet = load_desk_sheet(event, 1)
        later = sheet.round.starts_at + dt.timedelta(minutes=minutes)
        return [table.state for table in list_hall_tables(sheet, later)]

    assert states(20) == ["call", "check", "more", "done"]
    end_deck_check(tournament, 1, 2)
    assert states(20) == ["call", "out", "more", "done"]
    assert states(55) == ["call", "past", "more", "done"] and states(61)[2] == "past"
