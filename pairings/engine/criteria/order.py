"""The ruleset's order of criteria, and what a round costs under each of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_

from pairings.engine.criteria.fold_target import FoldTarget
from pairings.engine.criteria.sides import SIDES, Sides
from pairings.engine.field import Field
from pairings.engine.matching import Pairs, Slots
from pairings.engine.types import Policy, Value


@dataclass(frozen=True, slots=True)
class Outcome:
    pairs: Pairs  # all pairs, locked ones and house games included, in table order
    bye: int | None  # who has it
    repeats: Pairs  # the pairs who have met before
    across: Pairs  # the pairs of players with different points
    housed: Pairs  # the pairs with a house entrant, who is the second
    # Players without an opponent among the players: with the bye, or against a house entrant.
    alone: Sequence[int]
    first: Sequence[str] = ()  # per pair, whether its "a" or "b" moves first; empty while that is not decided


def outcome_of(field: Field, pairs: Pairs, bye: int | None, first: Sequence[str] = ()) -> Outcome:
    points, house, met = field.points, field.house, field.met
    housed: Pairs = []
    if any(house):
        other = {"a": "b", "b": "a"}
        first = [other[side] if house[a] else side for (a, _), side in zip(pairs, first, strict=False)]
        pairs = [(b, a) if house[a] else (a, b) for a, b in pairs]
        housed = [(a, b) for a, b in pairs if house[b]]
    return Outcome(
        pairs,
        bye,
        repeats=[(a, b) for a, b in pairs if b in met[a]],
        across=[(a, b) for a, b in pairs if points[a] != points[b] and not house[b]],
        housed=housed,
        alone=[*([] if bye is None else [bye]), *(a for a, _ in housed)],
        first=first,
    )


MAIN = ("repeats", "bye", "score_difference")
TARGETS = ("fold", "adjacent")
LABELS = "labels_apart"
NEW_TABLES = "new_tables"  # tables that were not published so: the last criterion of a repair


def criteria_order(policy: Policy) -> tuple[str, ...]:
    """Return all criteria of a policy in order: those it names, and those its other fields imply.

    Labels, if not named, come last but before fold or adjacent, which leave nothing open.
    """
    order = [name for name in policy.criteria if policy.sides or name not in SIDES]
    for place, name in enumerate(MAIN):
        if name not in order:
            order.insert(order.index(MAIN[place - 1]) + 1 if place else 0, name)
    if policy.within in TARGETS and policy.within not in order:
        order.append(policy.within)
    if policy.sides and not set(SIDES) & set(order):
        order.append("alternate_sides")
    if policy.round > policy.labels_apart_until_round:
        return tuple(name for name in order if name != LABELS)
    if LABELS not in order:
        first = next((order.index(name) for name in order if name in TARGETS), len(order))
        order.insert(first, LABELS)
    return tuple(order)


class Meter:
    """The costs of pairs and of players without an opponent, by criterion.

    order      the criteria
    names      the same, with the bye as often as a slot cost has numbers: one name per number of a cost
    targets    {criterion: its ideal} for fold and adjacent
    pair_cost  {criterion: what it costs in a pair, as a function of two players}
    published  tables that `new_tables` counts as free: frozensets of indices (one index: the bye)
    partner    {player: partner} at these tables
    labels     whether labels count in this round, and anyone has one
    """

    def __init__(self, field: Field):
        order, published = criteria_order(field.policy), field.request.published
        self.field = field
        self.order = order if published is None else (*order, NEW_TABLES)
        self.targets = {name: FoldTarget(field, name == "adjacent") for name in order if name in TARGETS}
        # -1 stands for everyone who is not in the field, the bye for no one.
        self.published = tables = {
            frozenset(field.index.get(name, -1) for name in table if name is not None)
            for table in published or ()
        }
        pairs = [(min(table), max(table)) for table in tables if len(table) == 2]
        self.partner = dict(pairs) | {b: a for a, b in pairs}
        met, labels, until = field.met, field.labels, field.policy.labels_apart_until_round
        self.labels = labels_count = field.policy.round <= until and any(labels)
        self.sides = Sides(field, self.order)
        self.names = [name for name in self.order for _ in range(field.slot_levels if name == "bye" else 1)]
        # None of these functions may hold the meter: cycles would keep a large field in memory.
        self.pair_cost: dict[str, Callable[[int, int], int]] = {
            "repeats": lambda i, j: int(j in met[i]),
            "bye": lambda i, j: 0,
            "score_difference": field.difference,
            "pair_downs": field.repeat_floats,
            LABELS: lambda i, j: int(labels_count and not labels[i].isdisjoint(labels[j])),
            NEW_TABLES: lambda i, j: int(frozenset((i, j)) not in tables),
            **{name: target.pair_distance for name, target in self.targets.items()},
            **{name: self.sides.pair_cost(name) for name in self.sides.names},
        }
        self._pair_costs = [self.pair_cost[name] for name in self.names]

    @property
    def target(self) -> FoldTarget | None:
        return next(iter(self.targets.values()), None)

    def pair_costs(self, i: int, j: int) -> tuple[int, ...]:
        """Return the costs of a pair of free players, one per name."""
        return tuple([cost(i, j) for cost in self._pair_costs])

    def slot_costs(self, i: int, house: int | None) -> tuple[int, ...]:
        """Return the costs of giving player i the bye or a house opponent, one per name."""
        costs: list[int] = []
        for name in self.order:
            if name == "bye":
                costs += self.field.slot_cost(i)
            elif name in TARGETS:
                costs.append(self.targets[name].slot_distance(i))
            elif name in ("score_difference", "pair_downs"):
                costs.append(0)
            elif house is not None:
                costs.append(self.pair_cost[name](i, house))
            else:
                costs.append(int(name == NEW_TABLES and frozenset((i,)) not in self.published))
        return tuple(costs)

    def total_costs(self, pairs: Pairs, slots: Slots) -> tuple[int, ...]:
        costs = [self.pair_costs(i, j) for i, j in pairs]
        costs += [self.slot_costs(i, house) for i, house in slots]
        return tuple(map(sum, zip(*costs, strict=True))) or (0,) * len(self.names)

    def round_costs(self, name: str, outcome: Outcome) -> Iterator[tuple[str, Value]]:
        """Yield (name, value) of a criterion over a whole round; the bye has two values, as its rank only orders.

        Locked pairs do not count for fold and adjacent. First moves that are not decided are taken to be the best ones.
        """
        field = self.field
        if name == "repeats":
            yield name, len(outcome.repeats)
        elif name == "bye":
            lowest = min(compress(field.points, map(not_, field.house)), default=0) if outcome.alone else 0
            yield "second_bye", sum(field.byes[i] for i in outcome.alone)
            yield "bye_group", sum(field.points[i] - lowest for i in outcome.alone)
        elif name == "score_difference":
            yield name, score_difference(field, outcome)
        elif name == "pair_downs":
            yield name, sum(field.repeat_floats(a, b) for a, b in outcome.across)
        elif name in TARGETS:
            target = self.targets[name]
            free = target.place
            distance = sum(target.pair_distance(a, b) for a, b in outcome.pairs if a in free and b in free)
            yield name, distance + sum(target.slot_distance(i) for i in outcome.alone if i in free)
        elif name in SIDES and outcome.first:
            yield name, len([*self.sides.players_against(name, outcome.pairs, outcome.first)])
        else:
            yield name, sum(self.pair_cost[name](a, b) for a, b in outcome.pairs)


def score_difference(field: Field, outcome: Outcome) -> Value:
    """Return the sum of squared differences; under `protect_top` one sum per score group of the higher player."""
    points = field.points
    if field.policy.objective == "balance":
        return sum((points[a] - points[b]) ** 2 for a, b in outcome.across)
    levels = sorted(set(compress(points, map(not_, field.house))), reverse=True)
    sums = dict.fromkeys(levels, 0)
    for a, b in outcome.across:
        sums[max(points[a], points[b])] += (points[a] - points[b]) ** 2
    return tuple(sums.values())
