from fractions import Fraction

from hypothesis import given, settings

from standings.table.swiss import compute_points, compute_standings
from tests.conftest import THOROUGH
from tests.standings.engine import naive
from tests.standings.engine.builders import event, match
from tests.standings.engine.strategies import small_events


@settings(max_examples=400 if THOROUGH else 25, deadline=None)
@given(small_events())
def test_every_value_and_the_order_agree(played):
    ranking = compute_standings(played)
    expected = {entry: naive.values(played, entry) for entry in played.entries}
    assert {row.entry: row.values for row in ranking} == expected
    # Everything but the draw of lots is better when greater; the draw leaves no ties.
    order = sorted(expected, key=lambda e: (*(-v for v in expected[e][:-1]), expected[e][-1]))
    assert ranking.order == order
    assert [row.rank for row in ranking] == list(range(1, len(order) + 1))
    assert compute_points(played, 1) == {entry: expected[entry][0] for entry in played.entries}


@settings(max_examples=200 if THOROUGH else 15, deadline=None)
@given(small_events())
def test_decided_by_names_the_first_column_that_differs_from_the_row_above(played):
    ranking = compute_standings(played)
    for above, row in zip(ranking.rows, ranking.rows[1:], strict=False):
        differs = [i for i, (a, b) in enumerate(zip(above.values, row.values, strict=True)) if a != b]
        assert row.decided_by == ranking.columns[differs[0]]


def test_values_are_compared_before_they_are_rounded():
    """B has 1/3 from opponents, A 0.33: less than half a percent apart; by games A would stand above B."""
    close_call = event(
        [match("A", "b", games=(2, 0, 0)), match("B", "a", games=(2, 1, 0))],
        [match("a", "p", games="W"), match("b", "q", games="L")],
        [match("a", "r", games="L"), match("b", "s", games="L")],
        preset="dci1999",
    )
    ranked = compute_standings(close_call)
    assert ranked.row("B").values[1] - ranked.row("A").values[1] == Fraction(1, 300)
    assert [entry for entry in ranked.order if entry in "AB"] == ["B", "A"]
