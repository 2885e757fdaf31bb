import time
from itertools import accumulate, chain, permutations, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairings.engine.tables import spread_tables


def naive_cost(groups, tables, before, given_out):
    """The levels by the definition: players at the same table again, places out of the group's, places moved."""
    again = sum(sat.count(table) for sat, table in zip(before, given_out, strict=True))
    out = moved = 0
    for place, table in enumerate(given_out):
        own = {i for i, group in enumerate(groups) if group == groups[place]}
        to = tables.index(table)
        out += min(abs(to - i) for i in own)
        moved += abs(to - place)
    return again, out, moved


@st.composite
def rounds(draw, most=6):
    """Groups side by side, ascending tables with gaps, and where two players of each match sat before."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=most))
    groups = list(chain.from_iterable(repeat(number, size) for number, size in enumerate(sizes)))[:most]
    tables = list(accumulate(draw(st.integers(1, 3)) for _ in groups))
    seat = st.integers(1, tables[-1] + 1)
    before = draw(st.lists(st.lists(seat, max_size=2), min_size=len(groups), max_size=len(groups)))
    return groups, tables, before


@pytest.mark.long
@settings(max_examples=150)
@given(rounds())
def test_no_permutation_of_the_tables_is_better(case):
    groups, tables, before = case
    seated = spread_tables(*case)
    assert sorted(seated) == tables
    best = min(naive_cost(groups, tables, before, way) for way in permutations(tables))
    assert naive_cost(groups, tables, before, seated) == best


@settings(max_examples=40)
@given(rounds(most=40))
def test_each_match_has_a_table_and_the_same_round_is_seated_alike_each_time(case):
    groups, tables, before = case
    seated = spread_tables(*case)
    assert sorted(seated) == tables and seated == spread_tables(*case)
    own = naive_cost(groups, tables, before, tables)
    assert naive_cost(groups, tables, before, seated) <= own
    if not own[0]:
        assert seated == tables  # nothing to avoid: the order stays


@pytest.mark.parametrize(
    "groups, before, seated",
    [
        ("aabb", [[1, 9], [], [], []], [2, 1, 3, 4]),  # within the group
        ("abcd", [[1, 1], [], [], []], [2, 1, 3, 4]),  # out of it where it must be, as little as can be
        ("abb", [[1, 5], [1, 6], []], [2, 3, 1]),
        ("a", [[1]], [1]),  # there is no other
        ("ab", [[1, 2], [2, 1]], [1, 2]),  # one at the same table either way: the order stays
        ("", [], []),
    ],
)
def test_worked_examples(groups, before, seated):
    assert spread_tables(groups, list(range(1, len(groups) + 1)), before) == seated


@pytest.mark.slow
def test_six_hundred_tables_take_less_than_a_second():
    size = 600
    groups = [place // 75 for place in range(size)]
    before = [[(7 * place) % size + 1, place + 1] for place in range(size)]  # one of each two sat there
    start = time.process_time()
    spread_tables(groups, list(range(1, size + 1)), before)
    assert time.process_time() - start < 1
