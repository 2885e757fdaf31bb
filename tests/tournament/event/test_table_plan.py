"""The table plan: blocks by name, feature tables, what is typed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.factories import TournamentFactory
from tournament.archive import ArchiveError, event_of
from tournament.archive.load import dump_event
from tournament.event.table_numbers import assign_tables
from tournament.event.table_plan import PlanError, find_table, parse_plan

PAIRS = [("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")]


class Hall:
    """An event with a plan, whose first table is 1."""

    first_table = 1
    table_plan = "A 1-16, B 1-16, Feature 1: 65, Feature: 66, Stream 1: 70, Stream: 90"


def named(plan, count=4, first=1):
    """The names of the tables of so many pairs."""
    parsed = parse_plan(plan, first)
    return [parsed.name(table) for table in assign_tables(PAIRS[:count], parsed)]


@pytest.mark.parametrize(
    "plan, first, names",
    [
        ("", 11, "11 12 13 14"),
        ("101-164", 1, "101 102 103 104"),
        ("A 1-2, B 1-2", 1, "A1 A2 B1 B2"),
        ("B 1–2; a1 - 2", 1, "B1 B2 a1 a2"),
        ("A 1-1, A 3-5", 1, "A1 A3 A4 A5"),
        ("A 1-2, A 4", 1, "A1 A2 A4 5"),  # then on by number, past the plan
        ("Red 1-2, Blue 7-9: 201", 1, "Red 1|Red 2|Blue 7|Blue 8"),
        ("Feature 1: 2, Stream", 11, "11 12 13 14"),
        ("Feature 1: 2, 1-3", 1, None),  # number 2 twice
        ("Feature 1: 4, 1-3", 1, "1 2 3 5"),  # past the plan, around the feature table
    ],
)
def test_tables_are_used_in_the_order_of_the_plan_and_feature_tables_by_no_one(plan, first, names):
    if names is None:
        with pytest.raises(PlanError, match="two tables have the number 2"):
            parse_plan(plan, first)
    else:
        assert named(plan, first=first) == (names.split("|") if "|" in names else names.split())


def test_a_gap_keeps_the_numbers_of_the_other_tables():
    with_all, without = parse_plan("A 1-8, B 1-8, Feature 1"), parse_plan("A 1-3, A 5-8, B 1-8, Feature 1")
    assert {number: without.names.get(number, "A4") for number in with_all.names} == with_all.names
    assert [with_all.name(number) for number in with_all.features] == ["Feature 1"]


@pytest.mark.parametrize(
    "plan, code",
    [
        *((text, "part") for text in ("-", "3-1", "A 0-3", "12: 5", "::", "A 1-", "0", "A 1-3 4", "x" * 30)),
        ("A 1-3: 9998", "last"),
        ("A 1-16, B 1-16: 5", "number"),
        ("A 1-3, 2", "number"),
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
    assert all(find_table(type("", (), {"first_table": 1, "table_plan": text}), name) == (number, "")
               for number, name in plan.names.items())  # fmt: skip


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
    ],
)
def test_a_typed_line_starts_with_the_longest_name_of_a_table(typed, found):
    assert find_table(Hall(), typed) == found


@pytest.mark.django_db
def test_a_file_brings_its_plan_and_a_wrong_one_is_refused_where_it_stands():
    data = json.loads(dump_event(TournamentFactory(entries=2, table_plan="A 1-4")))
    assert event_of(data).table_plan == "A 1-4"
    data["tournament"]["table_plan"] = "A 4-1"
    with pytest.raises(ArchiveError, match=r"tournament\.table_plan: “A 4-1” is not a block of tables"):
        event_of(data)
