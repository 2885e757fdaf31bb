import pytest

from pairings.draft.services import draft_next_round
from tests import factories
from tests.factories import RoundFactory, TournamentFactory
from tests.steps import complete_round, is_sound, load_again
from tests.tournament.views.desk import match_of
from tournament.archive.load import dump_event
from tournament.archive.snapshots import list_snapshots, write_snapshot
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.history.describe import describe_actions
from tournament.results.shorthand import parse_slip, slip_shorthand
from tournament.results.slip import (
    MatchRules,
    Slip,
    check_slip,
    find_match_winner,
    plain_slip,
    reported_slips,
    turn_slip,
    usual_slips,
)
from tournament.results.wording import report_words
from tournament.rulesets import presets
from tournament.services.drops import drop_entry
from tournament.services.event_settings import change_settings
from tournament.services.reports import accept_reports, report_result, withdraw_report
from tournament.services.results import clear_result, extend_table, match_rules, record_result
from tournament.services.rounds import discard_draft, publish_round
from tournament.services.snapshots import changes_by_restoring, restore_over
from tournament.services.undo import can_unpublish, undo_action, undone_numbers


def match(tournament, table=1, number=1):
    return tournament.rounds.get(number=number).matches.get(table=table)


@pytest.mark.parametrize(
    ("text", "slip"),
    [
        ("20", Slip("played", 2, 0)),
        ("2–1", Slip("played", 2, 1)),  # as the desk prints it
        ("001", Slip("played", 0, 0, 1)),
        ("10t", Slip("played", 1, 0, unfinished=True)),
        ("d", Slip("played", 1, 1)),
        ("ID", Slip("intentional_draw")),
        ("ns2", Slip("forfeit", winner="a", drops="b")),
        ("ns", Slip("forfeit", drops="ab")),
        ("21x", Slip("played", 2, 1, drops="b")),
        ("idxx", Slip("intentional_draw", drops="ab")),
    ],
)
def test_the_one_box_reads(text, slip):
    assert parse_slip(text) == slip


@pytest.mark.parametrize("text", ["", "2", "2-", "abc", "2-1-1-1", "20\x00", "-1", "２１x!", "9" * 50])
def test_the_one_box_refuses_what_it_does_not_understand(text):
    with pytest.raises(Refused, match="is not a result"):
        parse_slip(text)


def test_what_a_slip_may_say_depends_on_the_match():
    check_slip(Slip("played", 1, 0), MatchRules(best_of=1))
    with pytest.raises(Refused, match="ends at 1 win"):
        check_slip(Slip("played", 2, 0), MatchRules(best_of=1))
    assert [slip.games for slip in usual_slips(MatchRules(best_of=1))] == [(1, 0, 0), (0, 0, 1), (0, 1, 0)]
    assert Slip("played", 1, 0, unfinished=True).games == (1, 0, 1)
    with pytest.raises(Refused, match="was over"):
        check_slip(Slip("played", 2, 0, unfinished=True), MatchRules())
    rules = MatchRules(elimination=True, draws=False, intentional=False)
    with pytest.raises(Refused, match="needs a winner"):
        check_slip(Slip("played", 1, 1), rules)
    with pytest.raises(Refused):
        check_slip(Slip("intentional_draw"), rules)
    check_slip(Slip("forfeit"), rules)


def test_a_result_is_one_action_with_before_and_after_and_the_same_again_is_none(desk):
    seen = match(desk).version
    action = record_result(desk, 1, 1, Slip("played", 2, 1), version=seen)
    assert action.kind == "result" and desk.revision == match(desk).version == action.number
    before = {"result": None, "games": None, "winner": ""}
    after = {"result": "played", "games": [2, 1, 0], "winner": "a"}
    assert action.changes == [{"fact": "rounds/1/tables/1", "before": before, "after": after}]
    assert record_result(desk, 1, 1, Slip("played", 2, 1), version=seen) is None
    record_result(desk, 1, 1, Slip("intentional_draw"))
    assert match(desk).result == "intentional_draw" and match(desk).drawn is None, "the ruleset has its games"


def test_one_form_is_done_once_and_its_key_is_for_nothing_else_in_that_event(desk):
    first = record_result(desk, 1, 1, Slip("played", 2, 0), key="k1")
    assert record_result(desk, 1, 1, Slip("played", 2, 0), key="k1").pk == first.pk
    with pytest.raises(Conflict, match="already sent with different values"):
        record_result(desk, 1, 1, Slip("played", 0, 2), key="k1")
    factories.enter_results(desk, 1)
    draft_next_round(desk)
    publish_round(desk, 2, key="k2")
    with pytest.raises(Conflict, match="already sent with different values"):
        discard_draft(desk, 2, key="k2")
    other = factories.TournamentFactory(entries=4, published=True)
    assert record_result(other, 1, 1, Slip("played", 2, 0), key="k1").tournament == other


def test_only_a_table_of_a_round_in_progress_takes_a_result(desk):
    record_result(desk, 1, 1, Slip("played", 2, 0))
    with pytest.raises(WrongState, match="tables: 2, 3"):
        complete_round(desk, 1)
    with pytest.raises(NotFound, match="no table 77"):
        record_result(desk, 1, 77, Slip("played", 2, 0))
    with pytest.raises(NotFound, match="no round 9"):
        record_result(desk, 9, 1, Slip("played", 2, 0))
    with pytest.raises(WrongState, match="already published"):
        publish_round(desk, 1)
    factories.enter_results(desk, 1)
    draft_next_round(desk)
    with pytest.raises(WrongState, match="Round 1 is complete"):
        record_result(desk, 1, 1, Slip("played", 0, 2))
    with pytest.raises(WrongState, match="Round 1 is complete"):
        clear_result(desk, 1, 1)
    with pytest.raises(WrongState, match="Round 2 is not published yet"):
        record_result(desk, 2, 1, Slip("played", 0, 2))
    with pytest.raises(WrongState, match="not in progress"):
        extend_table(desk, 2, 1, 5)


def test_a_slip_that_is_cleared_or_corrected_takes_its_own_drop_back_but_no_other(desk):
    record_result(desk, 1, 1, parse_slip("21x"))
    loser = match(desk).seats.get(side="b").entry
    assert (loser.status, loser.dropped_after) == ("dropped", 1)
    clear_result(desk, 1, 1, version=match(desk).version)
    loser.refresh_from_db()
    assert (loser.status, loser.dropped_after) == ("playing", None)
    assert match(desk).result is None and match(desk).winner == ""
    assert set(match(desk).seats.values_list("games", flat=True)) == {None}
    record_result(desk, 1, 1, parse_slip("ns1"))
    absent = match(desk).seats.get(side="a").entry
    record_result(desk, 1, 1, parse_slip("20"))
    absent.refresh_from_db()
    assert (absent.status, absent.dropped_after) == ("playing", None)
    drop_entry(desk, absent.code)
    record_result(desk, 1, 1, parse_slip("21"))
    absent.refresh_from_db()
    assert absent.status == "dropped"


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
    [snapshot] = list_snapshots(tournament)
    assert [change["fact"] for change in changes_by_restoring(tournament, snapshot)] == ["rounds/1/tables/3"]
    restore_over(tournament, snapshot, seen=tournament.revision, actor="ada", reason="Rain")
    assert (result(tournament, 3), reports(tournament), reports(tournament, 2)) == (None, {}, {"a": "21"})
    assert_sound(tournament)


@pytest.mark.parametrize("ruleset", sorted(presets()))
def test_every_button_of_every_ruleset_is_a_result_once_both_press_it(ruleset):
    tournament = running("on", entries=4, ruleset=ruleset)
    tournament.refresh_from_db()
    a, b = codes(tournament)
    rules = match_rules(match_of(tournament), tournament.profile)
    slips = reported_slips(rules)
    assert slips or rules.scores
    for slip in [*slips, *map(turn_slip, slips)]:
        assert parse_slip(slip_shorthand(slip, rules), rules) == slip and report_words(slip)
        report_result(tournament, a, 1, slip)
        assert reports(tournament) == {"a": slip_shorthand(plain_slip(slip, rules), rules)}
        report_result(tournament, b, 1, turn_slip(slip))
        assert result(tournament)[1] == find_match_winner(slip.result, slip.games)
        clear_result(tournament, 1, 1)
