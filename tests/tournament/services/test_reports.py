import pytest

from tests.factories import RoundFactory, TournamentFactory
from tests.steps import is_sound, load_again
from tests.tournament.views.desk import match_of
from tournament.archive.load import dump_event
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.errors import WrongState
from tournament.history.describe import describe_actions
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import plain_slip, reported_slips, turn_slip, winner_of
from tournament.results.wording import report_words
from tournament.rulesets import presets
from tournament.services.event_settings import change_settings
from tournament.services.reports import accept_reports, report_result, withdraw_report
from tournament.services.results import clear_result, record_result, rules_of
from tournament.services.snapshots import changes_by_restoring, restore_over
from tournament.services.undo import can_unpublish, undo_action, undone_numbers

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament():
    return running("on")


def running(reporting, entries=8, **fields):
    tournament = TournamentFactory(entries=entries, **fields)
    change_settings(tournament, reporting=reporting)
    RoundFactory(tournament=tournament)
    return tournament


def codes(tournament, table=1, number=1):
    seats = match_of(tournament, table, number).seats.order_by("side")
    return tuple(seats.values_list("entry__code", flat=True))


def report(tournament, code, slip, number=1):
    return report_result(tournament, code, number, parse_slip(slip))


def reports(tournament, table=1):
    return dict(match_of(tournament, table).reports.values_list("source", "slip"))


def result(tournament, table=1):
    match = match_of(tournament, table)
    return match.result and (match.result, match.winner)


def words(tournament, action):
    return describe_actions(tournament, [action])[0].sentence


def assert_sound(tournament):
    tournament.refresh_from_db()
    assert is_sound(tournament)


def test_where_staff_accept_equal_reports_wait_for_them():
    tournament = running("staff")
    for table in (1, 2):
        a, b = codes(tournament, table)
        report(tournament, a, "20")
        report(tournament, b, "02")
    report(tournament, codes(tournament, 3)[1], "20")
    assert [result(tournament, table) for table in (1, 2, 3)] == [None] * 3
    action = accept_reports(tournament, 1, actor="ana")
    assert [result(tournament, table) for table in (1, 2, 3)] == [("played", "a")] * 2 + [None]
    assert reports(tournament, 3) == {"b": "02"}
    assert action.actor == "ana" and words(tournament, action).count("2–0") == 2
    assert_sound(tournament)
    accept_reports(tournament, 1, 3, "02", actor="ana")
    assert result(tournament, 3) == ("played", "b")
    assert_sound(tournament)
    undo_action(tournament, action.number)  # both agree still: they need not report again
    assert result(tournament) is None and reports(tournament) == {"a": "20", "b": "20"}
    assert_sound(tournament)


def test_staff_always_win_and_a_result_that_an_undo_brings_back_voids_the_reports_since(tournament):
    a, b = codes(tournament)
    report(tournament, a, "20")
    entry = record_result(tournament, 1, 1, parse_slip("12"), actor="ana")
    assert result(tournament) == ("played", "b") and reports(tournament) == {}
    with pytest.raises(WrongState, match="entered already: lost 1–2"):
        report(tournament, a, "20")
    with pytest.raises(WrongState, match="The result is entered"):
        withdraw_report(tournament, a, 1)
    undo = undo_action(tournament, entry.number)
    assert result(tournament) is None and reports(tournament) == {"a": "20"}
    report(tournament, b, "20")
    undo_action(tournament, undo.number)
    assert result(tournament) == ("played", "b") and reports(tournament) == {}
    assert entry.number not in undone_numbers(tournament, 0)
    clear_result(tournament, 1, 1)
    assert reports(tournament) == {}  # a cleared match begins again
    assert_sound(tournament)


def test_reports_go_when_players_no_longer_report_and_when_the_match_does(tournament):
    a, _b = codes(tournament)
    report(tournament, a, "20")
    assert not can_unpublish(tournament, 1)
    action = change_settings(tournament, reporting="off")
    assert reports(tournament) == {} and "taken off" in words(tournament, action)
    assert can_unpublish(tournament, 1)
    assert_sound(tournament)
    undo_action(tournament, action.number)
    assert reports(tournament) == {"a": "20"}
    assert_sound(tournament)


def test_the_archive_carries_it_byte_for_byte(tournament):
    report(tournament, codes(tournament)[1], "21")
    tournament.refresh_from_db()
    file = dump_event(tournament, with_seed=True)
    assert '"reports":[{"source":"b","slip":"12"}]' in file and '"reporting":"on"' in file
    load_again(tournament)


def test_a_restored_snapshot_leaves_reports_of_matches_that_were_there(tournament):
    report(tournament, codes(tournament, 1)[0], "20")
    tournament.refresh_from_db()
    write_snapshot(tournament, tournament.revision, "after-the-storm")
    withdraw_report(tournament, codes(tournament, 1)[0], 1)
    report(tournament, codes(tournament, 2)[0], "21")
    record_result(tournament, 1, 3, parse_slip("20"))
    tournament.refresh_from_db()
    [snapshot] = snapshots_of(tournament)
    assert [change["fact"] for change in changes_by_restoring(tournament, snapshot)] == ["rounds/1/tables/3"]
    restore_over(tournament, snapshot, seen=tournament.revision, actor="ada", reason="Rain")
    assert (result(tournament, 3), reports(tournament), reports(tournament, 2)) == (None, {}, {"a": "21"})
    assert_sound(tournament)


@pytest.mark.parametrize("ruleset", sorted(presets()))
def test_every_button_of_every_ruleset_is_a_result_once_both_press_it(ruleset):
    tournament = running("on", entries=4, ruleset=ruleset)
    tournament.refresh_from_db()
    a, b = codes(tournament)
    rules = rules_of(match_of(tournament), tournament.profile)
    slips = reported_slips(rules)
    assert slips or rules.scores
    for slip in [*slips, *map(turn_slip, slips)]:
        assert parse_slip(slip_shorthand(slip, rules), rules) == slip and report_words(slip)
        report_result(tournament, a, 1, slip)
        assert reports(tournament) == {"a": slip_shorthand(plain_slip(slip, rules), rules)}
        report_result(tournament, b, 1, turn_slip(slip))
        assert result(tournament)[1] == winner_of(slip.result, slip.games)
        clear_result(tournament, 1, 1)
