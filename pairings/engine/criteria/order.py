"""The ruleset's order of criteria, and what pairs cost under each of them."""

from __future__ import annotations

from collections.abc import Callable

from pairings.engine.criteria.fold_target import FoldTarget
from pairings.engine.criteria.labels import labels_count, share_label
from pairings.engine.criteria.sides import SIDES, Sides
from pairings.engine.field import Field
from pairings.engine.rng import Rng
from pairings.engine.types import Policy

MAIN = ("repeats", "bye", "score_difference")
TARGETS = ("fold", "adjacent")
LABELS = "labels_apart"
NEW_TABLES = "new_tables"  # tables that were not published so: the last criterion of a repair


def criteria_order(policy: Policy) -> tuple[str, ...]:
    """All criteria of a policy in order: those it names, and those its other fields imply.

    Labels, where they are not named, come last but before fold or adjacent, which leave nothing open.
    """
    order = [name for name in policy.criteria if policy.sides or name not in SIDES]
    if "repeats" not in order:
        order.insert(0, "repeats")
    if "bye" not in order:
        order.insert(order.index("repeats") + 1, "bye")
    if "score_difference" not in order:
        order.insert(order.index("bye") + 1, "score_difference")
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
    """What pairs and players without an opponent cost, criterion by criterion.

    order      the criteria
    names      the same, with the bye as often as a slot cost has numbers: one name per number of a cost
    targets    {criterion: its ideal} for fold and adjacent
    published  tables that `new_tables` counts as free: frozensets of indices (one index: the bye)
    partner    {player: partner} at these tables
    labels     whether labels count
    """

    def __init__(self, field: Field, rng: Rng, published: frozenset[frozenset[int]] | None = None):
        order = criteria_order(field.policy)
        self.field = field
        self.order = order if published is None else (*order, NEW_TABLES)
        self.targets = {name: FoldTarget(field, rng, name == "adjacent") for name in order if name in TARGETS}
        self.published = published or frozenset()
        pairs = [(min(table), max(table)) for table in self.published if len(table) == 2]
        self.partner = dict(pairs) | {b: a for a, b in pairs}
        self.labels = labels_count(field)
        self.sides = Sides(field, self.order)
        self.names = [name for name in self.order for _ in range(field.slot_levels if name == "bye" else 1)]
        self._pair_costs = [self._pair_cost(name) for name in self.names]

    @property
    def target(self) -> FoldTarget | None:
        """The first ideal in the order, where there is one."""
        return next(iter(self.targets.values()), None)

    def pair_costs(self, i: int, j: int) -> tuple[int, ...]:
        """The costs of a pair of free players, one per name."""
        return tuple([cost(i, j) for cost in self._pair_costs])

    def _pair_cost(self, name: str) -> Callable[[int, int], int]:
        """What one criterion costs in a pair, as a function of two players."""
        met, published = self.field.met, self.published
        return {
            "repeats": lambda i, j: int(j in met[i]),
            "bye": lambda i, j: 0,
            "score_difference": self.field.difference,
            "pair_downs": self.field.repeat_floats,
            LABELS: lambda i, j: int(self.labels and share_label(self.field, i, j)),
            NEW_TABLES: lambda i, j: int(frozenset((i, j)) not in published),
            **{name: target.pair_distance for name, target in self.targets.items()},
            **{name: self.sides.pair_costs_by(name) for name in self.sides.names},
        }[name]

    def slot_costs(self, position: int, i: int) -> tuple[int, ...]:
        """The costs of player i taking the slot, one per name."""
        house = self.field.slots[position]
        costs: list[int] = []
        for name in self.order:
            if name == "repeats":
                costs.append(int(house is not None and house in self.field.met[i]))
            elif name == "bye":
                costs += self.field.slot_cost(i)
            elif name in TARGETS:
                costs.append(self.targets[name].slot_distance(i))
            elif name == LABELS and house is not None:
                costs.append(int(self.labels and share_label(self.field, i, house)))
            elif name == NEW_TABLES:
                table = frozenset((i,)) if house is None else frozenset((i, house))
                costs.append(int(table not in self.published))
            elif name in SIDES and house is not None:
                costs.append(self.sides.pair_cost(name, i, house))
            else:
                costs.append(0)
        return tuple(costs)

    def total_costs(self, pairs, slots) -> tuple[int, ...]:
        """The sums over free pairs and slots, one per name."""
        costs = [self.pair_costs(i, j) for i, j in pairs]
        costs += [self.slot_costs(position, i) for position, i in slots]
        return tuple(map(sum, zip(*costs, strict=True))) or (0,) * len(self.names)
