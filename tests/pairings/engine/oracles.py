"""Slow, obvious answers to compare with. Shares no code with the engine's search."""

import random
from functools import cache

import networkx

from pairings.engine.types import Entrant, Policy
from pairings.engine.verify import round_cost


def cost_key(entrants, pairing, policy):
    cost = round_cost(entrants, pairing, policy)
    difference = cost["score_difference"]
    tail = difference if isinstance(difference, tuple) else (difference,)
    return (cost["repeats"], cost["second_bye"], cost["bye_group"], *tail)


def pair_cost(a, b, policy, levels):
    """The cost of one pair in the same shape, or None where it must not be."""
    met = a.id in b.opponents or b.id in a.opponents
    if met and policy.repeats == "never":
        return None
    square = (a.points - b.points) ** 2
    if policy.objective == "balance":
        return (int(met), 0, 0, square)
    higher = max(a.points, b.points)
    return (int(met), 0, 0, *(square if level == higher else 0 for level in levels))


def bye_cost(a, policy, levels):
    zeros = (0,) * (1 if policy.objective == "balance" else len(levels))
    return (0, a.byes, a.points - levels[-1], *zeros)


def cheapest_by_trying_all(entrants, policy, forbidden=()):
    """The smallest cost of all complete rounds, or None where there is none. For up to ten entrants."""
    levels = sorted({entrant.points for entrant in entrants}, reverse=True)
    never = {frozenset(pair) for pair in forbidden}

    def added(one, other):
        return tuple(map(sum, zip(one, other, strict=True)))

    @cache
    def best(left):
        if not left:
            return (0,) * (4 if policy.objective == "balance" else 3 + len(levels))
        a, rest = entrants[left[0]], left[1:]
        options = []
        if len(left) % 2 and (others := best(rest)) is not None:
            options.append(added(bye_cost(a, policy, levels), others))
        for k, other in enumerate(rest):
            b = entrants[other]
            cost = None if frozenset((a.id, b.id)) in never else pair_cost(a, b, policy, levels)
            if cost is not None and (others := best(rest[:k] + rest[k + 1 :])) is not None:
                options.append(added(cost, others))
        return min(options, default=None)

    return best(tuple(range(len(entrants))))


def cheapest_by_networkx(entrants, policy, forbidden=()):
    """The same for larger fields: one matching over the full graph with weights of unlimited size."""
    levels = sorted({entrant.points for entrant in entrants}, reverse=True)
    never = {frozenset(pair) for pair in forbidden}
    costs = {}
    for i, a in enumerate(entrants):
        for j in range(i):
            cost = pair_cost(a, entrants[j], policy, levels)
            if cost is not None and frozenset((a.id, entrants[j].id)) not in never:
                costs[i, j] = cost
        if len(entrants) % 2:
            costs[i, -1] = bye_cost(a, policy, levels)
    return cheapest_sum(costs, len(entrants))


def cheapest_sum(costs, players):
    """The smallest sum of {(two vertices): cost} over pairs that cover all; None where none do. The bye is -1."""
    base = 1 + players * max(max(cost) for cost in costs.values())

    def number(cost):
        value = 0
        for digit in cost:
            value = value * base + digit
        return value

    graph = networkx.Graph()
    graph.add_weighted_edges_from((i, j, -number(cost)) for (i, j), cost in costs.items())
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < players + players % 2:
        return None
    weights = [costs[max(pair), min(pair)] for pair in matching]
    return tuple(map(sum, zip(*weights, strict=True)))


def all_rounds(players, dummies=()):
    """Every way to pair the players, each dummy (None: the bye) with one of them: (pairs, [(player, dummy)])."""
    if dummies:
        for i in players:
            for pairs, taken in all_rounds([j for j in players if j is not i], dummies[:-1]):
                yield pairs, [(i, dummies[-1]), *taken]
        return
    if not players:
        yield [], []
        return
    first, *rest = players
    for other in rest:
        for pairs, taken in all_rounds([i for i in rest if i is not other]):
            yield [(first, other), *pairs], taken


def meetings(size, have_met):
    """Return each player's past opponents; `have_met` is called once per pair, the later player first."""
    met = [set() for _ in range(size)]
    for i in range(size):
        for j in range(i):
            if have_met(i, j):
                met[i].add(j)
                met[j].add(i)
    return met


def any_field(seed, smallest=2, largest=9):
    """(entrants, forbidden pairs, policy): anything goes, from empty to complete histories."""
    dice = random.Random(seed)
    size = dice.randint(smallest, largest)
    density, spread, unit = dice.random(), dice.choice([1, 2, 4, 8]), dice.choice([1, 3])
    met = meetings(size, lambda i, j: dice.random() < density)
    entrants = [
        Entrant(i, unit * dice.randint(0, spread), frozenset(met[i]), byes=dice.choice([0, 0, 0, 1, 1, 2]))
        for i in range(size)
    ]
    rarity = dice.choice([0, 0.1, 0.3])
    forbidden = [(i, j) for i in range(size) for j in range(i) if dice.random() < rarity]
    policy = Policy(
        objective=dice.choice(["balance", "balance", "protect_top"]),
        repeats="never" if dice.random() < 0.1 else "last_resort",
    )
    return entrants, forbidden, policy


def played_field(seed, size, rounds):
    """Entrants after so many rounds, paired at random among equals by a rule of thumb, with a few drops."""
    dice = random.Random(seed)
    points, met = dict.fromkeys(range(size), 0), {i: set() for i in range(size)}
    byes = dict.fromkeys(points, 0)
    for _ in range(rounds):
        left = sorted(points, key=lambda i: (-points[i], dice.random()))
        while left:
            a = left.pop(0)
            b = next((other for other in left if other not in met[a]), left[0] if left else None)
            if b is None:
                points[a] += 3
                byes[a] += 1
                continue
            left.remove(b)
            met[a].add(b)
            met[b].add(a)
            if dice.random() < 0.1:
                points[a] += 1
                points[b] += 1
            else:
                points[a if dice.random() < 0.6 else b] += 3
    here = [i for i in points if dice.random() > 0.05]
    return [Entrant(i, points[i], frozenset(met[i]), byes[i]) for i in here]


def new_tables(pairing, published):
    """How many tables of a round were not published so, the bye counted as one."""
    bye = [] if pairing.bye is None else [(pairing.bye,)]
    return len(
        {frozenset(both) for both in [*pairing.pairs, *bye]}
        - {frozenset(both) - {None} for both in published}
    )
