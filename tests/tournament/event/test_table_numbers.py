"""Which table each pair sits at: the hall's numbers, tables to skip, fixed tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tournament.event.table_numbers import assign_tables
from tournament.event.table_plan import TablePlan
from tournament.models import Match
from tournament.services.event_settings import change_settings

PAIRS = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]


def test_tables_count_from_the_first_and_leave_out_those_to_skip():
    assert assign_tables(PAIRS) == [1, 2, 3, 4]
    assert assign_tables(PAIRS, TablePlan(after=11), skip=[12, 13, 99]) == [11, 14, 15, 16]
    assert assign_tables([]) == []


def test_a_fixed_table_is_obeyed_and_the_vacated_one_stays_empty():
    assert assign_tables(PAIRS, fixed={"f": 1}) == [2, 4, 1, 5]  # 3 is nobody's
    assert assign_tables(PAIRS, fixed={"f": 3}) == [1, 2, 3, 4]  # where they sit anyway
    assert assign_tables(PAIRS, fixed={"c": 40}) == [1, 40, 3, 4]  # beyond the last one
    assert assign_tables(PAIRS, TablePlan(after=11), skip=[12], fixed={"c": 12}) == [11, 12, 14, 15]


def test_two_with_fixed_tables_who_meet_leave_one_of_them_empty():
    assert assign_tables(PAIRS, fixed={"a": 3, "b": 2}) == [2, 4, 5, 6]


def test_two_pairs_that_claim_one_table_do_not_share_it():
    assert assign_tables(PAIRS, fixed={"a": 2, "g": 2}) == [2, 3, 4, 5]


def test_a_locked_table_keeps_its_number_before_a_fixed_one():
    assert assign_tables(PAIRS, locked={3: 1}) == [2, 3, 4, 1]
    assert assign_tables(PAIRS, locked={3: 1}, fixed={"a": 1}) == [2, 3, 4, 1]


@given(
    count=st.integers(0, 30),
    first=st.integers(1, 50),
    skip=st.sets(st.integers(1, 60)),
    fixed=st.dictionaries(st.integers(0, 59).map(str), st.integers(1, 80), max_size=12),
)
def test_every_pair_always_has_a_table_of_its_own(count, first, skip, fixed):
    pairs = [(str(2 * index), str(2 * index + 1)) for index in range(count)]
    tables = assign_tables(pairs, TablePlan(after=first), skip=skip, fixed=fixed)
    assert len(tables) == len(set(tables)) == count
    for two, table in zip(pairs, tables, strict=True):
        own = {fixed[player] for player in two if player in fixed}
        others = {fixed[player] for both in pairs for player in both if player in fixed} - own
        if not own:
            assert table >= first and table not in skip and table not in others


def seated(tournament, number):
    """The tables of a round, in order."""
    matches = Match.objects.filter(round__tournament=tournament, round__number=number, table__isnull=False)
    return list(matches.order_by("table").values_list("table", flat=True))


@pytest.mark.django_db
def test_the_bracket_is_played_at_the_tables_there_are():
    tournament = TournamentFactory(
        entries=8, ruleset="mtr", first_table=10, skip_tables=[11], rounds_planned=1
    )
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    make_cut(tournament, 4)
    assert seated(tournament, 2) == [10, 12]
    record_bracket_result(tournament, 2, 10, TWO_NIL)
    record_bracket_result(tournament, 2, 12, TWO_NIL)
    assert seated(tournament, 3) == [10]


@pytest.mark.django_db
def test_a_venue_that_changes_during_the_bracket_seats_no_two_matches_at_a_table():
    tournament = TournamentFactory(entries=16, ruleset="mtr", rounds_planned=1)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    make_cut(tournament, 8)
    for table in (3, 4):
        record_bracket_result(tournament, 2, table, TWO_NIL)
    assert seated(tournament, 3) == [2]
    change_settings(tournament, first_table=2)
    for table in (1, 2):
        record_bracket_result(tournament, 2, table, TWO_NIL)
    assert seated(tournament, 3) == [2, 3]
