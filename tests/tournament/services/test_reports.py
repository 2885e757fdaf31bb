"""Reports by phone: a result once both players say the same, or staff accept it; staff's entry always wins."""

import json

import pytest

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.tournament.views.desk import match_of
from tournament.actionlog import integrity
from tournament.actionlog.fold import state_at
from tournament.archive import event_of
from tournament.archive.load import dump_event, load_event
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.errors import Conflict, Refused, WrongState
from tournament.event.read import read_state
from tournament.history.describe import describe_actions
from tournament.models import Penalty, Report
from tournament.results.report_words import report_words
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import plain_slip, reported_slips, turn_slip, winner_of
from tournament.rulesets import presets
from tournament.services.event_settings import change_settings
from tournament.services.penalties import give_penalty
from tournament.services.reports import accept_reports, confirm_report, report_result, withdraw_report
from tournament.services.results import clear_result, record_result, rules_of
from tournament.services.snapshots import changes_by_restoring, restore_over
from tournament.services.undo import undo_action, undone_numbers
from tournament.services.undo_obstacles import can_unpublish

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament():
    return running("on")


def running(reporting, entries=8, **fields):
    """Round 1 is published, and players report."""
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
    """The rows are what the log says, and fsck agrees."""
    tournament.refresh_from_db()
    assert state_at(tournament) == json.loads(json.dumps(read_state(tournament)[0]))
    assert integrity.check(tournament) == []


def test_equal_reports_are_the_result_at_once(tournament):
    a, b = codes(tournament)
    first = report(tournament, a, "21")
    assert result(tournament) is None and reports(tournament) == {"a": "21"}
    assert first.actor == f"player:{a}" and "reported 2–1 (" in words(tournament, first)
    second = report(tournament, b, "12")  # own games first
    assert result(tournament) == ("played", "a") and reports(tournament) == {}
    sentence = words(tournament, second)
    assert "2–1" in sentence and "report" not in sentence
    assert_sound(tournament)


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


def test_different_reports_wait_for_a_judge_and_can_be_changed(tournament):
    a, b = codes(tournament)
    report(tournament, a, "20")
    report(tournament, b, "20")
    assert result(tournament) is None and reports(tournament) == {"a": "20", "b": "02"}
    with pytest.raises(WrongState, match="differ"):
        accept_reports(tournament, 1, 1)
    assert accept_reports(tournament, 1) is None
    report(tournament, b, "02")
    assert result(tournament) == ("played", "a")
    assert_sound(tournament)


def test_staff_always_win(tournament):
    a, b = codes(tournament)
    report(tournament, a, "20")
    entry = record_result(tournament, 1, 1, parse_slip("12"), actor="ana")
    assert result(tournament) == ("played", "b") and reports(tournament) == {}
    with pytest.raises(WrongState, match="entered already: lost 1–2"):
        report(tournament, a, "20")
    with pytest.raises(WrongState, match="The result is entered"):
        withdraw_report(tournament, a, 1)
    assert_sound(tournament)
    undo_action(tournament, entry.number)
    assert result(tournament) is None and reports(tournament) == {"a": "20"}
    report(tournament, b, "02")
    record_result(tournament, 1, 1, parse_slip("12"), actor="ana")
    clear_result(tournament, 1, 1)
    assert reports(tournament) == {}  # a cleared match begins again
    assert_sound(tournament)


def test_the_same_again_is_answered_as_the_first(tournament):
    a, b = codes(tournament)
    assert report(tournament, a, "20") and report(tournament, a, "20") is None
    assert report_result(tournament, a, 1, parse_slip("20"), key="k") is None
    confirm_report(tournament, b, 1, parse_slip("02"))
    assert report(tournament, a, "20") is None and confirm_report(tournament, b, 1, parse_slip("02")) is None
    tournament.refresh_from_db()
    assert tournament.actions.filter(kind__contains="report").count() == 2


def test_only_what_the_phone_showed_is_confirmed(tournament):
    a, b = codes(tournament)
    with pytest.raises(Conflict, match="changed the report"):
        confirm_report(tournament, b, 1, parse_slip("02"))
    report(tournament, a, "21")
    with pytest.raises(Conflict, match="changed the report"):
        confirm_report(tournament, b, 1, parse_slip("02"))
    assert result(tournament) is None and reports(tournament) == {"a": "21"}
    with pytest.raises(Conflict, match="the report changed"):
        accept_reports(tournament, 1, 1, "20")


def test_a_report_can_be_taken_back_until_it_is_the_result(tournament):
    a, b = codes(tournament)
    report(tournament, a, "20")
    action = withdraw_report(tournament, a, 1)
    assert reports(tournament) == {} and "taken off" in words(tournament, action)
    assert withdraw_report(tournament, a, 1) is None
    report(tournament, b, "20")
    assert result(tournament) is None
    assert_sound(tournament)


@pytest.mark.parametrize("slip, message", [
    ("30", "impossible"), ("22", "impossible"), ("ns2", "cannot report that"), ("ll", "cannot report that"),
])  # fmt: skip
def test_an_impossible_score_and_what_only_staff_see_is_refused(tournament, slip, message):
    revision = tournament.revision
    with pytest.raises(Refused, match=message):
        report(tournament, codes(tournament)[0], slip)
    tournament.refresh_from_db()
    assert tournament.revision == revision


def test_nothing_is_reported_without_a_match_to_report():
    tournament = running("on", entries=7)
    bye = tournament.entries.get(seats__kind="bye").code
    with pytest.raises(WrongState, match="no opponent in round 1"):
        report(tournament, bye, "20")
    a, _b = codes(tournament)
    with pytest.raises(WrongState, match="no match in round 9"):
        report(tournament, a, "20", number=9)
    enter_results(tournament, 1)
    RoundFactory(tournament=tournament, drafted=True)
    with pytest.raises(WrongState, match="no match in round 2"):  # nobody learns of a draft
        report(tournament, a, "20", number=2)
    with pytest.raises(WrongState, match="entered already"):
        report(tournament, a, "02")
    change_settings(tournament, reporting="off")
    with pytest.raises(WrongState, match="do not report"):
        report(tournament, a, "20")
    with pytest.raises(WrongState, match="do not report"):
        accept_reports(tournament, 1)


def test_a_game_lost_by_penalty_is_in_the_report(tournament):
    a, _b = codes(tournament)
    give_penalty(tournament, a, Penalty.Kind.GAME_LOSS, "Tardiness", judge="Ana")
    with pytest.raises(Refused, match="penalty in this match"):
        report(tournament, a, "20")
    report(tournament, a, "21")
    assert reports(tournament) == {"a": "21"}


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


def test_an_undone_result_that_comes_back_voids_the_reports_since(tournament):
    a, _b = codes(tournament)
    entry = record_result(tournament, 1, 1, parse_slip("20"))
    undo = undo_action(tournament, entry.number)
    report(tournament, a, "12")
    undo_action(tournament, undo.number)
    assert result(tournament) == ("played", "a") and reports(tournament) == {}
    assert entry.number not in undone_numbers(tournament)
    assert_sound(tournament)


def test_at_a_table_for_double_entry_one_report_is_one_entry():
    tournament = running("staff")
    change_settings(tournament, double_entry=[1])
    a, b = codes(tournament)
    report(tournament, a, "20")
    accept_reports(tournament, 1, 1, actor="ana")
    assert result(tournament) is None
    with pytest.raises(WrongState, match="you entered this slip already"):
        accept_reports(tournament, 1, 1, actor="ana")
    report(tournament, b, "02")
    accept_reports(tournament, 1, actor="ana")
    assert result(tournament) == ("played", "a") and not Report.objects.exists()
    assert_sound(tournament)


def test_phones_do_not_overrule_the_first_entry_of_the_desk_and_staff_settle_it():
    tournament = running("on")
    change_settings(tournament, double_entry=[2])
    a, b = codes(tournament, 2)
    first = record_result(tournament, 1, 2, parse_slip("20"), actor="ana")
    report(tournament, a, "12")
    report(tournament, b, "21")
    assert result(tournament, 2) is None
    assert reports(tournament, 2) == {"desk": "20", "a": "12", "b": "12"}
    assert confirm_report(tournament, b, 1, parse_slip("21")) is None and result(tournament, 2) is None
    for one in ((2, "12"), (2,), ()):
        with pytest.raises(WrongState, match="ana entered 2–0, both players reported 1–2"):
            accept_reports(tournament, 1, *one, actor="bo")
    change_settings(tournament, reporting="staff")
    for code, slip in zip(codes(tournament, 3), ("20", "02"), strict=True):
        report(tournament, code, slip)
    accept_reports(tournament, 1, actor="bo")  # of all but that table
    assert result(tournament, 3) == ("played", "a") and result(tournament, 2) is None
    assert_sound(tournament)
    record_result(tournament, 1, 2, parse_slip("12"), actor="ana")  # it was ana who misread the slip
    accept_reports(tournament, 1, 2, "12", actor="bo")
    assert result(tournament, 2) == ("played", "b") and reports(tournament, 2) == {}
    assert first.number not in undone_numbers(tournament)
    assert_sound(tournament)


@pytest.mark.parametrize("entered, final", [("12", ("played", "b")), ("x12", None)])
def test_equal_reports_are_the_result_where_the_first_entry_says_the_same_drops_included(entered, final):
    tournament = running("on")
    change_settings(tournament, double_entry=[2])
    a, b = codes(tournament, 2)
    record_result(tournament, 1, 2, parse_slip(entered), actor="ana")
    report(tournament, a, "12")
    report(tournament, b, "21")
    assert result(tournament, 2) == final
    assert_sound(tournament)


def test_the_archive_carries_it_byte_for_byte(tournament):
    report(tournament, codes(tournament)[1], "21")
    tournament.refresh_from_db()
    file = dump_event(tournament, with_seed=True)
    assert '"reports":[{"source":"b","slip":"12"}]' in file and '"reporting":"on"' in file
    tournament.slug = "as-it-was"
    tournament.save(update_fields=["slug"])
    copy = load_event(event_of(json.loads(file)))
    assert dump_event(copy, with_seed=True) == file
    assert_sound(copy)


def test_a_restored_snapshot_leaves_reports_of_matches_that_were_there(tournament, settings, tmp_path):
    settings.VAR_DIR = tmp_path
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


def test_fsck_sees_a_report_beside_a_result(tournament):
    report(tournament, codes(tournament)[0], "20")
    match = match_of(tournament)
    record_result(tournament, 1, 1, parse_slip("20"))
    Report.objects.create(match=match, source="a", slip="20")
    assert any("a match with a result" in problem for problem in integrity.check(tournament, marks=False))


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
