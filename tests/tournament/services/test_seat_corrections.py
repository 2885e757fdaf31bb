import pytest

from pairings.draft.services import add_house_opponent, draft_next_round
from standings.bracket.cut import make_cut
from tests.factories import RoundFactory, TournamentFactory
from tests.steps import is_sound
from tournament.actionlog import integrity
from tournament.actionlog.match_facts import match_facts
from tournament.errors import NotFound, Refused, WrongState
from tournament.event.read import load_event_values, read_state
from tournament.history.describe import describe_actions
from tournament.models import Match
from tournament.results.slip import Slip
from tournament.services.corrections import correct_seats
from tournament.services.drops import drop_entry
from tournament.services.entries import add_entries, rename_entry
from tournament.services.events import finish_tournament
from tournament.services.results import extend_table, record_result
from tournament.services.rounds import discard_draft, publish_round
from tournament.services.undo import undo_action

WHY = {"reason": "they sat at the wrong table"}


@pytest.fixture
def event():
    return TournamentFactory(entries=8, rounds=3)


@pytest.fixture
def odd():
    """Seven players after three complete rounds, each with a bye."""
    return TournamentFactory(entries=7, rounds=3)


def matches_of(event, number):
    """{table, or the player without one: match} of a round."""
    stored = match_facts(Match.objects.filter(round__tournament=event, round__number=number))
    return {match.fact.table or match.fact.a: match.fact for match in stored.values()}


def seats(event, number):
    return {place: (match.a, match.b) for place, match in matches_of(event, number).items() if match.table}


def correct(event, *seats):
    """Correct the seats; whatever that is, the facts stay sound and the log says them."""
    action = correct_seats(event, *seats, **WHY)
    assert is_sound(event)
    return action


def meeting(event, a, b):
    """The waivers of the matches in which these two met, in the order of the rounds."""
    rounds = [round_ for round_ in load_event_values(event).rounds if round_.number <= 3]
    return [m.waived for round_ in rounds for m in round_.matches if {m.a, m.b} == {a, b}]


def test_whoever_is_displaced_takes_the_place_of_the_one_who_comes_in(event):
    before = matches_of(event, 2)
    (a, b), (c, d) = seats(event, 2)[1], seats(event, 2)[2]
    action = correct(event, 2, 1, c, b)
    moved = Match.objects.filter(round__tournament=event, round__number=2, table__lt=3)
    assert set(moved.values_list("version", flat=True)) == {action.number}, "open desks learn of it"
    after = matches_of(event, 2)
    assert (after[1].a, after[1].b, after[2].a, after[2].b) == (c, b, a, d)
    for table, match in after.items():
        was = before[table]
        assert (match.games, match.result, match.winner) == (was.games, was.result, was.winner)
    assert (after[3], after[4]) == (before[3], before[4])
    correct(event, 2, 1, c, a)  # one comes in, and another changes sides
    assert (seats(event, 2)[1], seats(event, 2)[2]) == ((c, a), (b, d))
    correct(event, 2, 1, a, c)
    assert seats(event, 2)[1] == (a, c)
    RoundFactory(tournament=event)  # a later round is played meanwhile
    (a, b), (c, d), (e, f) = (seats(event, 1)[table] for table in (1, 2, 3))
    correct(event, 1, 1, c, f)
    assert [seats(event, 1)[table] for table in (1, 2, 3)] == [(c, f), (a, d), (e, b)]
    assert event.rounds.get(number=4).state == "published"


def test_whoever_really_played_leaves_the_bye_to_another_and_a_second_bye_is_waived(odd):
    first, second = (next(m.a for m in matches_of(odd, number).values() if m.b is None) for number in (1, 2))
    table, (a, b) = next((t, pair) for t, pair in seats(odd, 1).items() if second in pair)
    action = correct(odd, 1, table, *(first if code == second else code for code in (a, b)))
    assert matches_of(odd, 1)[second].result == "bye" and first in seats(odd, 1)[table]
    waived = {number: matches_of(odd, number)[second].waived for number in (1, 2)}
    assert waived == {1: None, 2: {"rule": "bye", "reason": "as it was played"}}
    assert action.reason == WHY["reason"], "the staff's reason is in the log, and on no public page"
    undo_action(odd, action.number)
    assert matches_of(odd, 2)[second].waived is None and matches_of(odd, 1)[first].result == "bye"


def test_a_rematch_really_played_is_waived_in_the_later_round_and_a_time_extension_and_a_drop_stay(event):
    a, b = seats(event, 3)[1]
    table, pair = next((t, pair) for t, pair in seats(event, 1).items() if a in pair)
    correct(event, 1, table, a, b)
    assert meeting(event, a, b) == [None, {"rule": "repeat", "reason": "as it was played"}]
    correct(event, 1, table, *pair)
    assert meeting(event, a, b) == [None], "no rematch anymore"
    RoundFactory(tournament=event)
    extend_table(event, 4, 1, 5)
    a, b = seats(event, 4)[1]
    record_result(event, 4, 1, Slip("played", 2, 0, drops="a"))
    c, _d = seats(event, 4)[2]
    action = correct(event, 4, 1, c, b)
    assert Match.objects.get(round__tournament=event, round__number=4, table=1).extension.minutes == 5
    assert event.entries.get(code=a).status == "dropped"
    assert event.entries.get(code=c).status == "playing"
    undo_action(event, action.number)
    assert seats(event, 4)[1] == (a, b)


def test_a_house_opponent_who_did_not_play_has_no_bye():
    event = TournamentFactory(entries=7, ruleset="twixt")
    add_house_opponent(event, "The director")
    house = event.entries.get(house=True).code
    draft_next_round(event, house=house)
    publish_round(event, 1)
    late = add_entries(event, ["Lou"]).changes[0]["fact"].split("/")[1]
    table, pair = next((t, pair) for t, pair in seats(event, 1).items() if house in pair)
    with pytest.raises(WrongState, match="Lou joined after round 1"):
        correct_seats(event, 1, table, *(late if code == house else code for code in pair), **WHY)
    event.entries.filter(code=late).update(joined_round=1)
    correct_seats(event, 1, table, *(late if code == house else code for code in pair), **WHY)
    assert not event.seats.filter(entry__code=house).exists()
    assert integrity.check(event) == []


@pytest.mark.parametrize("state", ["cut", "finished"])
def test_after_the_cut_and_after_the_end_too(event, state):
    make_cut(event, 4) if state == "cut" else finish_tournament(event)
    bracket = {number: seats(event, number) for number in (4, 5)}
    (_a, b), (c, _d) = seats(event, 2)[1], seats(event, 2)[2]
    before = read_state(event)[0]
    action = correct(event, 2, 1, c, b)
    event.refresh_from_db()
    assert {number: seats(event, number) for number in (4, 5)} == bracket
    assert event.state == ("running" if state == "cut" else "finished")
    undo_action(event, action.number)
    assert read_state(event)[0] == before


def test_the_log_says_who_sat_where_and_keeps_who_sat_there_when_a_result_was_entered(event, odd):
    (a, b), (c, _d) = seats(event, 2)[1], seats(event, 2)[2]
    for code, name in ((a, "Ada Ruiz"), (c, "Bo Lind"), (b, "Cy Moor")):
        rename_entry(event, code, name)
    sentence = describe_actions(event, [correct(event, 2, 1, c, b)])[0].sentence
    record = next(round_ for round_ in load_event_values(event).rounds if round_.number == 2).pairing
    [edit] = record.edits
    assert edit.kind == "seats" and edit.tables == (1, 2) and {a, b, c} <= set(edit.players)
    assert not set(record.reasons) & set(edit.players)
    assert sentence.startswith("Round 2, table 1: Bo Lind sat here instead of Ada Ruiz")
    assert "round 2, table 2: Ada Ruiz sat here instead of Bo Lind" in sentence
    turned = describe_actions(event, [correct(event, 2, 1, b, c)])[0].sentence
    assert turned == "Round 2, table 1: Bo Lind and Cy Moor sat the other way around"
    bye = next(match.a for match in matches_of(odd, 1).values() if match.b is None)
    a, b = seats(odd, 1)[1]
    names = dict(odd.entries.values_list("code", "name"))
    sentence = describe_actions(odd, [correct(odd, 1, 1, bye, b)])[0].sentence
    assert sentence.endswith(f"round 1, bye: {names[a]} instead of {names[bye]}")

    def sentences():
        return [each.sentence for each in describe_actions(event, entered)]

    record_result(RoundFactory(tournament=event).tournament, 4, 1, Slip("played", 2, 0))
    entered = [event.actions.order_by("number").last()]
    before = sentences()
    here, there = (match.a for table, match in sorted(matches_of(event, 4).items()) if table in (1, 2))
    b = matches_of(event, 4)[1].b
    correction = correct(event, 4, 1, there, b)
    assert here != there and sentences() == before
    event.refresh_from_db()
    undo_action(event, correction.number)
    assert sentences() == before


def test_what_cannot_be_is_refused_and_nothing_is_written(event):
    a, b = seats(event, 2)[1]
    drop_entry(event, "P0008")
    event.entries.filter(code="P0008").update(dropped_after=1)
    count = event.actions.count()
    with pytest.raises(Refused, match="Choose two different players"):
        correct_seats(event, 2, 1, a, a, **WHY)
    with pytest.raises(NotFound):
        correct_seats(event, 2, 1, "P0099", b, **WHY)
    with pytest.raises(WrongState, match="had dropped before round 2"):
        table = next(t for t, pair in seats(event, 2).items() if "P0008" not in pair)
        correct_seats(event, 2, table, "P0008", seats(event, 2)[table][1], **WHY)
    event.entries.filter(code="P0008").update(dropped_after=3)
    with pytest.raises(Refused, match="Say why"):
        correct_seats(event, 2, 1, b, a)
    assert correct_seats(event, 2, 1, a, b, **WHY) is None, "that is how they sit"
    draft_next_round(event)
    with pytest.raises(WrongState, match="not published yet"):
        correct_seats(event, 4, 1, b, a, **WHY)
    with pytest.raises(WrongState, match="has draft pairings"):
        correct_seats(event, 2, 1, b, a, **WHY)
    discard_draft(event, 4)
    add_house_opponent(event, "Hal")
    with pytest.raises(WrongState, match="Hal, a house opponent, has no match in round 2"):
        correct_seats(event, 2, 1, event.entries.get(house=True).code, b, **WHY)
    make_cut(event, 4)
    with pytest.raises(WrongState, match="follow from seeds and results"):
        correct_seats(event, 4, 1, *reversed(seats(event, 4)[1]), **WHY)
    assert not event.actions.filter(number__gt=count, kind="correction").exists()
