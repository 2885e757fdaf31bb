"""The field of one round: entrants by index, checked, with everything the search asks again and again."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import attrgetter

from pairings.engine.checks import check_policy, couples, sorted_entrants
from pairings.engine.types import ENGINE, Entrant, NoPairing, Policy

FACTS = tuple(
    map(attrgetter, ("id", "points", "byes", "down", "up", "sides", "seed_rank", "house"))
)  # what the digest covers of each entrant, beside opponents and labels


class Field:
    """Entrants sorted by id (so the order of the input cannot matter), addressed by index.

    players  indices that are to be paired and are no house entrants
    slots    what takes a single player: None for the bye, or the index of a house entrant
    groups   players by points, from the top; group_of[i] is the group's position
    met      per index: those it has met, ascending; hard: those it must never meet; barred: both together
    locked   pairs of indices the organizer fixed; (i, None) is a fixed bye
    """

    def __init__(
        self,
        entrants: Iterable[Entrant],
        policy: Policy,
        locked: Sequence = (),
        forbidden: Sequence = (),
        waived: Sequence = (),
    ):
        self.policy = policy
        self.entrants = sorted_entrants(entrants)
        check_policy(policy)
        self.asked = couples("locked", locked), couples("forbidden", forbidden)
        locked, forbidden = self.asked
        self.index = {entrant.id: i for i, entrant in enumerate(self.entrants)}
        self.points = [entrant.points for entrant in self.entrants]
        self.met = self._met()
        self.hard = self._hard(forbidden)
        self.barred = [met + hard if hard else met for met, hard in zip(self.met, self.hard, strict=True)]
        self.locked = self._locked(locked, set(map(frozenset, couples("waived", waived))))
        self._free()
        self._group()

    def _met(self) -> list[list[int]]:
        met: list[list[int]] = []
        look_up, otherwise = self.index.get, repeat(-1)
        for entrant in self.entrants:
            known = sorted(map(look_up, entrant.opponents, otherwise))
            met.append(known[known.count(-1) :])  # without opponents who are not in this round
        met_by: list[list[int]] = [[] for _ in met]
        for i, known in enumerate(met):
            for j in known:
                met_by[j].append(i)
        for i, known in enumerate(met):
            if i in known:
                raise ValueError(f"{self.entrants[i].id!r} is listed as an opponent of itself")
            if known != met_by[i]:
                one, other = (self.entrants[k].id for k in (i, min(set(known) ^ set(met_by[i]))))
                raise ValueError(f"only one of {one!r} and {other!r} is said to have met the other")
        return met

    def _hard(self, forbidden: Sequence) -> list[list[int]]:
        nobody: list[int] = []
        hard = [nobody for _ in self.entrants]
        for pair in forbidden:
            a, b = pair
            if a == b:
                raise ValueError(f"forbidden pair {tuple(pair)!r} names one entrant twice")
            if a in self.index and b in self.index:  # the others are not in this round
                i, j = self.index[a], self.index[b]
                hard[i], hard[j] = [*hard[i], j], [*hard[j], i]
        return hard

    def _locked(self, locked: Sequence, waived: set[frozenset]) -> list[tuple[int, int | None]]:
        pairs: list[tuple[int, int | None]] = []
        seen: set[int] = set()
        for pair in locked:
            for name in pair:
                if name is not None and name not in self.index:
                    raise ValueError(f"locked entrant {name!r} is not in the field")
            named = [self.index[name] for name in pair if name is not None]
            if not named or len(set(named)) < len(named) or seen.intersection(named):
                raise ValueError(f"locked pair {tuple(pair)!r} names an entrant twice or nobody")
            houses = sum(self.entrants[i].house for i in named)
            if houses == len(named):
                raise ValueError(f"locked pair {tuple(pair)!r}: a house entrant plays an entry of the event")
            if frozenset(pair) not in waived:
                self._check_rules(pair, named)
            seen.update(named)
            pairs.append((named[0], named[1] if len(named) == 2 else None))
        if sum(b is None for _, b in pairs) > 1:
            raise ValueError("only one bye can be locked")
        return pairs

    def _check_rules(self, pair: Sequence, named: list[int]) -> None:
        """Raises ValueError for a locked pair that must not meet, or has met, and is not waived."""
        one, other = named[0], named[-1]
        if other in self.hard[one]:
            raise ValueError(
                f"locked pair {tuple(pair)!r} must never meet: waive the prohibition or unlock it"
            )
        if other in self.met[one]:
            raise ValueError(f"locked pair {tuple(pair)!r} has met before: waive the repeat or unlock it")

    def _free(self) -> None:
        taken = {i for pair in self.locked for i in pair if i is not None}
        free = [i for i in range(len(self.entrants)) if i not in taken]
        self.players = [i for i in free if not self.entrants[i].house]
        self.slots: list[int | None] = [i for i in free if self.entrants[i].house]
        if len(free) % 2:
            if any(b is None for _, b in self.locked):
                raise ValueError("with that bye locked, an odd number of entrants is left")
            self.slots.append(None)
        if len(self.slots) > len(self.players):
            raise NoPairing("there are more house entrants than players, and two of them never meet")

    def _group(self) -> None:
        levels = sorted({self.points[i] for i in self.players}, reverse=True)
        position = {points: level for level, points in enumerate(levels)}
        self.lowest = levels[-1] if levels else 0
        self.groups: list[list[int]] = [[] for _ in levels]
        self.group_of: dict[int, int] = {}
        for i in self.players:
            group = position[self.points[i]]
            self.group_of[i] = group
            self.groups[group].append(i)
        self.worst_rank = max((self.entrants[i].seed_rank for i in self.players), default=0)
        self.weights = top_down_weights(self.groups, levels)

    def slot_cost(self, i: int) -> tuple[int, ...]:
        """What it costs to leave this player over: byes had, points above the lowest group, then rank."""
        entrant = self.entrants[i]
        cost = (entrant.byes, entrant.points - self.lowest)
        if self.policy.bye_rule == "lowest_group":
            return cost
        return (*cost, self.worst_rank - entrant.seed_rank)

    @property
    def slot_levels(self) -> int:
        """How many numbers a slot cost has."""
        return 2 if self.policy.bye_rule == "lowest_group" else 3

    def difference(self, i: int, j: int) -> int:
        """The cost of the score difference: its square, under `protect_top` by weight of the higher group."""
        square = (self.points[i] - self.points[j]) ** 2
        if self.policy.objective == "balance" or not square:
            return square
        return square * self.weights[min(self.group_of[i], self.group_of[j])]

    def floats(self, i: int, j: int) -> int:
        """How often these two have been paired down and up before, where they would be so again."""
        if self.points[i] == self.points[j]:
            return 0
        higher, lower = (i, j) if self.points[i] > self.points[j] else (j, i)
        return self.entrants[higher].down + self.entrants[lower].up


def top_down_weights(groups: list[list[int]], levels: list[int]) -> list[int]:
    """Per group, the weight of a squared difference whose higher player stands there.

    Each outweighs everything the groups below it can add up to: a group is the higher side of at most as
    many pairs as it has members, and none of those spans more than the way to the bottom.
    """
    weights = []
    weight = 1
    for members, points in zip(reversed(groups), reversed(levels), strict=True):
        weights.append(weight)
        weight *= len(members) * (points - levels[-1]) ** 2 + 1
    return weights[::-1]


def digest(field: Field, seed: int) -> str:
    """SHA-256 over one canonical text of everything a round depends on; opponents as places in id order."""
    entrants = field.entrants
    locked, forbidden = field.asked
    opponents = array("I")
    for met in field.met:
        opponents.append(len(met))
        opponents.extend(met)
    if sys.byteorder == "big":
        opponents.byteswap()
    columns = [
        ENGINE,
        seed,
        field.policy,
        *(list(map(fact, entrants)) for fact in FACTS),
        {entrant.id: sorted(entrant.labels) for entrant in entrants if entrant.labels},
        sorted(locked, key=repr),
        sorted({tuple(sorted(pair, key=repr)) for pair in forbidden}, key=repr),
    ]
    text = "\n".join(map(repr, columns))
    return hashlib.sha256(text.encode() + opponents.tobytes()).hexdigest()
