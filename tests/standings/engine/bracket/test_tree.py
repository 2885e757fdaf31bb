from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.bracket.cut import (
    LOST_TO,
    SHARED,
    SWISS_SEED,
    UnknownPlacing,
    cut,
    order_groups,
    places_in_bracket,
)
from standings.engine.bracket.tree import (
    Bracket,
    Meeting,
    bracket_order,
    build_slots,
    fill_bracket,
    infer_lines,
    matches_to_open,
    place_on_lines,
    size_for,
)
from tests.conftest import THOROUGH


def seeds(n):
    return [f"s{i:02}" for i in range(1, n + 1)]


def test_slots_are_the_standard_tables_and_joined_as_the_archive_says():
    assert bracket_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    assert bracket_order(16) == [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]
    with pytest.raises(ValueError, match="not 6"):
        bracket_order(6)
    tree = {slot.name: slot for slot in build_slots(8, third_place=True)}
    assert list(tree) == ["W1.1", "W1.2", "W1.3", "W1.4", "W2.1", "W2.2", "F.1", "P3.1"]
    assert [source.of for source in (tree["W2.2"].a, tree["W2.2"].b)] == ["W1.3", "W1.4"]
    assert [(s.kind, s.of) for s in (tree["P3.1"].a, tree["P3.1"].b)] == [
        ("loser", "W2.1"),
        ("loser", "W2.2"),
    ]
    assert [slot.name for slot in build_slots(2)] == ["F.1"]


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64])
def test_each_pair_adds_up_and_the_better_half_never_meets_before_it_must(size):
    order = bracket_order(size)
    assert sorted(order) == list(range(1, size + 1))
    while len(order) > 1:
        pairs = list(zip(order[::2], order[1::2], strict=True))
        assert {a + b for a, b in pairs} == {len(order) + 1}
        order = [min(pair) for pair in pairs]
    assert order == [1]


@pytest.mark.parametrize("n", range(2, 65))
def test_byes_go_to_the_top_seeds(n):
    lines = place_on_lines(seeds(n))
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    alone = sorted(a or b for a, b in pairs if None in (a, b))
    assert alone == seeds(size_for(n) - n)


def test_everybody_with_enough_points_qualifies_and_never_fewer_than_the_cut():
    points = {"A": 12, "B": 9, "C": 9, "D": 6, "E": 3}
    assert cut("ABCDE", 2, points=points, min_points=9) == (["A", "B", "C"], ["D", "E"])
    assert cut("ABCDE", 4, points=points, min_points=9).qualifiers == ["A", "B", "C", "D"]
    assert cut("ABCDE", 2, points=points, min_points=9, passed_over="B").qualifiers == ["A", "C"]


def test_a_match_opens_when_both_entrants_are_known_or_the_opponent_has_nobody_to_meet():
    open_ = [Meeting("s02", "s07", None, False, "W1.3"), Meeting("s03", "s06", None, False, "W1.4")]
    played = [Meeting("s01", "s08", "s08", slot="W1.1"), Meeting("s04", "s05", "s04", slot="W1.2")]
    bracket = fill_bracket(seeds(8), played + open_)
    assert [(m.slot, m.a, m.b) for m in matches_to_open(bracket)] == [("W2.1", "s08", "s04")]
    assert not bracket.matches["W2.2"].a_known
    assert not bracket.matches["F.1"].both_known
    played = [Meeting("s01", "s04", None, True, "W1.1"), Meeting("s02", "s03", "s03", True, "W1.2")]
    bracket = fill_bracket(seeds(4), played)
    final = bracket.matches["F.1"]
    assert (final.a, final.b, final.is_bye) == (None, "s03", True)
    assert bracket.champion == "s03"


def test_the_third_place_match_waits_for_both_semi_finals_and_one_of_the_beaten_settles_places():
    semis = [Meeting("s01", "s04", "s04", slot="W1.1"), Meeting("s02", "s03", "s02", slot="W1.2")]
    bracket = fill_bracket(seeds(4), semis, third_place=True)
    assert [(m.slot, m.a, m.b) for m in matches_to_open(bracket)] == [
        ("F.1", "s04", "s02"),
        ("P3.1", "s01", "s03"),
    ]
    end = [Meeting("s04", "s02", "s04", slot="F.1"), Meeting("s01", "s03", "s03", slot="P3.1")]
    example = fill_bracket(seeds(4), semis + end, third_place=True)
    assert [row.entry for row in places_in_bracket(example)] == ["s04", "s02", "s03", "s01"]
    meetings = [Meeting("s01", "s04", "s01"), Meeting("s02", "s03", "s02"), Meeting("s03", "s04", "s04"),
                Meeting("s01", "s02", "s02")]  # fmt: skip
    bracket = fill_bracket(seeds(4), meetings)
    assert [row.entry for row in places_in_bracket(bracket)] == ["s02", "s01", "s04", "s03"]
    assert infer_lines(meetings, seeds(4)) == ["s01", "s04", "s02", "s03"]


@settings(max_examples=60 if THOROUGH else 15, deadline=None)
@given(st.integers(2, 16), st.randoms(use_true_random=False))
def test_recorded_matches_without_slots_find_their_tree_whatever_the_draw_was(n, random):
    drawn = seeds(n)
    random.shuffle(drawn)
    meetings = []
    while waiting := [m for m in matches_to_open(fill_bracket(drawn, meetings)) if m.a and m.b]:
        match = random.choice(waiting)
        meetings.append(Meeting(match.a, match.b, random.choice([match.a, match.b])))
    bracket = fill_bracket(seeds(n), meetings)
    assert bracket.champion == meetings[-1].winner
    assert bracket.placing == []
    assert sorted(filter(None, bracket.lines)) == seeds(n)
    assert sum(match.meeting is not None for match in bracket.matches.values()) == n - 1


GROUPS = [["s3"], ["s1"], ["s4", "s2"], ["s8", "s5", "s7", "s6"]]
SEEDS = {f"s{n}": n for n in range(1, 9)}


def test_places_inside_a_round_by_swiss_seed_or_shared():
    by_seed = order_groups(GROUPS, SWISS_SEED, SEEDS)
    assert [row.entry for row in by_seed] == ["s3", "s1", "s2", "s4", "s5", "s6", "s7", "s8"]
    assert [row.place for row in order_groups(GROUPS, SHARED, SEEDS)] == [1, 2, 3, 3, 5, 5, 5, 5]
    with pytest.raises(UnknownPlacing, match="by height"):
        order_groups(GROUPS, "by height", SEEDS)


def test_clinecon_places_by_points_then_by_the_place_of_the_conqueror():
    lost_to = {"s4": "s1", "s2": "s3", "s8": "s1", "s6": "s3", "s5": "s4", "s7": "s2"}
    even = order_groups(GROUPS, LOST_TO, SEEDS, {}, lost_to)
    assert [row.entry for row in even] == ["s3", "s1", "s2", "s4", "s6", "s8", "s7", "s5"]
    drew_once = order_groups(GROUPS, LOST_TO, SEEDS, {"s5": 1}, lost_to)
    assert [row.entry for row in drew_once][4:] == ["s5", "s6", "s8", "s7"]


# --- whatever happens in it -----------------------------------------------------------------------------------


def played(n: int, third_place: bool, chance: Random, nobody: float) -> Bracket:
    """A bracket of n played to its end, each round in any order; in `nobody` of the matches both lose."""
    meetings: list[Meeting] = []
    while waiting := matches_to_open(fill_bracket(seeds(n), meetings, third_place=third_place)):
        for match in chance.sample(waiting, len(waiting)):
            a, b = (match.a, match.b) if match.a else (match.b, None)
            winner = None if b and chance.random() < nobody else chance.choice([a, b] if b else [a])
            points = (Fraction(chance.randint(0, 2), 2), Fraction(chance.randint(0, 2), 2))
            meetings.append(Meeting(a, b, winner, True, match.slot, points))
    return fill_bracket(seeds(n), meetings, third_place=third_place)


@settings(max_examples=200 if THOROUGH else 30)
@given(
    st.integers(2, 64),
    st.sampled_from([SWISS_SEED, LOST_TO, SHARED]),
    st.booleans(),
    st.sampled_from([0, 0.1]),
    st.randoms(use_true_random=False),
)
def test_everybody_has_one_place_and_plays_until_beaten(n, placement, third_place, nobody, random):
    bracket = played(n, third_place, random, nobody)
    rows = places_in_bracket(bracket, placement)
    assert sorted(row.entry for row in rows) == seeds(n)
    if placement == SHARED:
        assert all(row.place == 1 + sum(other.place < row.place for other in rows) for row in rows)
    else:
        assert [row.place for row in rows] == list(range(1, n + 1))
    if not nobody:
        assert rows[0] == (1, bracket.champion)
        losers = [match.loser for match in bracket.matches.values() if match.loser and match.slot != "P3.1"]
        assert sorted(losers) == sorted({*seeds(n)} - {bracket.champion})
        if third_place and n > 3:
            third = bracket.matches["P3.1"]
            assert rows[2:4] == [(3, third.winner), (4, third.loser)]
