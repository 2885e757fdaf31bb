"""The ruleset's order of criteria, and what a round costs under each of them."""

from __future__ import annotations

from collections.abc import Callable

from pairings.engine.criteria.fold_target import Places
from pairings.engine.criteria.labels import share, wished
from pairings.engine.criteria.sides import SIDES, Sides
from pairings.engine.field import Field
from pairings.engine.types import Policy

MAIN = ("repeats", "bye", "score_difference")
PLACES = ("fold", "adjacent")
LABELS = "labels_apart"
KNOWN = (*MAIN, "pair_downs", *SIDES, LABELS, *PLACES)
KEPT = "kept"  # tables that were not published so: the last criterion of a re-pairing


def ordered(policy: Policy) -> tuple[str, ...]:
    """All criteria of a policy in order: those it names, and those its other fields imply.

    Labels, where they are not named, stand last but before fold or adjacent, which leave nothing open.
    """
    named = [name for name in policy.criteria if policy.sides or name not in SIDES]
    if "repeats" not in named:
        named.insert(0, "repeats")
    if "bye" not in named:
        named.insert(named.index("repeats") + 1, "bye")
    if "score_difference" not in named:
        named.insert(named.index("bye") + 1, "score_difference")
    if policy.within in PLACES and policy.within not in named:
        named.append(policy.within)
    if policy.sides and not set(SIDES) & set(named):
        named.append("alternate_sides")
    if policy.round > policy.labels_apart_until_round:
        return tuple(name for name in named if name != LABELS)
    if LABELS not in named:
        first = next((named.index(name) for name in named if name in PLACES), len(named))
        named.insert(first, LABELS)
    return tuple(named)


class Meter:
    """What pairs and left-over players cost, criterion by criterion.

    `published` are the tables, as frozensets of indices (one index: the bye), that `kept` counts as free.
    """

    def __init__(
        self,
        field: Field,
        order: tuple[str, ...],
        places: dict[str, Places],
        published: frozenset[frozenset[int]] = frozenset(),
    ):
        self.field = field
        self.order = order
        self.places = places
        self.published = published
        couples = [(min(table), max(table)) for table in published if len(table) == 2]
        self.partner = dict(couples) | {b: a for a, b in couples}  # at a published table
        self.labels = wished(field)
        self.sides = Sides(field, order)
        self.names = [name for name in order for _ in range(field.slot_levels if name == "bye" else 1)]
        self._costs = [self._cost(name) for name in self.names]

    def pair(self, i: int, j: int) -> tuple[int, ...]:
        """Costs of a pair of free players, in order; the bye takes as many places as a slot cost has."""
        return tuple([cost(i, j) for cost in self._costs])

    def _cost(self, name: str) -> Callable[[int, int], int]:
        """What one criterion says of a pair."""
        met, published = self.field.met, self.published
        return {
            "repeats": lambda i, j: int(j in met[i]),
            "bye": lambda i, j: 0,
            "score_difference": self.field.difference,
            "pair_downs": self.field.floats,
            LABELS: lambda i, j: int(self.labels and share(self.field, i, j)),
            KEPT: lambda i, j: int(frozenset((i, j)) not in published),
            **{place: places.of_pair for place, places in self.places.items()},
            **{side: self.sides.costs_of(side) for side in self.sides.named},
        }[name]

    def slot(self, position: int, i: int) -> tuple[int, ...]:
        """Costs of leaving player i over for the slot, in the same places as `pair`."""
        house = self.field.slots[position]
        costs: list[int] = []
        for name in self.order:
            if name == "repeats":
                costs.append(int(house is not None and house in self.field.met[i]))
            elif name == "bye":
                costs += self.field.slot_cost(i)
            elif name in PLACES:
                costs.append(self.places[name].of_slot(i))
            elif name == LABELS and house is not None:
                costs.append(int(self.labels and share(self.field, i, house)))
            elif name == KEPT:
                table = frozenset((i,)) if house is None else frozenset((i, house))
                costs.append(int(table not in self.published))
            elif name in SIDES and house is not None:
                costs.append(self.sides.of_pair(name, i, house))
            else:
                costs.append(0)
        return tuple(costs)

    def total(self, pairs, slots) -> tuple[int, ...]:
        """The sums over free pairs and slots, in order."""
        costs = [self.pair(i, j) for i, j in pairs] + [self.slot(position, i) for position, i in slots]
        return tuple(map(sum, zip(*costs, strict=True))) or (0,) * len(self.names)
