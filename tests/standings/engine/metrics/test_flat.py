"""All entries at once. That the numbers are right: `test_against_naive`, and `test_explanation` for all params."""

from fractions import Fraction as F

import pytest

from standings.engine.field import Field
from standings.engine.metrics.flat import Flat, Numbers
from standings.engine.ranking import rank
from standings.engine.records import Record, RoundRecord
from standings.engine.scoring import Scoring
from tests.standings.engine.builders import alone, field_of, played
from tournament.rulesets import resolve


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
    assert numbers.replace_at({1: F(1, 5)}) == ([30, 6, -20], 30)
    assert numbers.replace_at({0: F(1, 4)}) == ([3, 6, -8], 12) and numbers.replace_at({}) == numbers
    assert numbers.divide([1, 2, 0], F(1, 4)) == ([24, 6, 6], 24)
    assert Numbers.from_values([]) == ([], 1)


def test_a_round_that_is_left_out_is_never_cut_as_the_lowest():
    first = [played("A", "B"), played("C", "D")]
    field = field_of(first, [played("A", "C"), alone("B")], [played("B", "C"), alone("A")], preset="fide")
    assert field.value("buchholz", "A", {"own_unplayed": "exclude", "cut_low": 1}) == 2  # B 2, C 1, no bye


@pytest.mark.parametrize("key", ["seed", "manual", "external_value"])
def test_who_has_none_stands_after_the_last_however_many_there_are(key):
    """Looked for once: 4,000 entries without a value are done in an instant, and not in 16 million steps."""
    records = {f"P{n}": Record(f"P{n}") for n in range(4000)}
    records["P7"] = Record("P7", seed=9, manual=9, external={"": 9})
    field = Field(records, Scoring(resolve("cardeio")))
    assert {field.value(key, entry) for entry in records if entry != "P7"} == {10}


def test_a_large_sort_of_games_is_no_trouble():
    line = RoundRecord(1, "played", "B", "W", (1, 0, 0))
    records = {"B": Record("B", [line._replace(opponent="A0", outcome="L", games=(0, 1, 0))])}
    for n in range(300):
        records[f"A{n}"] = Record(f"A{n}", [line._replace(games=(n + 1, n, 0))])
    values = {row.entry: row.values for row in rank(records, resolve("cardeio"))}
    assert all(values[f"A{n}"][2] == F(n + 1, 2 * n + 1) for n in range(300))
