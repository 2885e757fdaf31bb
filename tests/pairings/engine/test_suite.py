"""A slice of the benchmark suite: nothing is refused, nobody left out, no cost above the exact optimum."""

import pytest

from tests.pairings.engine.generator import event, tight_event


@pytest.mark.parametrize("seed", range(6))
def test_events_have_no_round_that_could_be_better(seed):
    tally = event(1000 + seed, largest=24)
    assert tally.rounds >= 4 and not any(tally.failures.values()), tally


@pytest.mark.parametrize("block", range(4))
def test_tight_events_are_paired_to_their_last_possible_round(block):
    tallies = [tight_event(1000 + 5 * block + seed) for seed in range(5)]
    assert sum(tally.rounds for tally in tallies) > 15
    assert not any(any(tally.failures.values()) for tally in tallies), tallies
