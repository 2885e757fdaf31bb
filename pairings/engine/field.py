"""The field of one round: entrants by index, checked, with everything the search asks again and again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from pairings.engine.types import ENGINE, Entrant, NoPairing, Policy

KNOWN_CRITERIA = (
    "repeats", "bye", "score_difference", "pair_downs",
    "side_limits", "not_same_side_all_rounds", "labels_apart", "fold", "adjacent", "alternate_sides",
)  # fmt: skip


class Field:
    """Entrants sorted by id (so the order of the input cannot matter), addressed by index.

    players  indices that are to be paired and are no house entrants
    slots    what takes a single player: None for the bye, or the index of a house entrant
    groups   players by points, from the top; group_of[i] is the group's position
    met      per index: those it has met; hard: those it must never meet; barred: both together
    locked   pairs of indices the organizer fixed; (i, None) is a fixed bye
    """

    def __init__(self, entrants: Iterable[Entrant], policy: Policy, locked: Sequence, forbidden: Sequence):
        self.policy = policy
        self.entrants = sorted_entrants(entrants)
        check_policy(policy)
        self.index = {entrant.id: i for i, entrant in enumerate(self.entrants)}
        self.points = [entrant.points for entrant in self.entrants]
        self.met = self._met()
        self.hard = self._hard(forbidden)
        self.barred = [met | hard if hard else met for met, hard in zip(self.met, self.hard, strict=True)]
        self.locked = self._locked(locked)
        self._free()
        self._group()

    def _met(self) -> list[set[int]]:
        met: list[set[int]] = []
        look_up = self.index.get
        for entrant in self.entrants:
            if entrant.id in entrant.opponents:
                raise ValueError(f"entrant {entrant.id!r} is listed as an opponent of itself")
            met.append({j for j in map(look_up, entrant.opponents) if j is not None})
        for i, known in enumerate(met):
            for j in known:
                met[j].add(i)
        return met

    def _hard(self, forbidden: Sequence) -> list[set[int]]:
        hard: list[set[int]] = [set() for _ in self.entrants]
        for pair in forbidden:
            a, b = pair
            if a == b:
                raise ValueError(f"forbidden pair {tuple(pair)!r} names one entrant twice")
            if a in self.index and b in self.index:  # the others are not in this round
                hard[self.index[a]].add(self.index[b])
                hard[self.index[b]].add(self.index[a])
        return hard

    def _locked(self, locked: Sequence) -> list[tuple[int, int | None]]:
        pairs: list[tuple[int, int | None]] = []
        seen: set[int] = set()
        for pair in locked:
            if len(pair) != 2:
                raise ValueError(f"a locked pair has two places: {pair!r}")
            for name in pair:
                if name is not None and name not in self.index:
                    raise ValueError(f"locked entrant {name!r} is not in the field")
            named = [self.index[name] for name in pair if name is not None]
            if not named or len(set(named)) < len(named) or seen.intersection(named):
                raise ValueError(f"locked pair {tuple(pair)!r} names an entrant twice or nobody")
            houses = sum(self.entrants[i].house for i in named)
            if houses == len(named):
                raise ValueError(f"locked pair {tuple(pair)!r}: a house entrant plays an entry of the event")
            seen.update(named)
            pairs.append((named[0], named[1] if len(named) == 2 else None))
        if sum(b is None for _, b in pairs) > 1:
            raise ValueError("only one bye can be locked")
        return pairs

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


def sorted_entrants(entrants: Iterable[Entrant]) -> list[Entrant]:
    """The entrants by id. Raises ValueError for doubled or mixed ids and for points that are no int."""
    listed = list(entrants)
    if not listed:
        raise ValueError("there is nobody to pair")
    kinds = {type(entrant.id) for entrant in listed}
    if kinds != {int} and kinds != {str}:
        raise ValueError("ids are all int or all str")
    seen: set = set()
    for entrant in listed:
        if entrant.id in seen:
            raise ValueError(f"entrant {entrant.id!r} is listed twice")
        seen.add(entrant.id)
        if type(entrant.points) is not int:
            raise ValueError(f"points of {entrant.id!r} are not a whole number of units: {entrant.points!r}")
        if entrant.byes < 0:
            raise ValueError(f"entrant {entrant.id!r} has a negative number of byes")
    return sorted(listed, key=lambda entrant: entrant.id)


def check_policy(policy: Policy) -> None:
    """Raises ValueError where the policy holds a word the engine does not know."""
    for name, known in (
        ("objective", ("balance", "protect_top")),
        ("within", ("random", "fold", "adjacent")),
        ("repeats", ("last_resort", "never")),
        ("bye_rule", ("lowest_group", "lowest_rank")),
    ):
        if getattr(policy, name) not in known:
            raise ValueError(f"policy.{name} {getattr(policy, name)!r} is not one of {', '.join(known)}")
    for criterion in policy.criteria:
        if criterion not in KNOWN_CRITERIA:
            raise ValueError(f"unknown pairing criterion {criterion!r}")
    if len(set(policy.criteria)) < len(policy.criteria):
        raise ValueError("a pairing criterion is listed twice")


def digest(entrants: Iterable[Entrant], policy: Policy, seed: int, locked, forbidden) -> str:
    """SHA-256 over one canonical text of everything `pair` was given."""
    parts = [ENGINE, repr(seed), repr(policy)]
    for entrant in entrants:
        parts.append(
            f"{entrant.id!r} {entrant.points} {sorted(entrant.opponents, key=repr)} {entrant.byes}"
            f" {entrant.down} {entrant.up} {entrant.sides!r} {entrant.seed_rank}"
            f" {sorted(entrant.labels)} {entrant.house}"
        )
    parts.append(repr(sorted((tuple(pair) for pair in locked), key=repr)))
    parts.append(repr(sorted({tuple(sorted(pair, key=repr)) for pair in forbidden}, key=repr)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
