import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standings.bracket.cut import make_cut
from standings.bracket.results import record_bracket_result
from tests.factories import TWO_NIL, RoundFactory, TournamentFactory, enter_results
from tournament.archive import ArchiveError, parse_event
from tournament.archive.load import dump_event
from tournament.event.table_plan import PlanError, TablePlan, assign_tables, find_table, parse_plan
from tournament.models import Match
from tournament.services.event_settings import change_settings

PAIRS = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        ("", "1 2 3 4"),
        ("101", "101 102 103 104"),  # a plan of one table, then on by number
        ("1-2, 4, 6-9", "1 2 4 6"),  # those left out are not used
        ("B 1–2; a1 - 2", "B1 B2 a1 a2"),
        ("A 1-1, A 3-5", "A1 A3 A4 A5"),
        ("A 1-2, A 4", "A1 A2 A4 5"),  # then on by number, past the plan
        ("Red 1-2, Blue 7-9: 201", "Red 1|Red 2|Blue 7|Blue 8"),
        ("Feature 1: 2, Stream", "1 4 5 6"),
        ("Feature 1: 4, 1-3", "1 2 3 5"),  # past the plan, around the feature table
    ],
)
def test_tables_are_used_in_the_order_of_the_plan_and_feature_tables_by_no_one(plan, names):
    parsed = parse_plan(plan)
    tables = [parsed.name(table) for table in assign_tables(PAIRS, parsed)]
    assert tables == (names.split("|") if "|" in names else names.split())


def test_a_gap_keeps_the_numbers_of_other_tables_and_initials_of_two_are_no_name():
    with_all, without = parse_plan("A 1-8, B 1-8, Feature 1"), parse_plan("A 1-3, A 5-8, B 1-8, Feature 1")
    assert {number: without.names.get(number, "A4") for number in with_all.names} == with_all.names
    assert [with_all.name(number) for number in with_all.features] == ["Feature 1"]
    plan = parse_plan("Feature 1-2: 71, Final 1: 75, F 2: 80, Main Hall 12: 12, Łódź 3: 30")
    found = {text: find_table(plan, text) for text in ("f1", "f2", "mh12", "ł3")}
    assert found == {"f1": None, "f2": (80, ""), "mh12": (12, ""), "ł3": (30, "")}


@pytest.mark.parametrize(
    "plan, code",
    [
        *((text, "part") for text in ("-", "3-1", "A 0-3", "12: 5", "::", "A 1-", "0", "A 1-3 4", "x" * 30)),
        ("A 1-3: 9998", "last"),
        ("A 1-16, B 1-16: 5", "number"),
        ("A 1-3, 2", "number"),
        ("Feature 1: 2, 1-3", "number"),
        ("A 1-3, a 2-5: 20", "name"),
    ],
)
def test_a_plan_that_cannot_be_says_why(plan, code):
    with pytest.raises(PlanError) as refusal:
        parse_plan(plan)
    assert refusal.value.code == code


@given(st.text("AB 1-9:,;–", max_size=24))
def test_whatever_is_typed_is_a_plan_with_each_number_and_name_once_or_refused(text):
    try:
        plan = parse_plan(text)
    except PlanError:
        return
    numbers = [*plan.order, *plan.features]
    assert len(set(numbers)) == len(numbers) and plan.after not in plan.order
    assert all(find_table(plan, name) == (number, "") for number, name in plan.names.items())


@pytest.mark.parametrize(
    "typed, found",
    [
        ("a12 20", (12, "20")),
        ("A 12 20", (12, "20")),
        ("b1.20", (17, ".20")),
        ("feature 1 20", (65, "20")),
        ("feature 20", (66, "20")),
        ("stream 1", (70, "")),
        ("12 20", None),
        ("a99 20", None),
        ("feature 11", (66, "11")),
        ("streamer 20", None),
        ("f1 20", (65, "20")),  # as no other table has these initials
        ("s1", (70, "")),
        ("f 20", None),
    ],
)
def test_a_typed_line_starts_with_the_longest_name_of_a_table(typed, found):
    plan = parse_plan("A 1-16, B 1-16, Feature 1: 65, Feature: 66, Stream 1: 70, Stream: 90")
    assert find_table(plan, typed) == found


@pytest.mark.django_db
def test_a_file_brings_its_plan_and_a_wrong_one_is_refused_where_it_stands():
    data = json.loads(dump_event(TournamentFactory(entries=2, table_plan="A 1-4")))
    assert parse_event(data).table_plan == "A 1-4"
    data["tournament"]["table_plan"] = "A 4-1"
    with pytest.raises(ArchiveError, match=r"tournament\.table_plan: “A 4-1” is not a block of tables"):
        parse_event(data)


@pytest.mark.parametrize(
    ("about", "tables"),
    [
        ({}, [1, 2, 3, 4]),
        ({"plan": TablePlan(after=11), "skip": [12, 13, 99]}, [11, 14, 15, 16]),
        ({"fixed": {"f": 1}}, [2, 4, 1, 5]),  # 3 is nobody's
        ({"fixed": {"f": 3}}, [1, 2, 3, 4]),  # where they sit anyway
        ({"fixed": {"c": 40}}, [1, 40, 3, 4]),  # beyond the last one
        ({"plan": TablePlan(after=11), "skip": [12], "fixed": {"c": 12}}, [11, 12, 14, 15]),
        ({"fixed": {"a": 3, "b": 2}}, [2, 4, 5, 6]),  # two who meet leave one of theirs empty
        ({"fixed": {"a": 2, "g": 2}}, [2, 3, 4, 5]),  # two pairs that claim one do not share it
        ({"locked": {3: 1}}, [2, 3, 4, 1]),
        ({"locked": {3: 1}, "fixed": {"a": 1}}, [2, 3, 4, 1]),
    ],
)
def test_pairs_sit_at_the_tables_in_order_but_for_fixed_and_locked_ones(about, tables):
    assert assign_tables(PAIRS, **about) == tables


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
def test_the_bracket_is_played_at_the_tables_there_are_also_when_the_venue_changes():
    tournament = TournamentFactory(entries=8, ruleset="mtr", table_plan="10, 12-20", rounds_planned=1)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    make_cut(tournament, 4)
    assert seated(tournament, 2) == [10, 12]
    record_bracket_result(tournament, 2, 10, TWO_NIL)
    record_bracket_result(tournament, 2, 12, TWO_NIL)
    assert seated(tournament, 3) == [10]
    tournament = TournamentFactory(entries=16, ruleset="mtr", rounds_planned=1)
    RoundFactory(tournament=tournament)
    enter_results(tournament, 1)
    make_cut(tournament, 8)
    for table in (3, 4):
        record_bracket_result(tournament, 2, table, TWO_NIL)
    assert seated(tournament, 3) == [3]
    change_settings(tournament, table_plan="2-9")
    for table in (1, 2):
        record_bracket_result(tournament, 2, table, TWO_NIL)
    assert seated(tournament, 3) == [2, 3]
