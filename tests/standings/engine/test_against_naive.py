"""The engine against the naive second implementation, on random small events of every kind of result."""

from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine import explain
from standings.event.records import points_of
from standings.event.swiss import standings_of
from tests.conftest import THOROUGH
from tests.standings.engine import naive
from tests.standings.engine.builders import event, match

PRESETS = ("dci1999", "mtr_jp", "mtr", "cardeio", "twixt", "melee_default")
ALONE = ("bye", "awarded_bye", "half_bye", "zero_bye", "full_bye", "missed")
games = st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2))


@st.composite
def paired(draw, a, b):
    kind = draw(st.sampled_from(["played"] * 4 + ["intentional_draw", "double_loss", "forfeit"]))
    winner = draw(st.sampled_from(["a", "b", None])) if kind == "forfeit" else None
    return match(a, b, kind, draw(games) if kind == "played" else None, winner=winner)


@st.composite
def small_events(draw):
    """Two to nine entries, one to five rounds; some sit alone, some not at all; repeats happen."""
    names = [f"E{n}" for n in range(draw(st.integers(2, 9)))]
    rounds = []
    for _ in range(draw(st.integers(1, 5))):
        order = draw(st.permutations(names))
        pairs = draw(st.integers(0, len(names) // 2))
        matches = [draw(paired(order[2 * i], order[2 * i + 1])) for i in range(pairs)]
        for name in order[2 * pairs :]:
            result = draw(st.sampled_from([None, *ALONE]))
            matches += [match(name, None, result)] if result else []
        rounds.append(matches)
    seed = draw(st.binary(min_size=1, max_size=16)).hex()
    return event(*rounds, preset=draw(st.sampled_from(PRESETS)), entries=names, seed=seed)


@settings(max_examples=400 if THOROUGH else 25, deadline=None)
@given(small_events())
def test_every_value_and_the_order_agree(played):
    ranking = standings_of(played)
    expected = {entry: naive.values(played, entry) for entry in played.entries}
    assert {row.entry: row.values for row in ranking} == expected
    # Everything but the draw of lots is better when greater; the draw leaves no ties.
    order = sorted(expected, key=lambda e: (*(-v for v in expected[e][:-1]), expected[e][-1]))
    assert ranking.order == order
    assert [row.rank for row in ranking] == list(range(1, len(order) + 1))
    assert points_of(played, 1) == {entry: expected[entry][0] for entry in played.entries}


@settings(max_examples=200 if THOROUGH else 15, deadline=None)
@given(small_events())
def test_decided_by_names_the_first_column_that_differs_from_the_row_above(played):
    ranking = standings_of(played)
    for above, row in zip(ranking.rows, ranking.rows[1:], strict=False):
        differs = [
            i for i, pair in enumerate(zip(above.values, row.values, strict=True)) if pair[0] != pair[1]
        ]
        assert row.decided_by == ranking.columns[differs[0]]


@settings(max_examples=200 if THOROUGH else 12, deadline=None)
@given(small_events())
def test_every_explanation_adds_up_to_its_value(played):
    ranking = standings_of(played)
    for row in ranking:
        for i, value in enumerate(row.values[:-1]):
            explanation = explain(ranking, row.entry, i)
            assert explanation.result == value
            assert explanation.total == sum(
                line.value for line in explanation.lines if line.value is not None
            )
            share = (
                explanation.total
                if explanation.divided_by is None
                else explanation.total / (explanation.divided_by or 1)
            )
            if explanation.changed_from is not None:
                assert explanation.changed_from == share != value
            elif explanation.divided_by:
                assert share == value
            elif explanation.unit != "share":
                assert explanation.total == value


@settings(max_examples=200 if THOROUGH else 12, deadline=None)
@given(small_events(), st.randoms(use_true_random=False))
def test_the_order_of_matches_and_sides_changes_nothing(played, random):
    before = standings_of(played).rows
    for round_ in played.rounds:
        random.shuffle(round_.matches)
    played.entries = dict(sorted(played.entries.items(), reverse=True))
    assert standings_of(played).rows == before
