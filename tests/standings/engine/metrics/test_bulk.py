"""All entries at once give the numbers that each entry gives alone, for every metric and its params."""

from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine import METRICS, Record, rank
from standings.engine.field import Field
from standings.engine.metrics.bulk.flat import Flat, Numbers
from standings.engine.records import RoundRecord
from standings.engine.scoring import Scoring
from standings.event.swiss import records_of
from tests.conftest import THOROUGH
from tests.standings.engine.builders import field_of, played
from tests.standings.engine.strategies import full_events, params_of
from tournament.rulesets import resolve


def field_of_event(event) -> Field:
    return Field(records_of(event, [1]), Scoring(event.profile))


@pytest.mark.long
@settings(max_examples=200 if THOROUGH else 40)
@given(full_events(), st.sampled_from(["own", "zero", "exclude"]), st.integers(0, 2**32))
def test_both_ways_agree(event, contribution, seed):
    """House opponents, some of whom left, included; every metric with parameters by chance and without any."""
    event.profile["bye"] = {**event.profile["bye"], "house_contribution": contribution}
    at_once, alone, chance = field_of_event(event), field_of_event(event), Random(seed)
    keys = [key for key, metric in METRICS.items() if metric.at_once is not None]
    for metric, params in [(key, params) for key in keys for params in ({}, params_of(key, chance))]:
        values, whole = at_once.column(metric, params).numbers
        one_by_one = [alone.value(metric, entry, params) for entry in alone.records]
        assert [F(value, whole) for value in values] == one_by_one, (metric, params)


def test_a_step_nobody_is_tied_at_is_computed_when_it_is_read(monkeypatch):
    field = field_of([played("A", "B")], [played("A", "B")])
    calls = []
    numbers = Flat.totals
    monkeypatch.setattr(Flat, "totals", lambda flat, lines: calls.append(1) or numbers(flat, lines))
    ranking = rank(field.records, resolve("cardeio"))
    assert len(calls) == 1  # match points
    assert ranking.row("A").values == (6, F(33, 100), 1, F(33, 100), 1)
    assert len(calls) > 1


def test_values_are_like_a_tuple():
    values = rank(field_of([played("A", "B")]).records, resolve("cardeio")).row("A").values
    row = tuple(values)
    assert values == row and row == values and hash(values) == hash(row) and repr(values) == repr(row)
    assert values[1:3] == row[1:3] and values[-1] == row[-1] and len(values) == len(row)
    assert values != row[:-1] and values != list(row)


def test_numbers_keep_their_values_over_another_denominator():
    numbers = Numbers.from_values([1, F(1, 2), F(-2, 3)])
    assert numbers == ([6, 3, -4], 6)
    assert numbers.rescale(F(1, 4)) == ([12, 6, -8], 12)
    assert numbers.replace_at({1: F(1, 5)}) == ([30, 6, -20], 30)
    assert numbers.extend([F(1, 5)]) == ([30, 15, -20, 6], 30)
    assert Numbers.from_values([]) == ([], 1)


@pytest.mark.parametrize("key", ["seed", "manual", "external_value"])
def test_who_has_none_stands_after_the_last_however_many_there_are(key):
    """Looked for once: 4,000 entries without a value are done in an instant, and not in 16 million steps."""
    records = {f"P{n}": Record(f"P{n}") for n in range(4000)}
    records["P7"] = Record("P7", seed=9, manual=9, external={"": 9})
    field = Field(records, Scoring(resolve("cardeio")))
    assert {field.value(key, entry) for entry in records if entry != "P7"} == {10}


def test_a_large_sort_of_games_is_no_trouble():
    """Denominators of hundreds of different numbers of games stay exact."""
    line = RoundRecord(1, "played", "B", "W", (1, 0, 0))
    records = {"B": Record("B", [line._replace(opponent="A0", outcome="L", games=(0, 1, 0))])}
    for n in range(300):
        records[f"A{n}"] = Record(f"A{n}", [line._replace(games=(n + 1, n, 0))])
    values = {row.entry: row.values for row in rank(records, resolve("cardeio"))}
    assert all(values[f"A{n}"][2] == F(n + 1, 2 * n + 1) for n in range(300))
