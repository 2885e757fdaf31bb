import pytest

from pairings.draft.services import draft_next_round
from tests import factories
from tests.steps import complete_round
from tournament.errors import Conflict, NotFound, Refused, WrongState
from tournament.results.shorthand import parse_slip
from tournament.results.slip import MatchRules, Slip, check_slip, usual_slips
from tournament.services.drops import drop_entry
from tournament.services.results import clear_result, record_result
from tournament.services.rounds import discard_draft, extend_table, publish_round

pytestmark = pytest.mark.django_db


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
    with pytest.raises(Refused, match="1 win ends it"):
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
