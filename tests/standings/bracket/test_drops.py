import datetime as dt
from functools import partial

import pytest
from django.test import Client
from django.utils import timezone

from standings.bracket.cut import make_cut
from standings.bracket.results import decide_match, record_bracket_result, record_repeat_game
from standings.engine.bracket.cut import Time
from standings.table.places import rank_final_places
from standings.table.sheet import final_place_by_code
from tests import factories
from tests.pages import Page, page, press
from tests.standings.bracket.brackets import bracket_stage, is_sound, seed
from tests.steps import confirmed
from tests.tournament.views.desk import key
from tests.tournament.views.phones import known
from tournament.errors import NeedsConfirmation, WrongState
from tournament.event import read
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.clock import begin_round, schedule_clock, start_clock, stop_clock
from tournament.services.drops import disqualify_entry, drop_entry, reinstate_entry
from tournament.services.judging import give_penalty
from tournament.services.results import drop_from_table
from tournament.services.self_service import drop_self
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db
WON, LOST, DRAWN = Slip("played", 2, 0), Slip("played", 0, 2), Slip("played", 0, 0, 1)


def bracket(size=4, ruleset="mtr", **fields):
    tournament = factories.TournamentFactory(entries=9, rounds=2, ruleset=ruleset, **fields)
    make_cut(tournament, size)
    return tournament


def matches(tournament):
    """{slot: (seeds of both, table, result, seed of the winner)} of the matches at tables."""
    seeds = dict(bracket_stage(tournament).stage_entries.values_list("entry__code", "seed"))
    found = {}
    for match in Match.objects.filter(round__tournament=tournament, round__swiss=False, table__isnull=False):
        sides = {seat.side: seeds[seat.entry.code] for seat in match.seats.select_related("entry")}
        found[match.slot] = (set(sides.values()), match.table, match.result, sides.get(match.winner))
    return found


BEGUN = {
    "a clock": lambda event: start_clock(event, 3, 50),
    "a press of Start": lambda event: begin_round(event, 3),
    "a clock that was turned off again": lambda event: (start_clock(event, 3, 50), stop_clock(event, 3)),
}
LEAVES = {
    "drops": drop_entry,
    "is disqualified": lambda event, code: disqualify_entry(event, code, "cheating"),
    "gets the penalty": lambda event, code: give_penalty(event, code, "disqualification", "cheating"),
    "is dropped at the table": lambda event, code: drop_from_table(event, 3, 2, "b"),
}
WAYS = [*[(begin, "drops") for begin in BEGUN], *[("a clock", leave) for leave in list(LEAVES)[1:]]]


@pytest.mark.parametrize(("begin", "leave"), WAYS)
def test_who_leaves_a_round_that_has_begun_loses_that_match_and_no_other_changes(begin, leave):
    tournament = bracket()
    BEGUN[begin](tournament)
    LEAVES[leave](tournament, seed(tournament, 3))
    assert matches(tournament) == {"W1.1": ({1, 4}, 1, None, None), "W1.2": ({2, 3}, 2, "forfeit", 2)}
    assert is_sound(tournament)


@pytest.mark.parametrize("ruleset", ["mtr", "cardeio", "twixt"])
def test_a_round_begins_with_the_first_of_its_results(ruleset):
    tournament = bracket(ruleset=ruleset)
    record_bracket_result(tournament, 3, 1, Slip("played", 1, 0) if ruleset == "twixt" else WON)
    drop_entry(tournament, seed(tournament, 3))
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, "forfeit", 2)
    assert matches(tournament)["F.1"][0] == {1, 2} and is_sound(tournament)


def test_a_clock_that_waits_for_its_time_has_not_begun_the_round():
    tournament = bracket(time_zone="Etc/UTC")
    soon = timezone.now() + dt.timedelta(minutes=2)
    schedule_clock(tournament, 3, soon.strftime("%H:%M"), 50)
    with pytest.raises(NeedsConfirmation):
        drop_entry(tournament, seed(tournament, 3))
    tournament.rounds.filter(number=3).update(starts_at=timezone.now() - dt.timedelta(seconds=1))
    drop_entry(tournament, seed(tournament, 3))
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, "forfeit", 2)


def test_the_final_standings_name_the_round_a_player_left_before_it_had_begun():
    tournament = bracket(8)
    for table in (1, 2, 3, 4):
        record_bracket_result(tournament, 3, table, WON)
    confirmed(partial(drop_entry, tournament, seed(tournament, 4)))
    record_bracket_result(tournament, 4, 2, WON)
    record_bracket_result(tournament, 5, 1, WON)
    places = final_place_by_code(read.load_event_values(tournament))
    assert [places[seed(tournament, place)].origin for place in (1, 2, 3, 4)] == [
        "champion", "Final", "Semifinals", "Semifinals"
    ]  # fmt: skip


def test_a_player_who_waits_for_an_opponent_in_a_round_that_has_begun_loses_when_the_match_opens():
    tournament = bracket(8)
    for table in (1, 2, 3):
        record_bracket_result(tournament, 3, table, WON)
    record_bracket_result(tournament, 4, 1, WON)  # the first semifinal is over, the last quarterfinal is not
    leaver = seed(tournament, 2)
    drop_entry(tournament, leaver)
    assert tournament.entries.get(code=leaver).dropped_after == 4
    record_bracket_result(tournament, 3, 4, WON)
    assert matches(tournament)["W2.2"] == ({2, 3}, 2, "forfeit", 3)
    assert matches(tournament)["F.1"] == ({1, 3}, 1, None, None) and is_sound(tournament)
    assert rank_final_places(read.load_event_values(tournament))[2].entry == leaver


def test_under_the_mtr_open_matches_wait_while_it_is_not_known_who_has_the_bye():
    tournament = bracket(8)
    for table in (1, 2, 3):
        record_bracket_result(tournament, 3, table, WON)
    with pytest.raises(NeedsConfirmation) as asked:
        drop_entry(tournament, seed(tournament, 2))
    [(_before, after)] = asked.value.changes
    assert after.startswith("Semifinal 1: ") and after.endswith("not started.")
    drop_entry(tournament, seed(tournament, 2), expects=asked.value.expects)
    assert set(matches(tournament)) == {"W1.1", "W1.2", "W1.3", "W1.4"}
    record_bracket_result(tournament, 3, 4, WON)
    assert matches(tournament)["W2.2"] == ({3, 4}, 2, None, None) and is_sound(tournament)


def test_who_leaves_a_twixt_bracket_has_an_alternate_before_the_round_and_loses_after_a_drawn_game():
    tournament = bracket(ruleset="twixt")
    leaver = seed(tournament, 3)
    with pytest.raises(NeedsConfirmation):
        drop_entry(tournament, leaver)
    begin_round(tournament, 3)
    drop_entry(tournament, leaver)
    assert seed(tournament, 3) == leaver
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, "forfeit", 2) and is_sound(tournament)
    tournament = bracket(ruleset="twixt")
    record_bracket_result(tournament, 3, 2, DRAWN)
    record_repeat_game(tournament, 3, 2, DRAWN, time=Time(30, 200))
    drop_entry(tournament, seed(tournament, 2))
    match = Match.objects.get(round__tournament=tournament, slot="W1.2")
    assert (match.result, match.decided, match.winner, len(match.replays)) == ("played", "forfeit", "b", 1)
    with pytest.raises(WrongState):
        decide_match(tournament, 3, 2, "higher_seed", reason="late")
    record_bracket_result(tournament, 3, 1, Slip("played", 1, 0))
    assert matches(tournament)["F.1"][0] == {1, 3} and is_sound(tournament)


def test_a_winner_who_drops_on_the_slip_leaves_the_next_match():
    tournament = bracket(8)
    for table in (1, 2, 3):
        record_bracket_result(tournament, 3, table, WON)
    with pytest.raises(NeedsConfirmation) as asked:
        record_bracket_result(tournament, 3, 4, Slip("played", 2, 0, drops="a"))
    assert len(asked.value.changes) == 1, "the other semifinal, which has not begun"
    begin_round(tournament, 4)
    record_bracket_result(tournament, 3, 4, Slip("played", 2, 0, drops="a"))
    assert matches(tournament)["W2.1"] == ({1, 4}, 1, None, None)
    assert matches(tournament)["W2.2"] == ({2, 3}, 2, "forfeit", 2) and is_sound(tournament)


def test_the_third_place_match_is_lost_too_once_it_is_being_played():
    tournament = bracket(overrides={"elimination": {"third_place_match": True}})
    for table in (1, 2):
        record_bracket_result(tournament, 3, table, WON)
    begin_round(tournament, 4)
    drop_entry(tournament, seed(tournament, 4))
    assert matches(tournament)["P3.1"] == ({3, 4}, 2, "forfeit", 3)
    assert matches(tournament)["F.1"] == ({1, 2}, 1, None, None) and is_sound(tournament)


# --- coming back, undo, corrections --------------------------------------------------------------------------


def test_before_the_round_has_begun_a_return_and_an_undo_seat_everyone_as_before_once_confirmed():
    tournament = bracket()
    before, leaver = matches(tournament), seed(tournament, 3)
    drop = confirmed(drop_entry, tournament, leaver)
    assert matches(tournament) == {"W1.2": ({2, 4}, 2, None, None)}
    with pytest.raises(NeedsConfirmation):
        undo_action(tournament, drop.number)
    confirmed(undo_action, tournament, drop.number)
    assert matches(tournament) == before
    confirmed(drop_entry, tournament, leaver)
    with pytest.raises(NeedsConfirmation):
        reinstate_entry(tournament, leaver)
    confirmed(reinstate_entry, tournament, leaver)
    assert matches(tournament) == before and is_sound(tournament)


def test_nobody_comes_back_into_a_bracket_whose_matches_were_played_since():
    tournament = bracket()
    leaver = seed(tournament, 3)
    confirmed(drop_entry, tournament, leaver)
    record_bracket_result(tournament, 3, 2, WON)
    with pytest.raises(WrongState, match="can no longer come back"):
        confirmed(reinstate_entry, tournament, leaver)


def test_a_forfeit_stays_when_the_player_is_reinstated_and_goes_when_the_drop_is_undone():
    tournament = bracket()
    start_clock(tournament, 3, 50)
    drop = drop_entry(tournament, seed(tournament, 3))
    undo_action(tournament, drop.number)
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, None, None)
    drop_entry(tournament, seed(tournament, 3))
    reinstate_entry(tournament, seed(tournament, 3))
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, "forfeit", 2) and is_sound(tournament)


def test_an_undo_that_closes_a_match_of_a_round_that_has_begun_is_confirmed():
    tournament = bracket(8)
    for table in (1, 2, 3):
        record_bracket_result(tournament, 3, table, WON)
    last = record_bracket_result(tournament, 3, 4, WON)
    undo_action(tournament, last.number)  # it only opened the second semifinal
    last = record_bracket_result(tournament, 3, 4, WON)
    begin_round(tournament, 4)
    with pytest.raises(NeedsConfirmation) as asked:
        undo_action(tournament, last.number)
    assert [before.split(":")[0] for before, _after in asked.value.changes] == ["Semifinal 2"]
    undo_action(tournament, last.number, expects=asked.value.expects)
    assert set(matches(tournament)) == {"W1.1", "W1.2", "W1.3", "W1.4", "W2.1"} and is_sound(tournament)


# --- drops by phone ------------------------------------------------------------------------------------------


@pytest.fixture
def tournament():
    return bracket()


class Phone:
    def __init__(self, tournament, place=3):
        self.client = Client()
        self.address = known(self.client, tournament, seed(tournament, place))

    def page(self) -> Page:
        return page(self.client, self.address)

    def asked(self) -> Page:
        return page(self.client, f"{self.address}leave/")

    def leave(self) -> Page:
        shown = self.asked()
        button = "Ask staff to drop me" if "Staff confirm it first" in shown else "Drop from the event"
        return press(self.client, shown, button, sure="on")


def desk_of(tournament):
    desk = Client()
    desk.force_login(tournament.owner)
    return desk, f"/t/{tournament.slug}/desk/"


def test_once_the_round_has_begun_the_phone_says_that_the_match_is_lost_and_it_is(tournament):
    start_clock(tournament, 3, 50)
    phone = Phone(tournament)
    assert "Your match has begun: you lose it at once" in phone.asked()
    shown = phone.leave()
    assert "Your opponent wins the match." in shown and "Undo my drop" not in shown
    assert matches(tournament)["W1.1"] == ({1, 4}, 1, None, None)
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, "forfeit", 2)


def test_before_the_round_has_begun_the_drop_waits_for_staff_who_confirm_it_with_one_press(tournament):
    phone, before = Phone(tournament), matches(tournament)
    assert "Staff have not confirmed it yet" in phone.leave()
    assert matches(tournament) == before
    phone.leave()
    assert tournament.flags.count() == 1, "asked once"
    desk, home = desk_of(tournament)
    for address in (home, f"{home}bracket/", f"{home}bracket/drops/"):
        shown = page(desk, address)
        assert "Asked to drop from the bracket" in shown and "has a bye." in shown, address
    press(desk, shown, "Drop")
    assert matches(tournament) == {"W1.2": ({2, 4}, 2, None, None)} and is_sound(tournament)
    assert "Asked to drop" not in page(desk, home) and "Staff have not" not in phone.page()
    assert press(desk, shown, "Drop", key=key()).status == 404


def test_staff_keep_a_player_in_and_the_phone_says_so(tournament):
    phone = Phone(tournament)
    phone.leave()
    polled = {"v": "open"}
    assert phone.client.get(f"{phone.address}leave/", polled).status_code == 204
    desk, home = desk_of(tournament)
    press(desk, page(desk, f"{home}bracket/drops/"), "Keep in")
    assert "Staff did not confirm your drop" in page(phone.client, f"{phone.address}leave/", **polled)
    assert "Staff did not confirm your drop" in phone.page()
    start_clock(tournament, 3, 50)
    phone.leave()
    assert matches(tournament)["W1.2"][2] == "forfeit", "and may still leave"


def test_a_player_takes_the_request_back_and_a_page_that_said_something_else_drops_no_one(tournament):
    phone = Phone(tournament)
    assert "You stay in the event." in press(phone.client, phone.leave(), "Stay in the event")
    assert not tournament.flags.exists() and is_sound(tournament)
    phone = Phone(tournament)
    shown = phone.asked()
    start_clock(tournament, 3, 50)
    for effect in ("waits", "none", "nonsense"):
        answer = press(phone.client, shown, "Ask staff to drop me", effect=effect, key=key())
        assert answer.status == 409 and "You are still in" in answer
    assert matches(tournament)["W1.2"][2] is None


def test_a_request_that_waits_when_the_round_begins_says_what_is_lost_and_needs_no_more(tournament):
    Phone(tournament).leave()
    desk, home = desk_of(tournament)
    shown = page(desk, f"{home}bracket/drops/")
    start_clock(tournament, 3, 50)
    assert press(desk, shown, "Drop").status == 409, "that was another drop"
    shown = page(desk, f"{home}bracket/drops/")
    assert "The round has begun: the opponent wins." in shown
    press(desk, shown, "Drop")
    assert matches(tournament)["W1.2"] == ({2, 3}, 2, "forfeit", 2)


@pytest.mark.parametrize(
    "settles", [drop_entry, partial(disqualify_entry, why="cheating")], ids=["drop", "disqualify"]
)
def test_a_request_is_settled_however_the_player_leaves_and_open_again_when_that_is_undone(
    tournament, settles
):
    Phone(tournament).leave()
    done = confirmed(settles, tournament, seed(tournament, 3))
    assert tournament.flags.get().done
    confirmed(undo_action, tournament, done.number)
    assert not tournament.flags.get().done and is_sound(tournament)


def test_who_is_beaten_or_an_alternate_drops_by_phone_at_once(tournament):
    record_bracket_result(tournament, 3, 1, WON)
    Phone(tournament, 4).leave()
    alternate = bracket_stage(tournament).stage_entries.get(alternate=1).entry.code
    assert drop_self(tournament, alternate) is not None
    dropped = tournament.entries.filter(status="dropped").values_list("code", flat=True)
    assert set(dropped) == {alternate, seed(tournament, 4)}
