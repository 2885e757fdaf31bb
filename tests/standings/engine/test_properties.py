"""Invariants of standings in every ruleset, and ranks in the order of the tiebreakers."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standings.engine.metrics import METRICS
from standings.engine.ranking import build_chain, rank
from standings.engine.records import Record
from standings.table.swiss import tally_records
from tests.conftest import THOROUGH
from tests.standings.engine.strategies import other_events
from tournament.rulesets import presets, resolve

PROFILES = {key: resolve(key) for key in sorted(presets())}
# In these an entry is measured beside all there are: who is added comes last, and moves who comes last.
AMONG_ALL = {"manual", "seed", "external_value"}
few = settings(max_examples=400 if THOROUGH else 15, deadline=None)


@st.composite
def ranked_events(draw):
    """An event, and the order of some ruleset without its draw of lots: names decide nothing."""
    event = draw(other_events())
    event.profile = PROFILES[draw(st.sampled_from(sorted(PROFILES)))]
    steps = [step for step in build_chain(event.profile) if step.key not in {"random"} | AMONG_ALL]
    return event, steps


def rows_of(event, steps, records=None):
    """{entry: (rank, values, what decided the group)} and the order, ties by name."""
    ranking = rank(records or tally_records(event, [1]), event.profile, chain=steps)
    return {row.entry: (row.rank, tuple(row.values)) for row in ranking}


@few
@given(ranked_events(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_sides_changes_nothing(case, random):
    event, steps = case
    before = rows_of(event, steps)
    for round_ in event.rounds:
        random.shuffle(round_.matches)
        round_.matches = [turned(match) if random.random() < 0.5 else match for match in round_.matches]
    entries = list(event.entries.items())
    random.shuffle(entries)
    event.entries = dict(entries)
    assert rows_of(event, steps) == before


def turned(match):
    """The same match seen from the other side."""
    if match.b is None:
        return match
    other = {"a": "b", "b": "a", None: None}
    return match.replace(
        a=match.b,
        b=match.a,
        games=match.games and (match.games[1], match.games[0], match.games[2]),
        score=match.score and match.score[::-1],
        winner=other[match.winner],
        first=other[match.first],
        game_order=match.game_order and match.game_order.translate(str.maketrans("ab", "ba")),
    )


@few
@given(ranked_events(), st.permutations("ABCDEFGHI"))
def test_names_change_nothing_but_themselves(case, letters):
    event, steps = case
    renamed = dict(zip(sorted(event.entries), letters, strict=False))
    before = rows_of(event, steps)
    event.entries = {renamed[name]: entry.replace(id=renamed[name]) for name, entry in event.entries.items()}
    for round_ in event.rounds:
        for match in round_.matches:
            match.a, match.b = renamed[match.a], renamed.get(match.b)
    assert rows_of(event, steps) == {renamed[entry]: row for entry, row in before.items()}


@few
@given(ranked_events())
def test_somebody_without_matches_changes_nothing_for_the_others(case):
    event, steps = case
    before = rows_of(event, steps)
    records = tally_records(event, [1]) | {"new": Record("new")}
    after = rows_of(event, steps, records)
    added, _ = after.pop("new")
    assert {entry: values for entry, (_, values) in after.items()} == {
        entry: values for entry, (_, values) in before.items()
    } or any(METRICS[step.key].group for step in steps)
    for entry, (place, _) in after.items():
        assert place - before[entry][0] == (place > added)


@few
@given(other_events(), st.sampled_from(sorted(PROFILES)))
def test_ranks_are_one_order_and_that_of_the_chain(event, key):
    event.profile = PROFILES[key]
    steps = build_chain(event.profile)
    rows = rank(tally_records(event, [1]), event.profile, chain=steps, seed=event.seed).rows
    order = [
        tuple(value if step.ascending else -value for value, step in zip(row.values, steps, strict=True))
        for row in rows
    ]
    assert order == sorted(order)
    assert [row.rank for row in rows] == [1 + sum(other < mine for other in order) for mine in order]
    assert {row.entry for row in rows} == set(event.entries)
    assert all(type(value) is Fraction for row in rows for value in row.values)


@pytest.mark.parametrize("key", sorted(PROFILES))
def test_every_ruleset_ranks_an_event_without_rounds(key):
    records = {name: Record(name) for name in "AB"}
    assert sorted(rank(records, PROFILES[key]).order) == ["A", "B"]
