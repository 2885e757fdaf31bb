import pytest
from django.db import IntegrityError, transaction

from pairings.audit.check import verify_event
from pairings.draft.services import draft_next_round
from tests.factories import TournamentFactory
from tests.steps import is_sound, load_again
from tournament import archive
from tournament.actionlog import integrity
from tournament.archive.load import dump_event, load_event
from tournament.errors import WrongState
from tournament.event.read import load_event_values, read_state
from tournament.history.describe import describe_actions
from tournament.models import Match, Seat
from tournament.results.slip import Slip
from tournament.services.corrections import correct_result
from tournament.services.results import clear_result, record_result
from tournament.services.rounds import publish_round, reopen_round
from tournament.services.rulesets import change_rules
from tournament.services.undo import undo_action

FORFEIT, PLAYED = Slip("forfeit", winner="a"), Slip("played", 1, 0)
WHY = {"reason": "the slip was wrong"}


def forfeited(ruleset="fide", **fields):
    """Two players whose match of round 1 was forfeited, so that round 2 pairs them again and is drafted."""
    event = TournamentFactory(entries=2, ruleset=ruleset, published=True, **fields)
    record_result(event, 1, 1, FORFEIT)
    draft_next_round(event)
    event.refresh_from_db()
    return event


def again(ruleset="fide"):
    event = forfeited(ruleset)
    publish_round(event, 2)
    record_result(event, 2, 1, PLAYED if ruleset == "fide" else Slip("played", 2, 0))
    return event


def waivers(event):
    """The rules that the matches of all rounds were waived of, in order; the facts are sound."""
    assert is_sound(event)
    matches = [match for round_ in load_event_values(event).rounds for match in round_.matches]
    return [match.waived and match.waived["rule"] for match in matches]


def change(event, value, **fields):
    event.refresh_from_db()
    overrides = {"pairing": {"forfeits_are_meetings": value}}
    return change_rules(event, None, overrides, revision=event.revision, reason="by the federation", **fields)


@pytest.mark.parametrize(("ruleset", "waived"), [("fide", None), ("uscf", None), ("mtr", "repeat")])
def test_two_are_paired_again_after_a_forfeit_without_a_rematch(ruleset, waived):
    event = forfeited(ruleset)
    assert waivers(event) == [None, waived]
    later = load_event_values(event).rounds[1].matches[0].waived
    assert later == (waived and {"rule": "repeat", "reason": "no legal pairing without it"})
    [line] = [
        each for each in load_event_values(event).rounds[1].pairing.certificate if each.criterion == "repeats"
    ]
    assert line.value == (waived is not None)
    publish_round(event, 2)
    errors = [finding.errors for finding in verify_event(load_event_values(event))]
    assert errors == [[], []]


def test_a_forfeit_that_was_played_after_all_makes_the_later_match_a_rematch():
    event = again()
    before = read_state(event)[0]
    played = correct_result(event, 1, 1, PLAYED, **WHY)
    assert waivers(event) == [None, "repeat"]
    assert load_event_values(event).rounds[1].matches[0].waived["reason"] == "as it was played"
    [line] = describe_actions(event, [played])
    a, b = event.seats.filter(round__number=1).order_by("side").values_list("entry__name", flat=True)
    said = f"Round 2, table 1: a rematch; Table 1, round 1: {a} 1–0 {b} (was won by no-show)"
    assert line.sentence == said
    between = read_state(event)[0]
    forfeited = correct_result(event, 1, 1, FORFEIT, **WHY)
    assert waivers(event) == [None, None]
    undo_action(event, forfeited.number)
    assert waivers(event) == [None, "repeat"] and read_state(event)[0] == between
    undo_action(event, played.number)
    assert waivers(event) == [None, None] and read_state(event)[0] == before


def test_once_they_have_played_the_next_match_is_a_rematch_and_stays_one_when_forfeited_itself():
    event = again()
    draft_next_round(event)
    publish_round(event, 3)
    waived = load_event_values(event).rounds[2].matches[0].waived
    for result in (FORFEIT, PLAYED):
        record_result(event, 3, 1, result)
        assert waivers(event) == [None, None, "repeat"]
    assert load_event_values(event).rounds[2].matches[0].waived == waived


def test_a_correction_changes_no_waiver_where_forfeits_are_meetings_and_is_not_undone_over_a_rematch():
    event = again("mtr")
    correct_result(event, 1, 1, Slip("played", 2, 0), **WHY)
    assert waivers(event) == [None, "repeat"]
    correct_result(event, 1, 1, FORFEIT, **WHY)
    assert waivers(event) == [None, "repeat"]
    event = TournamentFactory(entries=2, ruleset="fide", rounds=1)
    correction = correct_result(event, 1, 1, FORFEIT, **WHY)
    draft_next_round(event)
    assert waivers(event) == [None, None]
    with pytest.raises(WrongState, match="can no longer be undone because later actions build on it"):
        undo_action(event, correction.number)
    assert waivers(event) == [None, None]


def two_sessions(**first):
    """The file of an event of two sessions with the same two players, who meet in both."""
    pair = {"table": 1, "a": "A", "b": "B"}
    return archive.parse_event({
        "format": "swiss-archive", "version": 1, "ruleset": {"preset": "fide"},
        "tournament": {"name": "Two sessions", "date": "2026-03-01"},
        "entries": [{"id": "A", "name": "Ada"}, {"id": "B", "name": "Bo"}],
        "stages": [{"number": 1, "kind": "swiss"}, {"number": 2, "kind": "swiss"}],
        "rounds": [
            {"number": 1, "stage": 1, "status": "complete", "matches": [{**pair, **first}]},
            {"number": 2, "stage": 2, "status": "published", "matches": [{**pair, "result": None}]},
        ],
    })  # fmt: skip


def test_a_round_opened_again_makes_a_later_match_a_rematch_and_a_forfeit_makes_a_recorded_one_none():
    event = load_event(two_sessions(result="forfeit", winner="a"))
    assert waivers(event) == [None, None]
    reopen_round(event, 1)
    result = record_result(event, 1, 1, PLAYED)
    assert waivers(event) == [None, "repeat"]
    record_result(event, 1, 1, FORFEIT)
    assert waivers(event) == [None, None]
    cleared = clear_result(event, 1, 1)
    assert waivers(event) == [None, "repeat"], "it may still be played"
    with pytest.raises(WrongState, match="changed the same thing later"):
        undo_action(event, result.number)
    undo_action(event, cleared.number)
    assert waivers(event) == [None, None]
    event = load_event(two_sessions(result="played", games=[1, 0, 0]), slug="played")
    assert waivers(event) == [None, "repeat"], "as recorded"
    correction = correct_result(event, 1, 1, FORFEIT, **WHY)
    assert waivers(event) == [None, None]
    undo_action(event, correction.number)
    assert waivers(event) == [None, "repeat"]


@pytest.mark.parametrize(
    "played", [{"result": "forfeit", "winner": "b"}, {"result": "played", "games": [0, 1, 0]}]
)
def test_a_file_gives_itself_back(played):
    event = load_event(two_sessions(**played))
    assert ("as recorded" in dump_event(event)) == (played["result"] == "played")
    load_again(event)


def test_a_forfeit_is_no_meeting_under_rules_taken_at_any_time_and_not_left_once_two_were_paired_again():
    event = TournamentFactory(entries=2, ruleset="mtr", published=True)
    record_result(event, 1, 1, FORFEIT)
    changed = change(event, False)
    assert not Seat.objects.filter(tournament=event, meeting=True).exists() and waivers(event) == [None]
    undo_action(event, changed.number)
    assert not Seat.objects.filter(tournament=event, meeting=False).exists() and waivers(event) == [None]
    changed = change(event, False)
    draft_next_round(event)
    assert waivers(event) == [None, None]
    count = event.actions.count()
    with pytest.raises(WrongState) as refusal:
        change(event, True)
    assert str(refusal.value) == (
        "Player 01 and Player 02 were paired again in round 2, after a forfeit in round 1. "
        "So a forfeit cannot count as a meeting now."
    )
    with pytest.raises(WrongState, match="can no longer be undone because later actions build on it"):
        undo_action(event, changed.number)
    assert event.actions.count() == count and waivers(event) == [None, None]


def test_the_database_and_fsck_see_by_themselves_what_the_forfeit_counts_as():
    event = again()
    with pytest.raises(IntegrityError), transaction.atomic():
        Seat.objects.filter(tournament=event, round__number=1).update(meeting=True)
    Match.objects.filter(round__tournament=event, round__number=1).update(result="played")
    problems = integrity.check(event)
    assert "P0001 and P0002 meet 2 times in Swiss" in problems
    assert "round 1, table 1: a seat does not say whether its players have met" in problems
