from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from standings.engine.bracket.cut import (
    FIRST_MOVES,
    HIGHER_SEED,
    LIMITS,
    NOT_ALLOWED,
    REPLAY,
    SWISS_SEED,
    Due,
    Time,
    find_first_mover,
    next_due,
    places_in_bracket,
    winner_by_points,
)
from standings.engine.bracket.tree import (
    BracketDrops,
    Meeting,
    fill_bracket,
    matches_to_open,
    outdated_matches,
)
from tests.conftest import THOROUGH
from tournament.rulesets import schema
from tournament.rulesets.schema import FIELD_AT, Replay

DRAWN, WON = (0, 0, 1), (1, 0, 0)


def seeds(n):
    return [f"s{i}" for i in range(1, n + 1)]


def meets(bracket):
    return {match.slot: (match.a, match.b) for match in bracket.matches.values() if match.both_known}


# --- a drawn match (ClineCON, "Top six places" 1) ------------------------------------------------------------


def test_a_drawn_match_is_played_again_within_the_rulesets_limits():
    waits = next_due([DRAWN], REPLAY, first="a", time=Time(of_round=60, of_stage=200))
    assert waits == Due("repeat", first="b", minutes_each=30, delay_s=30, later=140)
    assert next_due([DRAWN, DRAWN], REPLAY, first="a").first == "a"
    assert next_due([DRAWN], REPLAY, time=Time(of_round=11)).minutes_each == 20, "the least"
    limits = {
        "min_minutes_per_player": 10,
        "delay_s_per_move": 5,
        "min_remaining_minutes_for_later_rounds": 30,
    }
    waits = next_due([DRAWN], REPLAY, time=Time(0, 49), limits=limits)
    assert waits == Due("higher_seed", None, 10, 5, 29)
    limits = {"delay_s_per_move": 0, "min_minutes_per_player": None}
    assert next_due([DRAWN], REPLAY, limits=limits)[2:4] == (20, 0)


@pytest.mark.parametrize(
    ("games", "rule", "more", "kind"),
    [
        ([], REPLAY, {}, "game"),
        ([WON], REPLAY, {}, "over"),
        ([DRAWN, WON], REPLAY, {}, "over"),
        ([DRAWN], REPLAY, {"decided": True}, "over"),
        ([DRAWN], REPLAY, {}, "repeat"),  # the stage has no end
        (
            [DRAWN],
            REPLAY,
            {"time": Time(of_round=0, of_stage=90)},
            "repeat",
        ),  # 50 minutes are left for later rounds
        ([DRAWN], REPLAY, {"time": Time(of_round=0, of_stage=89)}, "higher_seed"),
        ([DRAWN], REPLAY, {"final": True}, "repeat"),
        ([DRAWN], REPLAY, {"final": True, "time": Time(of_stage=50)}, "repeat"),
        ([DRAWN], REPLAY, {"final": True, "time": Time(of_stage=49)}, "insist"),
        ([DRAWN, DRAWN], REPLAY, {"final": True}, "tiebreak"),
        ([DRAWN], HIGHER_SEED, {}, "over"),
        ([DRAWN], NOT_ALLOWED, {}, "game"),
    ],
)
def test_what_a_match_waits_for(games, rule, more, kind):
    assert next_due(games, rule, **more).kind == kind


def test_the_limits_and_the_rules_on_first_moves_are_those_a_ruleset_can_name():
    assert tuple(LIMITS) == Replay.__struct_fields__ and FIRST_MOVES == schema.FIRST_MOVES
    assert {NOT_ALLOWED, HIGHER_SEED, REPLAY} == set(get_args(FIELD_AT["elimination.draw_rule"].kind.type))


def test_the_tiebreak_of_a_final_is_elimination_points_and_says_nothing_between_equals():
    assert winner_by_points(Fraction(5, 2), Fraction(2)) == "a"
    assert winner_by_points(Fraction(2), Fraction(5, 2)) == "b"
    assert winner_by_points(Fraction(2), Fraction(2)) is None


# --- who moves first (ClineCON, "Elimination session pairing") -----------------------------------------------


FIRST, SECOND = ["first"], ["second"]
ONE_SIDE, ALTERNATING = ["first", "first"], ["second", "first"]


@pytest.mark.parametrize(
    ("a", "b", "seed_a", "seed_b", "last", "first"),
    [
        (FIRST, SECOND, 1, 5, False, "b"),
        (SECOND, FIRST, 5, 1, False, "a"),
        # Both are due the same side: the better seed has precedence.
        (FIRST, FIRST, 1, 5, False, "b"),
        (FIRST, FIRST, 5, 1, False, "a"),
        (SECOND, SECOND, 1, 5, False, "a"),
        # Nobody has one side in all three rounds, before anybody alternates.
        (ONE_SIDE, ALTERNATING, 8, 1, True, "b"),
        (ALTERNATING, ONE_SIDE, 1, 8, True, "a"),
        # After a bye only the other one is due a side.
        ([], FIRST, 1, 4, False, "a"),
        ([], [], 4, 1, False, "b"),
    ],
)
def test_players_alternate_sides_and_the_better_seed_has_precedence(a, b, seed_a, seed_b, last, first):
    assert find_first_mover(a, b, seed_a, seed_b, last) == first


def test_first_moves_follow_the_rulesets_order():
    due = (ONE_SIDE, ALTERNATING, 8, 1, True)
    assert find_first_mover(*due, ["alternate", "not_same_all_rounds"]) == "a"
    assert find_first_mover(*due, ["alternate"]) == "a", "the better seed is served"
    assert find_first_mover(FIRST, SECOND, 1, 5, False, ["higher_seed_precedence", "alternate"]) == "a"
    assert find_first_mover(FIRST, SECOND, 5, 1, False, ["not_same_all_rounds"]) == "b"


# --- re-seeding ----------------------------------------------------------------------------------------------


def test_with_reseeding_the_best_seed_left_meets_the_worst():
    played = [Meeting("s1", "s8", "s8", slot="W1.1"), Meeting("s4", "s5", "s4", slot="W1.2")]
    assert "W2.1" not in meets(fill_bracket(seeds(8), played, reseed=True)), "it waits for the whole round"
    played += [Meeting("s2", "s7", "s2", slot="W1.3"), Meeting("s3", "s6", "s3", slot="W1.4")]
    reseeded = meets(fill_bracket(seeds(8), played, reseed=True))
    assert (reseeded["W2.1"], reseeded["W2.2"]) == (("s2", "s8"), ("s3", "s4"))


# --- somebody leaves -----------------------------------------------------------------------------------------


def test_the_opponent_of_who_left_has_a_bye_or_the_highest_seed_left():
    bracket = fill_bracket(seeds(4), drops=BracketDrops({"s3": 0}))
    assert [(m.slot, m.a, m.b) for m in matches_to_open(bracket)] == [
        ("W1.1", "s1", "s4"),
        ("W1.2", "s2", None),
    ]
    assert bracket.matches["W1.2"].gone == ("s3",)
    semis = meets(fill_bracket(seeds(8), drops=BracketDrops({"s5": 0}, top_bye=True)))
    assert (semis["W1.1"], semis["W1.2"]) == (("s1", None), ("s4", "s8"))
    semis = meets(fill_bracket(seeds(8), drops=BracketDrops({"s8": 0}, top_bye=True)))
    assert (semis["W1.1"], semis["W1.2"]) == (("s1", None), ("s4", "s5")), "whose opponent left has it anyway"


def test_in_a_later_round_the_top_bye_waits_until_the_round_is_known():
    played = [
        Meeting("s1", "s8", "s1", slot="W1.1"),
        Meeting("s4", "s5", "s5", slot="W1.2"),
        Meeting("s2", "s7", "s2", slot="W1.3"),
    ]
    drops = BracketDrops({"s2": 1}, top_bye=True)
    assert not [m for m in matches_to_open(fill_bracket(seeds(8), played, drops=drops)) if m.slot == "W2.2"]
    known = fill_bracket(seeds(8), [*played, Meeting("s3", "s6", "s3", slot="W1.4")], drops=drops)
    assert meets(known)["W2.1"] == ("s1", None) and set(meets(known)["W2.2"]) == {"s5", "s3"}


def test_who_left_unbeaten_is_placed_with_the_beaten_and_an_open_match_is_stale():
    open_, played = ([Meeting("s1", "s4", "s1" if final else None, final, "W1.1")] for final in (False, True))
    assert [
        m.slot for m in outdated_matches(fill_bracket(seeds(4), open_, drops=BracketDrops({"s4": 0})))
    ] == ["W1.1"]
    assert outdated_matches(fill_bracket(seeds(4), played, drops=BracketDrops({"s4": 1}))) == []
    played = [Meeting("s1", "s4", "s1", slot="W1.1"), Meeting("s2", "s3", "s3", slot="W1.2")]
    bracket = fill_bracket(seeds(4), played, drops=BracketDrops({"s1": 1}))
    assert bracket.champion == "s3"
    assert [row.entry for row in places_in_bracket(bracket, SWISS_SEED)] == ["s3", "s1", "s2", "s4"]
    played = [Meeting("s2", "s3", "s2", slot="W1.2"), Meeting("s1", "s2", "s1", slot="F.1")]
    bracket = fill_bracket(seeds(4), played, drops=BracketDrops({"s4": 0}))
    assert [row.entry for row in places_in_bracket(bracket, SWISS_SEED)] == ["s1", "s2", "s3", "s4"]


@settings(max_examples=60 if THOROUGH else 15, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(2, 33), st.data())
def test_whoever_leaves_and_however_places_are_a_permutation(entrants, data):
    reseed, top_bye, third = (data.draw(st.booleans()) for _ in range(3))
    after: dict[str, int] = {}
    opened: dict[str, Meeting] = {}

    def now():
        drops = BracketDrops(after, top_bye)
        return fill_bracket(seeds(entrants), opened.values(), third_place=third, reseed=reseed, drops=drops)

    def settle():
        while outdated := outdated_matches(now()):
            for match in outdated:
                assert match.meeting.b is None or not match.meeting.final, "a played match stays"
                del opened[match.slot]
        for match in matches_to_open(now()):
            a, b = (match.a, match.b) if match.a else (match.b, None)
            opened[match.slot] = Meeting(a, b, None, b is None, match.slot)

    settle()
    while waiting := [meeting for meeting in opened.values() if not meeting.final]:
        meeting = data.draw(st.sampled_from(waiting))
        if data.draw(st.integers(0, 9)) == 0:
            after[meeting.a] = now().matches[meeting.slot].round - 1
        else:
            winner = data.draw(st.sampled_from([meeting.a, meeting.b]))
            opened[meeting.slot] = meeting._replace(winner=winner, final=True)
        settle()
    rows = places_in_bracket(now(), SWISS_SEED)
    assert sorted(row.entry for row in rows) == sorted(seeds(entrants))
    assert [row.place for row in rows] == list(range(1, entrants + 1))
    assert now().champion == rows[0].entry
