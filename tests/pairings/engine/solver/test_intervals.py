"""Intervals and components: parts of a field decided by themselves give what one matching over everybody gives."""

import random
from collections import Counter
from dataclasses import replace
from math import inf

import pytest

from pairings.engine.bye import bye_levels
from pairings.engine.criteria import TARGETS, Meter
from pairings.engine.field import Field
from pairings.engine.lower_bound import compute_lower_bound
from pairings.engine.pair import pair, solve_by_structure
from pairings.engine.solver import components as components_module
from pairings.engine.solver import intervals as intervals_module
from pairings.engine.solver.components import match_whole_field
from pairings.engine.solver.construction import draw_by_counting, pair_group
from pairings.engine.solver.intervals import ReducedGraph, intervals_around, undivided_runs
from pairings.engine.types import Entrant, NoPairing, PairingRequest, Policy
from tests.conftest import THOROUGH
from tests.pairings.engine.oracles import meetings, played_field

MAIN = ("repeats", "bye", "score_difference")
SOFT = (
    (*MAIN, "side_limits", "pair_downs", "fold", "alternate_sides"),
    (*MAIN, "not_same_side_all_rounds", "fold", "alternate_sides"),
    (*MAIN, "pair_downs", "labels_apart"),
    (*MAIN, "labels_apart", "pair_downs"),
    (*MAIN, "adjacent"),
    (*MAIN, "alternate_sides", "pair_downs"),
)


def chain_of_groups(seed):
    """Many small score groups, some of which have met nearly everybody near; up to two house entrants."""
    dice = random.Random(seed)
    points, level, step = [], 0, dice.choice([1, 1, 2, 3])
    for _ in range(dice.randint(5, 16)):
        level += dice.choice([1, 1, 1, 2, 3]) if step == 1 else step
        points += [level] * dice.choice([1, 1, 2, 2, 3, 4, 6])
    quarrel = {level for level in sorted(set(points)) if dice.random() < 0.35}

    def likely(i, j):
        if points[i] == points[j] and points[i] in quarrel:
            return 0.9
        return 0.35 if abs(points[i] - points[j]) <= 2 else 0.05

    met = meetings(len(points), lambda i, j: dice.random() < likely(i, j))
    busy = dice.choice([0, 0.3, 0.7])
    entrants = [
        Entrant(
            i, points[i], frozenset(met[i]), *(int(dice.random() < chance) for chance in (0.3, busy, busy))
        )
        for i in range(len(points))
    ]
    add_houses(entrants, dice.choice([0, 0, 0, 1, 2]), dice)
    policy = Policy(
        objective=dice.choice(["balance", "balance", "protect_top"]),
        criteria=dice.choice([MAIN, (*MAIN, "pair_downs")]),
        bye_rule=dice.choice(["lowest_group", "lowest_rank"]),
    )
    return entrants, policy


def add_houses(entrants, houses, dice):
    """So many house entrants, each of whom some players have met."""
    players = len(entrants)
    for house in range(1000, 1000 + houses):
        some = frozenset(i for i in range(players) if dice.random() < 0.3)
        entrants.append(Entrant(house, 0, some, house=True))
        for i in some:
            entrants[i] = replace(entrants[i], opponents=entrants[i].opponents | {house})


def with_wishes(seed):
    """The same with sides, seed ranks, labels, and criteria that ask for them."""
    entrants, policy = chain_of_groups(seed)
    dice = random.Random(f"wishes {seed}")
    rounds, order = dice.randint(2, 6), dice.choice(SOFT)
    entrants = [
        replace(
            entrant,
            sides="".join(dice.choice("ab-") for _ in range(rounds)),
            seed_rank=rank,
            labels=frozenset([dice.choice("wxyz")] if dice.random() < 0.6 else []),
        )
        for rank, entrant in enumerate(entrants)
    ]
    within = next((name for name in order if name in TARGETS), "random")
    return entrants, replace(
        policy, criteria=order, within=within, sides=True, labels_apart_until_round=9, planned_rounds=1
    )


def both_ways(entrants, policy, seed):
    """The totals by structure and by one matching over everybody, and what the first claims; None where none is."""
    try:
        field = Field(PairingRequest(entrants, policy, seed))
        meter = Meter(field)
        reduced = solve_by_structure(meter)
    except NoPairing:
        return None
    whole = match_whole_field(meter)
    totals = [meter.total_costs(solution.pairs, solution.unpaired) for solution in (reduced, whole)]
    if not reduced.proofs.keys() >= set(meter.order):  # repeated pair-downs in many real groups, given up
        totals = [total[: 2 + bye_levels(field)] for total in totals]
    return *totals, reduced.proofs


@pytest.fixture
def seen(monkeypatch):
    """How many intervals and components the engine made, and how many fields had a smaller interval."""
    counts = Counter()

    def watched(name, module, count):
        original = getattr(module, name)

        def watching(*args):
            answer = list(original(*args))
            count(answer, *args)
            return answer

        monkeypatch.setattr(module, name, watching)

    def intervals(answer, field, *_):
        counts["small intervals"] += any(len(interval.groups) < len(field.groups) for interval in answer)
        counts["several intervals"] += len(answer) > 1

    watched("intervals_around", intervals_module, intervals)
    watched(
        "split_components",
        components_module,
        lambda answer, *_: counts.update({"several components": len(answer) > 1}),
    )
    return counts


@pytest.mark.long
@pytest.mark.parametrize("block", range(4 if THOROUGH else 1))
def test_intervals_cost_what_the_whole_field_costs(block, seen):
    for seed in range(100 * block, 100 * block + 100):
        if ways := both_ways(*chain_of_groups(seed), seed):
            assert ways[0] == ways[1], seed
    assert seen["small intervals"] > 30 and seen["several intervals"] > 2


@pytest.mark.long
@pytest.mark.parametrize("margin", [0, 1] if THOROUGH else [0])
def test_many_intervals_cost_what_the_whole_field_costs(margin, monkeypatch, seen):
    monkeypatch.setattr(intervals_module, "MARGIN", margin)
    for seed in range(40):
        dice = random.Random(seed)
        gap = dice.choice([4, 5, 6])
        points = [n for n in range(gap * dice.randint(5, 9)) for _ in range(dice.choice([2, 2, 2, 4]))]
        near = dice.choice([0.1, 0.25, 0.4])

        def have_met(i, j, points=points, gap=gap, near=near, dice=dice):
            trouble = gap - 2 in (points[i] % gap, points[j] % gap) and abs(points[i] - points[j]) <= gap + 1
            alone = points[i] == points[j] and points[i] % gap == gap - 2
            return alone or (trouble and points[i] != points[j] and dice.random() < near)

        met = meetings(len(points), have_met)
        entrants = [Entrant(i, points[i], frozenset(met[i])) for i in range(len(points))]
        ways = both_ways(entrants, Policy(criteria=MAIN), seed)
        assert ways[0] == ways[1], seed
    assert seen["several intervals"] > 15


# Fields in which intervals ending one step nearer, or at a third of the distance squared, would give another round.
TIGHT = (395, 1229, 1311, 1772, 1784, 4488, 4729, 4929, 6005, 6993, 7033)
# Fields in which it matters that two house entrants may change places though their opponents' groups are far apart.
TWO_HOUSES = (1801, 1897, 2636, 3000, 3105, 3361)


@pytest.mark.long
def test_no_more_margin_is_needed_than_the_argument_asks_for(monkeypatch, seen):
    monkeypatch.setattr(intervals_module, "MARGIN", 0)
    more = 150 if THOROUGH else 40
    for seed in (*TIGHT, *range(more)):
        if ways := both_ways(*chain_of_groups(seed), seed):
            assert ways[0] == ways[1], seed
    assert seen["small intervals"] > more // 5


@pytest.mark.long
@pytest.mark.parametrize(
    "seeds", [*(range(n, n + 60) for n in range(0, 240 if THOROUGH else 60, 60)), TWO_HOUSES]
)
def test_components_cost_what_the_whole_field_costs_by_every_criterion(seeds, seen):
    for seed in seeds:
        if ways := both_ways(*with_wishes(seed), seed):
            assert ways[0] == ways[1], seed
    assert seen["several components"] > 5 or seeds is TWO_HOUSES


def test_the_bound_spares_whoever_was_paired_down_or_up_before():
    top = [Entrant(i, 6, down=int(i != 2)) for i in range(3)]
    middle = [Entrant(3, 3, down=0, up=0), Entrant(4, 3, down=2, up=1)]
    bottom = [Entrant(i, 0, up=1) for i in range(5, 8)]
    field = Field(PairingRequest(top + middle + bottom, Policy()))
    assert compute_lower_bound(field).crossings == [(-1, -2), (-2, -3)]
    # Into the middle 4 (up once) and out of it 3, or 3 in and 4 (down twice) out: the first is less.
    assert compute_lower_bound(field, count_pair_downs=True).pair_down_costs == [1, 1]


def test_an_interval_ends_where_no_pair_of_the_bound_crosses():
    entrants = [Entrant(i, 30 - i // 2) for i in range(60)]
    field = Field(PairingRequest(entrants, Policy()))
    bound = compute_lower_bound(field)
    (interval,) = intervals_around(field, bound, {15}, excess=0)
    assert interval.groups == range(13, 18) and interval.leaving == (2, 2, 2, 2, 2)
    (wider,) = intervals_around(
        field, bound, {15}, excess=50
    )  # pairs over five steps would cost 2 * 25 more, just as much
    assert wider.groups == range(10, 21)
    (everything,) = intervals_around(field, bound, {15}, excess=inf)
    assert everything.groups == range(30)
    assert [len(run) for run in undivided_runs(field, bound, [interval])] == [*[1] * 13, 5, *[1] * 12]
    # Each second end has a crossing across it.
    odd = Field(PairingRequest([Entrant(i, 30 - i // 3) for i in range(90)], Policy()))
    (interval,) = intervals_around(odd, compute_lower_bound(odd), {15}, excess=0)
    assert interval.groups == range(12, 18)
    assert undivided_runs(odd, compute_lower_bound(odd), [])[:2] == [range(2), range(2, 4)]


def test_a_thousand_players_with_sides_are_paired_as_well_as_can_be():
    policy = Policy(
        criteria=(*MAIN, "side_limits", "pair_downs", "fold", "alternate_sides"),
        within="fold",
        sides=True,
        round=9,
    )
    dice = random.Random(4)
    entrants = [
        replace(entrant, sides="".join(dice.choice("ab") for _ in range(8)), seed_rank=rank)
        for rank, entrant in enumerate(played_field(3, 601, 8))
    ]
    pairing = pair(entrants, policy, seed=5)
    assert all(line.optimal for line in pairing.certificate)
    assert {line.criterion for line in pairing.certificate if line.value} >= {"side_limits", "fold"}


def test_small_groups_that_shuffles_cannot_pair_are_drawn_evenly():
    """Eight players have three possible pairings, two with 0 against 1; each is drawn about equally often."""
    rounds = [
        ((0, 1), (2, 3), (4, 5), (6, 7)),
        ((0, 1), (2, 4), (3, 5), (6, 7)),
        ((0, 2), (1, 3), (4, 5), (6, 7)),
    ]
    apart = {both for pairs in rounds for both in pairs}
    met = {i: frozenset(j for j in range(8) if j != i and not {(i, j), (j, i)} & apart) for i in range(8)}
    field = Field(PairingRequest([Entrant(i, 0, met[i]) for i in range(8)], Policy()))
    drawn = Counter(tuple(sorted(draw_by_counting(field, list(range(8))))) for _ in range(1500))
    assert set(drawn) == set(rounds) and min(drawn.values()) > 430


def test_a_small_group_without_a_pairing_is_known_at_once():
    met = {0: frozenset({1, 2, 3}), 1: frozenset({0}), 2: frozenset({0}), 3: frozenset({0})}
    field = Field(PairingRequest([Entrant(i, 0, met[i]) for i in range(4)], Policy()))
    assert pair_group(field, list(range(4))) is None


PLAIN = ("repeats", "bye", "score_difference")


def field_with_big_groups(seed):
    """Small quarrelsome groups among big peaceful ones; few may take the bye; up to two house entrants."""
    dice = random.Random(seed)
    points = [score for score in dice.sample(range(14), 6) for _ in range(dice.choice([1, 1, 2, 3, 10, 15]))]

    def have_met(i, j):
        near = abs(points[i] - points[j]) <= 1 and dice.random() < 0.5
        return dice.random() < (0.8 if near else 0.03)

    met = meetings(len(points), have_met)
    density = dice.choice([0.3, 0.9])
    entrants = [
        Entrant(i, points[i], frozenset(met[i]), int(dice.random() < density)) for i in range(len(points))
    ]
    add_houses(entrants, dice.choice([0, 0, 1, 2]), dice)
    objective = dice.choice(["balance", "balance", "protect_top"])
    return entrants, Policy(objective=objective, criteria=PLAIN)


# Fields in which one stand-in fewer, from below or for the byes, gives another cost.
NEEDS_EVERY_STAND_IN = (442, 1291, 3064, 277, 310, 620)


@pytest.mark.parametrize("seeds", [range(0, 50), range(50, 100), range(100, 150), NEEDS_EVERY_STAND_IN])
def test_the_reduced_graph_costs_what_the_whole_graph_costs(seeds):
    used = 0
    for seed in seeds:
        entrants, policy = field_with_big_groups(seed)
        try:
            meter = Meter(Field(PairingRequest(entrants, policy, seed)))
        except NoPairing:
            continue
        reduced = solve_by_structure(meter)
        whole = match_whole_field(meter)
        costs = [meter.total_costs(solution.pairs, solution.unpaired) for solution in (reduced, whole)]
        assert costs[0] == costs[1], seed
        used += reduced.proofs["repeats"].code == "kernel"
    assert used


def test_the_reduced_graph_stays_small_however_large_the_field():
    leaders = [Entrant(0, 9, frozenset({1})), Entrant(1, 9, frozenset({0}))]
    sizes = set()
    for crowd in (100, 4000):
        others = [Entrant(i, 3 * (i % 3)) for i in range(2, 2 + 3 * crowd)]
        field = Field(PairingRequest(leaders + others, Policy()))
        (interval,) = intervals_around(field, compute_lower_bound(field), {0}, excess=inf)
        sizes.add(len(ReducedGraph(field, interval, count_pair_downs=False).vertices))
    assert len(sizes) == 1 and sizes.pop() < 20
