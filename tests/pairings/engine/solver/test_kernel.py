"""The kernel's stand-ins are enough: what it finds costs what a matching over everybody costs."""

import random
from dataclasses import replace
from math import inf

import pytest

from pairings.engine import Entrant, NoPairing, Policy
from pairings.engine.criteria import Meter
from pairings.engine.field import Field
from pairings.engine.lower_bound import lower_bound_of
from pairings.engine.pair import solve_by_structure
from pairings.engine.solver.blocks import match_whole_field
from pairings.engine.solver.kernel import Kernel
from pairings.engine.solver.windows import windows_around
from pairings.engine.types import PairingRequest

PLAIN = ("repeats", "bye", "score_difference")


def field_with_big_groups(seed):
    """Small quarrelsome groups among big peaceful ones; few may take the bye; up to two house entrants."""
    dice = random.Random(seed)
    points = [score for score in dice.sample(range(14), 6) for _ in range(dice.choice([1, 1, 2, 3, 10, 15]))]
    met = {i: set() for i in range(len(points))}
    for i in met:
        for j in range(i):
            near = abs(points[i] - points[j]) <= 1 and dice.random() < 0.5
            if dice.random() < (0.8 if near else 0.03):
                met[i].add(j)
                met[j].add(i)
    density = dice.choice([0.3, 0.9])
    entrants = [Entrant(i, points[i], frozenset(met[i]), int(dice.random() < density)) for i in met]
    for house in range(dice.choice([0, 0, 1, 2])):
        some = frozenset(i for i in met if dice.random() < 0.3)
        entrants.append(Entrant(1000 + house, 0, some, house=True))
        for i in some:
            entrants[i] = replace(entrants[i], opponents=entrants[i].opponents | {1000 + house})
    objective = dice.choice(["balance", "balance", "protect_top"])
    return entrants, Policy(objective=objective, criteria=PLAIN)


# Fields in which one stand-in fewer, from below or for the slots, gives another cost.
NEEDS_EVERY_STAND_IN = (442, 1291, 3064, 277, 310, 620)


@pytest.mark.parametrize("seeds", [range(0, 50), range(50, 100), range(100, 150), NEEDS_EVERY_STAND_IN])
def test_the_kernel_costs_what_the_whole_graph_costs(seeds):
    used = 0
    for seed in seeds:
        entrants, policy = field_with_big_groups(seed)
        try:
            meter = Meter(Field(PairingRequest(entrants, policy, seed)))
        except NoPairing:
            continue
        reduced = solve_by_structure(meter)
        whole = match_whole_field(meter)
        costs = [meter.total_costs(solution.pairs, solution.slots) for solution in (reduced, whole)]
        assert costs[0] == costs[1], seed
        used += reduced.proofs["repeats"].code == "kernel"
    assert used


def test_the_kernel_stays_small_however_large_the_field():
    """Its size depends on groups and histories, not on how many peaceful players there are."""
    leaders = [Entrant(0, 9, frozenset({1})), Entrant(1, 9, frozenset({0}))]
    sizes = set()
    for crowd in (100, 4000):
        others = [Entrant(i, 3 * (i % 3)) for i in range(2, 2 + 3 * crowd)]
        field = Field(PairingRequest(leaders + others, Policy()))
        (window,) = windows_around(field, lower_bound_of(field), {0}, excess=inf)
        sizes.add(len(Kernel(field, window, count_floats=False).vertices))
    assert len(sizes) == 1 and sizes.pop() < 20
