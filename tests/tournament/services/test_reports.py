import pytest

from tests.factories import RoundFactory, TournamentFactory, enter_results
from tests.steps import is_sound, load_again
from tests.tournament.views.desk import match_of
from tournament.archive.load import dump_event
from tournament.archive.snapshots import snapshots_of, write_snapshot
from tournament.errors import Conflict, WrongState
from tournament.history.describe import describe_actions
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import plain_slip, reported_slips, turn_slip, winner_of
from tournament.results.wording import report_words
from tournament.rulesets import presets
from tournament.services.event_settings import change_settings
from tournament.services.reports import accept_reports, confirm_report, report_result, withdraw_report
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


def test_equal_reports_are_the_result_at_once_and_the_same_again_changes_nothing(tournament):
    a, b = codes(tournament)
    first = report(tournament, a, "21")
    assert result(tournament) is None and reports(tournament) == {"a": "21"}
    assert first.actor == f"player:{a}" and "reported 2–1 (" in words(tournament, first)
    assert report(tournament, a, "21") is None
    second = report(tournament, b, "12")  # own games first
    assert result(tournament) == ("played", "a") and reports(tournament) == {}
    sentence = words(tournament, second)
    assert "2–1" in sentence and "report" not in sentence
    assert report(tournament, a, "21") is None and confirm_report(tournament, b, 1, parse_slip("12")) is None
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


def test_different_reports_wait_for_a_judge_and_can_be_changed_or_taken_back(tournament):
    a, b = codes(tournament)
    report(tournament, a, "20")
    report(tournament, b, "20")
    assert result(tournament) is None and reports(tournament) == {"a": "20", "b": "02"}
    with pytest.raises(WrongState, match="differ"):
        accept_reports(tournament, 1, 1)
    assert accept_reports(tournament, 1) is None
    assert "taken off" in words(tournament, withdraw_report(tournament, a, 1))
    assert reports(tournament) == {"b": "02"} and withdraw_report(tournament, a, 1) is None
    report(tournament, a, "20")
    report(tournament, b, "02")
    assert result(tournament) == ("played", "a")
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
