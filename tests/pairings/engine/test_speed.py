"""Speed as ratios within one run; the figures themselves are printed by `tests.benchmarks.pairing`."""

import gc
import statistics

import pytest

from pairings.engine.types import Policy
from tests.benchmarks.pairing import timed, times
from tests.benchmarks.swiss import Event, by_networkx


def test_a_round_leaves_nothing_for_the_garbage_collector():
    field = Event(400, 7).entrants()
    gc.collect()
    gc.disable()
    try:
        times(field, Policy(labels_apart_until_round=9), range(3))
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_large_field_costs_little_more_than_its_size_times_a_small_one():
    small, large = Event(250, 5).entrants(), Event(4_000, 5).entrants()
    ours = [statistics.median(times(field, Policy(), range(5))[0]) for field in (small, large)]
    assert ours[1] < 64 * ours[0]  # sixteen times as many players


@pytest.mark.slow
def test_a_round_of_512_is_a_thousand_times_faster_than_a_full_graph_by_networkx():
    field = Event(512, 9).entrants()
    ours = statistics.median(times(field, Policy(), range(15))[0])
    seconds, _ = timed(by_networkx, field)
    assert seconds > 1_000 * ours
