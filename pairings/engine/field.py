"""The field of one round: entrants by index, checked, with everything the search asks again and again."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain, count
from operator import contains

from pairings.engine.input_checks import check_policy, columns, couples
from pairings.engine.types import ENGINE, Entrant, NoPairing, Policy

# What the digest covers of each entrant, beside opponents and labels.
DIGESTED = ("id", "points", "byes", "down", "up", "sides", "seed_rank", "house")


class Field:
    """Entrants sorted by id (so the order of the input cannot matter), addressed by index.

    players  indices that are to be paired and are no house entrants
    slots    what takes a single player: None for the bye, or the index of a house entrant
    groups   players by points, from the top; group_of[i] is the group's position
    met      per index: those it has met, ascending; hard: those it must not meet; barred: both together
    lasting  as barred, but without the pairs that are apart in this round only
    locked   pairs of indices the organizer fixed; (i, None) is a fixed bye
    """

    def __init__(
        self,
        entrants: Iterable[Entrant],
        policy: Policy,
        locked: Sequence = (),
        forbidden: Sequence = (),
        waived: Sequence = (),
        not_now: Sequence = (),
    ):
        self.policy = policy
        self.facts = columns(entrants)
        check_policy(policy)
        self.asked = couples("locked", locked), couples("forbidden", forbidden)
        locked, forbidden = self.asked
        self.ids = self.facts["id"]
        self.index = dict(zip(self.ids, count()))
        self.points, self.byes = self.facts["points"], self.facts["byes"]
        self.down, self.up = self.facts["down"], self.facts["up"]
        self.seed_rank, self.sides = self.facts["seed_rank"], self.facts["sides"]
        self.labels, self.house = self.facts["labels"], self.facts["house"]
        self.met = self._met()
        self.hard = self._hard(forbidden)
        self.lasting = self.barred = self._with_met(self.hard) if forbidden else self.met
        if not_now:
            self.hard = self._hard([*forbidden, *not_now])
            self.barred = self._with_met(self.hard)
        self.locked = self._locked(locked, set(map(frozenset, couples("waived", waived))))
        self._free()
        self._group()

    def _met(self) -> list[list[int]]:
        """Per index who says to have met it: the opponents themselves, if each says what the other says."""
        ids, opponents = self.ids, self.facts["opponents"]
        met: list[list[int]] = [[] for _ in ids]
        by_id = defaultdict(
            list, zip(ids, met, strict=True)
        )  # a separate list for opponents who are not in this round
        for i, known in enumerate(opponents):
            for name in known:
                by_id[name].append(i)
        if set(map(type, by_id)) != {type(ids[0])}:
            raise ValueError("opponents are named by their ids: all int or all str")
        if any(map(contains, opponents, ids)):
            itself = next(name for name, known in zip(ids, opponents, strict=True) if name in known)
            raise ValueError(f"{itself!r} is listed as an opponent of itself")
        # If nobody is named by one he does not name, nobody names one he is not named by: as many name as are named.
        mutual = [
            known.issuperset(map(ids.__getitem__, by)) for known, by in zip(opponents, met, strict=True)
        ]
        if not all(mutual):
            one = mutual.index(False)
            both = sorted([ids[one], next(ids[i] for i in met[one] if ids[i] not in opponents[one])])
            raise ValueError(f"{both[0]!r} and {both[1]!r} disagree on whether they have played")
        return met

    def _with_met(self, hard: list[list[int]]) -> list[list[int]]:
        return [met + never for met, never in zip(self.met, hard, strict=True)]

    def _hard(self, forbidden: Sequence) -> list[list[int]]:
        hard: list[list[int]] = [[] for _ in self.ids]
        for pair in forbidden:
            a, b = pair
            if a == b:
                raise ValueError(f"forbidden pair {tuple(pair)!r} names one entrant twice")
            if None in pair:
                raise ValueError(f"forbidden pair {tuple(pair)!r} names one entrant only")
            if a in self.index and b in self.index:  # the others are not in this round
                i, j = self.index[a], self.index[b]
                hard[i].append(j)
                hard[j].append(i)
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
                raise ValueError(f"locked pair {tuple(pair)!r} names an entrant twice, or none")
            houses = sum(self.house[i] for i in named)
            if houses == len(named):
                raise ValueError(
                    f"locked pair {tuple(pair)!r}: a house entrant must play an entry of the event"
                )
            if frozenset(pair) not in waived:
                self._check_rules(pair, named)
            seen.update(named)
            pairs.append((named[0], named[1] if len(named) == 2 else None))
        if sum(b is None for _, b in pairs) > 1:
            raise ValueError("only one bye can be locked")
        return sorted(pairs, key=lambda both: both[0])  # their order must not matter

    def _check_rules(self, pair: Sequence, named: list[int]) -> None:
        """Raises ValueError for a locked pair that must not meet, or has met, and is not waived."""
        one, other = named[0], named[-1]
        if other in self.hard[one]:
            raise ValueError(
                f"locked pair {tuple(pair)!r} is on the do-not-pair list: waive that or unlock the pair"
            )
        if other in self.met[one]:
            raise ValueError(f"locked pair {tuple(pair)!r} is a rematch: waive that or unlock the pair")

    def _free(self) -> None:
        taken = {i for pair in self.locked for i in pair if i is not None}
        free = [i for i in range(len(self.ids)) if i not in taken]
        self.players = [i for i in free if not self.house[i]]
        self.slots: list[int | None] = [i for i in free if self.house[i]]
        if len(free) % 2:
            if any(b is None for _, b in self.locked):
                raise ValueError("with that bye locked, an odd number of entrants is left")
            self.slots.append(None)
        if len(self.slots) > len(self.players):
            raise NoPairing("house_entrants")

    def _group(self) -> None:
        points = [self.points[i] for i in self.players]
        levels = sorted(set(points), reverse=True)
        position = dict(zip(levels, count()))
        self.lowest = levels[-1] if levels else 0
        self.group_of = dict(zip(self.players, map(position.__getitem__, points), strict=True))
        self.groups: list[list[int]] = [[] for _ in levels]
        for i, group in self.group_of.items():
            self.groups[group].append(i)
        self.worst_rank = max(map(self.seed_rank.__getitem__, self.players), default=0)
        top_down = self.policy.objective == "protect_top"
        self.weights = top_down_weights(list(map(len, self.groups)), levels) if top_down else []

    def slot_cost(self, i: int) -> tuple[int, ...]:
        """What it costs to leave this player over: byes had, points above the lowest group, then rank."""
        cost = (self.byes[i], self.points[i] - self.lowest)
        if self.policy.bye_rule == "lowest_group":
            return cost
        return (*cost, self.worst_rank - self.seed_rank[i])

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
        return self.down[higher] + self.up[lower]


def top_down_weights(sizes: list[int], levels: list[int]) -> list[int]:
    """Per group of such a size and points, the weight of a squared difference whose higher player stands there.

    Each outweighs everything the groups below it can add up to: a group is the higher side of at most as
    many pairs as it has members, and none of those spans more than the way to the bottom.
    """
    weights = []
    weight = 1
    for size, points in zip(reversed(sizes), reversed(levels), strict=True):
        weights.append(weight)
        weight *= size * (points - levels[-1]) ** 2 + 1
    return weights[::-1]


def digest(field: Field, seed: int, published: Sequence[tuple] | None = None) -> str:
    """SHA-256 over everything a round depends on, in one canonical form; opponents as places in id order."""
    locked, forbidden = field.asked
    labels = {
        name: sorted(labels, key=repr) for name, labels in zip(field.ids, field.labels, strict=True) if labels
    }
    pairs = sorted({tuple(sorted(pair, key=repr)) for pair in forbidden}, key=repr)
    asked = [ENGINE, seed, field.policy, len(field.ids), labels, sorted(locked, key=repr), pairs]
    if published is not None:
        asked.append(sorted({tuple(sorted(pair, key=repr)) for pair in published}, key=repr))
    text = hashlib.sha256("\n".join(map(repr, asked)).encode())
    for name in DIGESTED:
        text.update(written(field.facts[name]))
    for places in (map(len, field.met), chain.from_iterable(field.met)):
        text.update(written(list(places), "I"))
    return text.hexdigest()


def written(column: list, size: str = "q") -> bytes:
    """The column as bytes: numbers of one size, their lowest byte first; or as text where that does not do."""
    try:
        numbers = array(size, column)
    except (TypeError, OverflowError):
        return repr(column).encode()
    if sys.byteorder == "big":
        numbers.byteswap()
    return b"\n" + numbers.tobytes()
