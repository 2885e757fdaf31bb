"""The field of one round: checked entrants by index, and the values that the search looks up repeatedly."""

import hashlib
import sys
from array import array
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count
from operator import contains

from pairings.engine.rng import Rng
from pairings.engine.types import NoPairing, PairingRequest, as_pairs, check_policy, read_columns

# The columns that the digest covers, besides opponents and labels.
DIGEST_FACTS = ("id", "points", "byes", "down", "up", "sides", "seed_rank", "house")


class Field:
    """Entrants sorted by id, so that the order of the input cannot matter, and addressed by index.

    players       indices of the players to pair, without house entrants and locked pairs
    dummies       partners of players without a regular opponent: None for the bye, or the index of a house entrant
    groups        players by points, from the top (score groups); group_of[i] is the position of i's group
    met           per index, the opponents already met, ascending
    prohibited    per index, the opponents this player must not meet
    barred        per index, both together: opponents this player cannot meet without a rematch
    barred_later  the same for later rounds: without pairs that are prohibited in this round only
    locked        pairs of indices the organizer fixed; (i, None) is a fixed bye
    rng           the round's random choices
    """

    def __init__(self, request: PairingRequest):
        self.request, self.policy = request, request.policy
        self.columns = read_columns(request.entrants)
        check_policy(self.policy)
        self.locked_pairs = as_pairs("locked", request.locked)
        self.prohibited_pairs = as_pairs("prohibited", request.prohibited_pairs)
        self.ids = self.columns["id"]
        self.index = dict(zip(self.ids, count()))
        self.points, self.byes = self.columns["points"], self.columns["byes"]
        self.down, self.up = self.columns["down"], self.columns["up"]
        self.seed_rank, self.sides = self.columns["seed_rank"], self.columns["sides"]
        self.labels, self.house = self.columns["labels"], self.columns["house"]
        self.met = self._read_met()
        self.prohibited, self.barred = self._bar(self.prohibited_pairs)
        self.barred_later = self.barred
        if request.prohibited_now:
            self.prohibited, self.barred = self._bar([*self.prohibited_pairs, *request.prohibited_now])
        self.locked = self._read_locked(set(map(frozenset, as_pairs("waived", request.waived))))
        self._list_players()
        self._form_groups()
        self.rng = Rng(request.seed)

    def _read_met(self) -> list[list[int]]:
        ids, opponents = self.ids, self.columns["opponents"]
        met: list[list[int]] = [[] for _ in ids]
        # Opponents who are not in this round get lists that are never read.
        by_id = defaultdict(list, zip(ids, met, strict=True))
        for i, names in enumerate(opponents):
            for name in names:
                by_id[name].append(i)
        if set(map(type, by_id)) != {type(ids[0])}:
            raise ValueError("opponents are named by their ids: all int or all str")
        if any(map(contains, opponents, ids)):
            itself = next(name for name, names in zip(ids, opponents, strict=True) if name in names)
            raise ValueError(f"{itself!r} is listed as an opponent of itself")
        mutual = [names >= set(map(ids.__getitem__, by)) for names, by in zip(opponents, met, strict=True)]
        if not all(mutual):
            one = mutual.index(False)
            both = sorted([ids[one], next(ids[i] for i in met[one] if ids[i] not in opponents[one])])
            raise ValueError(f"{both[0]!r} and {both[1]!r} disagree on whether they have played")
        return met

    def _bar(self, prohibited_pairs: Sequence[tuple]) -> tuple[list[list[int]], list[list[int]]]:
        """Return, per player, the prohibited opponents, and those plus the ones already met. Raises ValueError."""
        prohibited: list[list[int]] = [[] for _ in self.ids]
        for pair in prohibited_pairs:
            a, b = pair
            if a == b:
                raise ValueError(f"prohibited pair {pair!r} names one entrant twice")
            if None in pair:
                raise ValueError(f"prohibited pair {pair!r} names one entrant only")
            if a in self.index and b in self.index:  # others are not in this round
                i, j = self.index[a], self.index[b]
                prohibited[i].append(j)
                prohibited[j].append(i)
        if not prohibited_pairs:
            return prohibited, self.met
        return prohibited, [met + never for met, never in zip(self.met, prohibited, strict=True)]

    def _read_locked(self, waived: set[frozenset]) -> list[tuple[int, int | None]]:
        pairs: list[tuple[int, int | None]] = []
        seen: set[int] = set()
        for pair in self.locked_pairs:
            names = [name for name in pair if name is not None]
            for name in names:
                if name not in self.index:
                    raise ValueError(f"locked entrant {name!r} is not in the field")
            places = [self.index[name] for name in names]
            if not places or len(set(places)) < len(places) or seen.intersection(places):
                raise ValueError(f"locked pair {pair!r} names an entrant twice, or none")
            if all(self.house[i] for i in places):
                raise ValueError(f"locked pair {pair!r}: a house entrant must play an entry of the event")
            i, j = places[0], places[-1]
            if frozenset(pair) not in waived and j in self.barred[i]:
                why = "on the do-not-pair list" if j in self.prohibited[i] else "a rematch"
                raise ValueError(f"locked pair {pair!r} is {why}: waive that or unlock the pair")
            seen.update(places)
            pairs.append((i, j if len(places) == 2 else None))
        if sum(b is None for _, b in pairs) > 1:
            raise ValueError("only one bye can be locked")
        return sorted(pairs, key=lambda both: both[0])

    def _list_players(self) -> None:
        locked = {i for pair in self.locked for i in pair if i is not None}
        free = [i for i in range(len(self.ids)) if i not in locked]
        self.players = [i for i in free if not self.house[i]]
        self.dummies: list[int | None] = [i for i in free if self.house[i]]
        if len(free) % 2:
            if any(b is None for _, b in self.locked):
                raise ValueError("with that bye locked, an odd number of entrants is left")
            self.dummies.append(None)
        if len(self.dummies) > len(self.players):
            raise NoPairing("house_entrants")

    def _form_groups(self) -> None:
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

    def difference(self, i: int, j: int) -> int:
        """Return the squared score difference; under `protect_top`, weighted by the higher group."""
        square = (self.points[i] - self.points[j]) ** 2
        if self.policy.objective == "balance" or not square:
            return square
        return square * self.weights[min(self.group_of[i], self.group_of[j])]

    @property
    def difference_count(self) -> int:
        return len(self.groups) if self.policy.objective == "protect_top" else 1

    def difference_levels(self, i: int, j: int) -> tuple[int, ...]:
        """Return the squared score difference by level: `protect_top` has one per score group of the higher player."""
        square = (self.points[i] - self.points[j]) ** 2
        if self.policy.objective == "balance":
            return (square,)
        levels = [0] * len(self.groups)
        levels[min(self.group_of[i], self.group_of[j])] = square
        return tuple(levels)

    def pair_down_cost(self, i: int, j: int) -> int:
        """Return how often the higher player was paired down before, plus how often the lower was paired up."""
        if self.points[i] == self.points[j]:
            return 0
        higher, lower = (i, j) if self.points[i] > self.points[j] else (j, i)
        return self.down[higher] + self.up[lower]


def top_down_weights(sizes: list[int], levels: list[int]) -> list[int]:
    """Return per group a weight above the largest possible sum of squared differences of all groups below."""
    weights = []
    weight = 1
    for size, points in zip(reversed(sizes), reversed(levels), strict=True):
        weights.append(weight)
        weight *= size * (points - levels[-1]) ** 2 + 1
    return weights[::-1]


def field_digest(field: Field) -> str:
    """Return the SHA-256 of everything that determines the round, in canonical form."""
    request = field.request
    labels = zip(field.ids, field.labels, strict=True)
    facts = [
        field.policy.engine,
        request.seed,
        field.policy,
        len(field.ids),
        {name: sorted(own, key=repr) for name, own in labels if own},
        sorted(field.locked_pairs, key=repr),
        unordered(field.prohibited_pairs),
    ]
    if request.published is not None:
        facts.append(unordered(request.published))
    limits = (field.policy.max_same_side, field.policy.max_side_difference)
    if limits != (None, None):
        facts.append(limits)
    text = hashlib.sha256("\n".join(map(repr, facts)).encode())
    for name in DIGEST_FACTS:
        text.update(column_bytes(field.columns[name]))
    for places in (map(len, field.met), chain.from_iterable(field.met)):
        text.update(column_bytes(list(places), "I"))
    return text.hexdigest()


def unordered(pairs: Sequence[tuple]) -> list[tuple]:
    """Return the pairs sorted and without duplicates, regardless of the order within a pair."""
    return sorted({tuple(sorted(pair, key=repr)) for pair in pairs}, key=repr)


def column_bytes(column: list, type_code: str = "q") -> bytes:
    """Return the column as little-endian integers, or as text if a number does not fit."""
    try:
        numbers = array(type_code, column)
    except (TypeError, OverflowError):
        return repr(column).encode()
    if sys.byteorder == "big":
        numbers.byteswap()
    return b"\n" + numbers.tobytes()
