import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from standings.bracket.cut import compute_cut, make_cut
from standings.table.swiss import compute_standings
from tests import factories
from tests.conftest import CI
from tests.journeys.play import STEPS, Play
from tests.journeys.test_random_events import check_file, check_tables, undo_everything
from tests.steps import complete_round
from tournament.actionlog import integrity
from tournament.errors import NotFound, WrongState
from tournament.event import read
from tournament.progress.next_step import build_progress
from tournament.services.drops import check_in_entry, drop_entry, reinstate_entry, withdraw_no_shows
from tournament.services.entries import add_entries, save_seeding
from tournament.services.rounds import discard_draft, publish_round, reopen_round
from tournament.services.stages import add_next_day, add_re_entry, add_stage, move_entry
from tournament.services.undo import undo_action

pytestmark = pytest.mark.django_db


def flights(first: int = 6, second: int = 4, rounds: int = 2, **fields):
    """An event with P0001… in session 1 and the others in session 2, none begun."""
    tournament = factories.TournamentFactory(entries=first, rounds_planned=rounds, **fields)
    add_stage(tournament)
    if second:
        add_entries(tournament, [f"Flight B {number}" for number in range(1, second + 1)], stage=2)
    tournament.refresh_from_db()
    return tournament


def paired(tournament, session: int) -> int:
    draft_next_round(tournament, flight=session)
    number = tournament.rounds.filter(stage__number=session).order_by("-number").first().number
    publish_round(tournament, number)
    return number


def codes_of(tournament, number: int) -> set[str]:
    return set(tournament.seats.filter(round__number=number).values_list("entry__code", flat=True))


def table_numbers(tournament, number: int) -> set[int]:
    return set(tournament.rounds.get(number=number).matches.values_list("table", flat=True))


def list_sessions(tournament, code: str) -> list[int]:
    return list(tournament.entries.get(code=code).stage_entries.values_list("stage__number", flat=True))


def far(tournament) -> list[str]:
    tournament.refresh_from_db()
    flights = build_progress(tournament).flights
    return [f"{each.flight.words} → {each.next.label if each.next else 'played'}" for each in flights]


def test_flights_are_paired_while_the_other_is_played_numbers_run_on_and_no_table_is_taken_twice():
    tournament = flights(table_plan="5-8, 10")
    assert [paired(tournament, 1), paired(tournament, 2)] == [1, 2]
    assert [table_numbers(tournament, number) for number in (1, 2)] == [{5, 6, 7}, {8, 10}]
    assert codes_of(tournament, 1) == {f"P000{n}" for n in range(1, 7)}
    assert codes_of(tournament, 2) == {"P0007", "P0008", "P0009", "P0010"}
    with pytest.raises(WrongState, match="Results of round 2 are outstanding"):
        draft_next_round(tournament, flight=2)
    factories.enter_results(tournament, 2)
    assert paired(tournament, 2) == 3, "session 1 is still in its first round"
    assert tournament.rounds.get(number=2).state == "complete"
    assert tournament.rounds.get(number=1).state == "published"
    for wrong in (3, 99):
        with pytest.raises(WrongState, match="no Swiss session"):
            draft_next_round(tournament, flight=wrong)
    assert integrity.check(tournament) == []
    factories.enter_results(tournament, 1)
    assert table_numbers(tournament, paired(tournament, 1)) == {5, 6, 7}, "its own tables are free again"


def test_a_house_opponent_plays_in_one_session_at_a_time():
    tournament = flights(5, 5, ruleset="twixt")
    add_house_opponent(tournament, "The director")
    draft_next_round(tournament, flight=1, house="H01")
    with pytest.raises(WrongState, match="plays in another session now"):
        draft_next_round(tournament, flight=2, house="H01")
    add_house_opponent(tournament, "The helper", 2)
    draft_next_round(tournament, flight=2, house="H02")
    assert integrity.check(tournament) == []


def test_a_draft_beside_a_flight_comes_back_from_a_file_and_stays_its_own_session_s_round():
    tournament = flights()
    draft_next_round(tournament, flight=1)
    paired(tournament, 2)
    check_file(tournament)
    seen = {tournament.rounds.get(number=1).pairing["attempt"]}
    for _ in range(2):
        draft_next_round(tournament, again=1)
        seen.add(tournament.rounds.get(number=1).pairing["attempt"])
    assert seen == {1, 2, 3} and tournament.rounds.get(number=1).stage.number == 1
    assert codes_of(tournament, 1) == {f"P000{n}" for n in range(1, 7)}
    with pytest.raises(WrongState, match="Pair this round again instead"):
        discard_draft(tournament, 1)
    assert integrity.check(tournament) == []


def test_the_last_round_of_a_session_can_be_reopened_beside_the_other():
    tournament = flights(rounds=1)
    for number in (paired(tournament, 1), paired(tournament, 2)):
        factories.enter_results(tournament, number)
        complete_round(tournament, number)
    reopen_round(tournament, 1)
    assert tournament.rounds.get(number=1).state == "published"
    complete_round(tournament, 1)
    add_next_day(tournament, 1)
    factories.RoundFactory(tournament=tournament)
    with pytest.raises(WrongState, match="discard later rounds first"):
        reopen_round(tournament, 2)


def test_entries_go_where_the_form_says_else_into_the_first_session_not_begun():
    tournament = flights(first=4, second=0)
    add_entries(tournament, ["Nobody said"])
    add_entries(tournament, ["For B"], stage=2)
    assert (list_sessions(tournament, "P0005"), list_sessions(tournament, "P0006")) == ([1], [2])
    paired(tournament, 1)
    add_entries(tournament, ["After A began"])
    add_entries(tournament, ["Late for A"], stage=1, reason="the train was late")
    on_time, late = (tournament.entries.get(code=code) for code in ("P0007", "P0008"))
    assert list_sessions(tournament, "P0007") == [2] and not on_time.late
    assert list_sessions(tournament, "P0008") == [1] and late.late and late.joined_round == 2
    with pytest.raises(NotFound, match="no session 3"):
        add_entries(tournament, ["Lost"], stage=3)
    assert tournament.entries.count() == 8


def test_an_entry_moves_before_it_plays_and_the_move_can_be_undone():
    tournament = flights()
    action = move_entry(tournament, "P0001", 2)
    assert list_sessions(tournament, "P0001") == [2]
    undo_action(tournament, action.number)
    assert list_sessions(tournament, "P0001") == [1]
    paired(tournament, 2)
    late = move_entry(tournament, "P0001", 2, reason="came late")
    entry = tournament.entries.get(code="P0001")
    assert entry.late and [seat.kind for seat in entry.seats.all()] == ["missed"]
    with pytest.raises(WrongState, match="is seated in round 1"):
        move_entry(tournament, "P0001", 1)
    undo_action(tournament, late.number)
    entry.refresh_from_db()
    assert not entry.late and entry.joined_round is None and list_sessions(tournament, "P0001") == [1]
    with pytest.raises(WrongState, match="already in session 1"):
        move_entry(tournament, "P0001", 1)
    with pytest.raises(WrongState, match="is seated in round"):
        move_entry(tournament, "P0007", 1)
    assert integrity.check(tournament) == []


def test_who_leaves_a_session_comes_back_into_it_and_misses_the_rounds_of_that_session_only():
    tournament = flights()
    drop_entry(tournament, "P0010")
    assert list_sessions(tournament, "P0010") == []
    reinstate_entry(tournament, "P0010")
    assert list_sessions(tournament, "P0010") == [2], "not the first session, which has not started either"
    paired(tournament, 1)
    drop_entry(tournament, "P0010")
    entry = tournament.entries.get(code="P0010")
    assert (entry.dropped_after, list_sessions(tournament, "P0010")) == (0, []), "it has not played"
    reinstate_entry(tournament, "P0010", stage=1, reason="plays in A after all")
    assert list_sessions(tournament, "P0010") == [1]
    assert integrity.check(tournament) == []
    tournament = flights(rounds=3)
    factories.enter_results(tournament, paired(tournament, 1))
    factories.enter_results(tournament, paired(tournament, 2))
    drop_entry(tournament, "P0001")
    assert tournament.entries.get(code="P0001").dropped_after == 1, "round 2 was the other session's"
    factories.enter_results(tournament, paired(tournament, 2))
    factories.enter_results(tournament, paired(tournament, 1))
    reinstate_entry(tournament, "P0001")
    kinds = tournament.seats.filter(entry__code="P0001").order_by("round__number")
    assert [(seat.round.number, seat.kind) for seat in kinds][1:] == [(4, "missed")]
    assert integrity.check(tournament) == []


def test_no_shows_and_starting_lists_are_of_one_session():
    tournament = flights()
    check_in_entry(tournament, "P0007")
    everybody = [entry.code for entry in tournament.entries.all()]
    withdraw_no_shows(tournament, everybody, stage=2)
    assert tournament.stages.get(number=1).stage_entries.count() == 6
    assert tournament.stages.get(number=2).stage_entries.get().entry.code == "P0007"
    order = [f"P000{n}" for n in range(6, 0, -1)]
    save_seeding(tournament, order, stage=1, reason="by last year")
    assert tournament.entries.get(code="P0006").seed_rank == 1
    assert tournament.entries.get(code="P0007").seed_rank is None
    paired(tournament, 1)
    with pytest.raises(WrongState, match="already paired"):
        save_seeding(tournament, order, stage=1, reason="again")


def test_who_is_out_of_the_first_flight_enters_the_second_while_both_are_played():
    tournament = flights()
    with pytest.raises(WrongState, match="cannot re-enter"):
        add_re_entry(tournament, "P0001")  # has not played: is moved instead
    factories.enter_results(tournament, paired(tournament, 1))
    add_re_entry(tournament, "P0001", stage=2)
    again = tournament.entries.get(same_person_as__code="P0001")
    assert list_sessions(tournament, again.code) == [2] and not again.late
    assert tournament.entries.get(code="P0001").status == "dropped"
    with pytest.raises(WrongState, match="cannot re-enter"):
        add_re_entry(tournament, "P0007")
    assert integrity.check(tournament) == []


def test_the_cut_and_a_next_day_wait_for_every_session_that_has_players():
    tournament = flights(rounds=1)
    factories.enter_results(tournament, paired(tournament, 1))
    with pytest.raises(WrongState, match="Session 2 has players but has not started"):
        make_cut(tournament, 4)
    with pytest.raises(WrongState, match="Session 2 has not started"):
        add_next_day(tournament, 1)
    number = paired(tournament, 2)
    with pytest.raises(WrongState, match="Results of round 2 are outstanding"):
        make_cut(tournament, 4)
    factories.enter_results(tournament, number)
    make_cut(tournament, 4)
    assert tournament.stages.get(kind="elimination").sources == [1, 2]
    assert set(tournament.rounds.filter(swiss=True).values_list("state", flat=True)) == {"complete"}


def test_the_road_says_how_far_each_session_is_and_is_that_of_the_second_once_the_first_is_over():
    tournament = flights(rounds=2)
    assert far(tournament) == [
        "Session 1: not started → Session 1: Pair round 1",
        "Session 2: not started → Session 2: Pair round 1",
    ]
    paired(tournament, 1)
    draft_next_round(tournament, flight=2)
    assert far(tournament) == [
        "Session 1: round 1 of 2 → Session 1: Enter results of round 1",
        "Session 2: round 1 of 2 → Session 2: Check and publish round 1",
    ]
    assert build_progress(tournament).next.label == "Session 2: Check and publish round 1"
    publish_round(tournament, 2)
    for session, numbers in ((1, (1,)), (2, (2,))):
        factories.enter_results(tournament, numbers[0])
        factories.enter_results(tournament, paired(tournament, session))
    assert far(tournament) == ["Session 1: round 2 of 2 → played", "Session 2: round 2 of 2 → played"]
    assert "Finish" in build_progress(tournament).next.label or "Cut" in build_progress(tournament).next.label
    tournament = flights(second=0, rounds=1)
    assert [each.next.label for each in build_progress(tournament).flights][1] == "Session 2: Add players"
    factories.enter_results(tournament, paired(tournament, 1))
    complete_round(tournament, 1)
    tournament.refresh_from_db()
    progress = build_progress(tournament)
    assert progress.flights == [] and progress.facts.stage.number == 2 and progress.facts.rounds == 2


FLIGHT_STEPS = {
    "pair a flight": lambda play: draft_next_round(play.tournament, flight=play.one([1, 2])),
    "pair again": lambda play: draft_next_round(play.tournament, again=play.open_round("draft").number),
    "join": lambda play: add_entries(
        play.tournament, ["Somebody"], stage=play.one([1, 2, None]), reason="came"
    ),
    "move": lambda play: move_entry(play.tournament, play.code(), play.one([1, 2]), reason="asked for it"),
    "enter again": lambda play: add_re_entry(play.tournament, play.code(), reason="asked for it"),
}
TURNS = ["pair a flight", "publish", "fill", "fill"] * 3
TURNS += [*FLIGHT_STEPS, "drop", "reinstate", "undo_the_last"]


def play_to_the_end(tournament) -> None:
    for session in (1, 2):
        for round_ in tournament.rounds.filter(stage__number=session).exclude(state="complete"):
            if round_.state == "draft":
                draft_next_round(tournament, again=round_.number)
                publish_round(tournament, round_.number)
            factories.enter_results(tournament, round_.number)
        if not tournament.rounds.filter(stage__number=session).exists():
            add_entries(tournament, ["Ada", "Bo"], stage=session)
            factories.enter_results(tournament, paired(tournament, session))
    tournament.refresh_from_db()


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 60, 112] if CI else [60])
def test_whatever_two_flights_do_at_once_log_tables_and_file_agree_up_to_one_cut(seed):
    play = Play("mtr", seed)
    play.tournament = flights(play.chance.randint(4, 7), play.chance.randint(4, 7), rounds=3)
    for _ in range(40):
        play.take_a_step(STEPS | FLIGHT_STEPS, TURNS)
        assert integrity.check(play.tournament) == []
    play_to_the_end(play.tournament)
    qualifiers = compute_cut(play.tournament, 4).qualifiers
    make_cut(play.tournament, len(qualifiers))
    ranked = {row.entry for row in compute_standings(read.load_event_values(play.tournament))}
    assert len(qualifiers) > 1 and set(qualifiers) <= ranked
    assert play.tournament.stages.get(kind="elimination").sources == [1, 2]
    check_tables(play.tournament, "two flights")
    check_file(play.tournament)
    undo_everything(play.tournament)
