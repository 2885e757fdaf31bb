import datetime as dt
import json

import pytest
from django.utils import timezone

from standings.bracket.cut import make_cut
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tests.steps import is_sound, load_again
from tournament.archive import ArchiveError, parse_event
from tournament.archive.load import dump_event, load_event
from tournament.errors import NotFound, Refused
from tournament.event.clock import round_clock
from tournament.history.describe import describe_actions
from tournament.models import Extension
from tournament.services import clock
from tournament.services.results import extend_table, record_result
from tournament.services.rounds import publish_round
from tournament.services.undo import undo_action

NOON = dt.datetime(2026, 11, 21, 13, tzinfo=dt.UTC)  # 14:00 in Berlin


@pytest.fixture
def wall(monkeypatch):
    now = [NOON]
    monkeypatch.setattr(timezone, "now", lambda: now[0])

    def move(minutes: float) -> None:
        now[0] += dt.timedelta(minutes=minutes)

    return move


@pytest.fixture
def hall():
    return TournamentFactory(entries=4, published=True, round_minutes=50, time_zone="Europe/Berlin")


def now_of(tournament, number: int = 1) -> tuple[str, int | None]:
    """(state, whole minutes left) of a round's clock."""
    shown = round_clock(tournament.rounds.get(number=number))
    seconds = shown.seconds(timezone.now())
    return shown.state(timezone.now()), seconds and seconds // 60


def sentences(tournament) -> list[str]:
    about = tournament.actions.filter(number__gt=tournament.actions.get(kind="publish").number)
    return [action.sentence for action in describe_actions(tournament, about.order_by("number"))]


def test_a_published_rounds_clock_is_off_until_someone_starts_it(hall, wall):
    assert now_of(hall) == ("off", None)
    clock.start_clock(hall, 1)
    assert now_of(hall) == ("running", 50)
    wall(12)
    clock.pause_clock(hall, 1)
    wall(30)
    assert now_of(hall) == ("paused", 38)
    clock.resume_clock(hall, 1)
    clock.add_minutes(hall, 1, 5)
    assert now_of(hall) == ("running", 43)
    clock.add_minutes(hall, 1, -1)
    clock.change_length(hall, 1, 60)
    assert now_of(hall) == ("running", 48)
    clock.set_clock(hall, 1, ends="15:02")
    wall(21)
    assert now_of(hall) == ("running", -1)
    clock.stop_clock(hall, 1)
    clock.schedule_clock(hall, 1, "15:30", 40)
    assert now_of(hall) == ("scheduled", 40)
    wall(37)
    assert now_of(hall) == ("running", 30)
    assert sentences(hall) == [
        "Clock of round 1 runs until 14:50",
        "Clock of round 1 paused with 38:00 left",
        "Clock of round 1 runs until 15:20",
        "Clock of round 1 runs until 15:25",
        "Clock of round 1 runs until 15:24",
        "Clock of round 1 runs until 15:30",
        "Clock of round 1 runs until 15:02",
        "Clock of round 1 turned off",
        "Clock of round 1 starts at 15:30, ends 16:10",
    ]
    assert is_sound(hall)


def test_a_clock_is_set_in_every_state(hall, wall):
    clock.change_length(hall, 1, 45)
    assert now_of(hall) == ("off", None)
    clock.set_clock(hall, 1, ends="14:23")
    assert now_of(hall) == ("running", 23)
    clock.pause_clock(hall, 1)
    clock.add_minutes(hall, 1, 2)
    assert now_of(hall) == ("paused", 25)
    clock.set_clock(hall, 1, ends="14:36")
    assert now_of(hall) == ("running", 36)
    clock.stop_clock(hall, 1)
    clock.schedule_clock(hall, 1, "14:20")
    clock.change_length(hall, 1, 30)
    assert now_of(hall) == ("scheduled", 30)
    clock.start_clock(hall, 1, 5)
    assert now_of(hall) == ("running", 5)
    clock.set_clock(hall, 1, ends="00:30")  # after midnight, and not this morning
    assert now_of(hall) == ("running", 10 * 60 + 30)


def test_what_makes_no_sense_is_one_line_and_writes_nothing(hall, wall):
    def refused(*words: str) -> None:
        for service, given, text in words:
            before = hall.revision
            with pytest.raises(Refused, match=text):
                getattr(clock, service)(hall, *given)
            hall.refresh_from_db()
            assert hall.revision == before, (service, given)

    refused(
        ("pause_clock", [1], "The clock of round 1 is not running"),
        ("resume_clock", [1], "not paused"),
        ("stop_clock", [1], "is off"),
        ("add_minutes", [1, 5], "is off. Start it first"),
        ("start_clock", [1, 0], "1 to 600 minutes"),
        ("start_clock", [2], "There is no round 2"),
        ("schedule_clock", [1, "13:59"], "13:59 is in the past"),
        ("schedule_clock", [1, "soon"], "is not a time of day"),
        ("set_clock", [1, "12:75"], "is not a time of day"),
        ("set_clock", [1, "14:00"], "14:00 is in the past"),
    )
    clock.schedule_clock(hall, 1, "14:10")
    refused(("pause_clock", [1], "not running"))
    clock.start_clock(hall, 1)
    wall(46.5)
    refused(
        ("start_clock", [1], "already running"),
        ("add_minutes", [1, -5], "3:30 left: you cannot take off 5 minutes"),
        ("change_length", [1, 45], "3:30 left"),
        ("add_minutes", [1, 0], "1 to 600 minutes"),
    )
    wall(10)
    refused(("pause_clock", [1], "Time is up"), ("add_minutes", [1, 5], "Set the time left"))
    enter_results(hall, 1)
    RoundFactory(tournament=hall)
    refused(("start_clock", [1], "The matches of round 1 are not in progress"))
    hall.round_minutes = None
    hall.save(update_fields=["round_minutes"])
    refused(("start_clock", [2], "Enter the minutes of the round"))


def test_a_change_of_the_clock_is_undone_does_not_hold_a_publication_and_a_bracket_round_has_one_too(
    hall, wall
):
    clock.start_clock(hall, 1)
    paused = clock.pause_clock(hall, 1)
    undo_action(hall, paused.number)
    assert now_of(hall) == ("running", 50)
    clock.add_minutes(hall, 1, 5)
    undo_action(hall, hall.actions.get(kind="publish").number)
    assert is_sound(hall)
    publish_round(hall, 1)
    assert now_of(hall) == ("off", None)
    enter_results(hall, 1)
    make_cut(hall, 4)
    assert now_of(hall, 2) == ("off", None)
    clock.start_clock(hall, 2)
    before = hall.standings_revision
    clock.add_minutes(hall, 2, 5)
    assert now_of(hall, 2) == ("running", 55)
    assert hall.standings_revision == before  # no page of standings or bracket is made again


def test_a_file_holds_the_clock_and_one_without_it_loads(hall, wall):
    clock.start_clock(hall, 1)
    extend_table(hall, 1, 1, 5, "deck check")
    file = json.loads(dump_event(hall, with_seed=True))
    assert file["rounds"][0]["clock"] == {
        "starts_at": "2026-11-21T14:00:00+01:00", "ends_at": "2026-11-21T14:50:00+01:00", "minutes": 50,
    }  # fmt: skip
    hall = load_again(hall)
    wall(20)
    assert now_of(hall) == ("running", 30)
    clock.pause_clock(hall, 1)
    assert now_of(load_again(hall)) == ("paused", 30)
    del file["rounds"][0]["clock"]
    assert now_of(load_event(parse_event(file), slug="old")) == ("off", None)
    file["rounds"][0]["clock"] = {"ends_at": "2026-11-21T14:50:00+01:00", "seconds_left": 60}
    with pytest.raises(ArchiveError, match="a paused clock has no ends_at"):
        parse_event(file)


def test_more_time_is_added_to_what_a_table_was_given_and_a_finished_one_gets_none(hall):
    extend_table(hall, 1, 1, 5, "deck\u202e check ")
    assert "5-minute time extension (deck check)" in sentences(hall)[-1]
    again = extend_table(hall, 1, 1, 3)
    assert Extension.objects.values_list("minutes", "reason").get() == (8, "deck check")
    undo_action(hall, again.number)
    assert Extension.objects.get().minutes == 5
    record_result(hall, 1, 2, TWO_NIL)
    with pytest.raises(Refused, match="Table 2 has a result"):
        extend_table(hall, 1, 2, 5)
    with pytest.raises(NotFound):
        extend_table(hall, 1, 9, 5)
