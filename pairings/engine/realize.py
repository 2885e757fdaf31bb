"""From a structure to a whole round: choose the members of relaxed groups and pair the rest of each group."""

from __future__ import annotations

from pairings.engine.chance import Chance
from pairings.engine.exact import cheapest_perfect_matching
from pairings.engine.field import Field
from pairings.engine.places import Places
from pairings.engine.structure import Structure

Pairs = list[tuple[int, int]]

SHUFFLES = 200  # whole shuffles of a small group before repairing one
SHUFFLED = 20_000  # … and players shuffled in all, so that a big group is repaired soon
REDRAWS = 12  # other choices of who leaves a group, before the group counts as failed
EXACT_BELOW = 240  # a group up to this size that cannot be shuffled is matched exactly
GIVE_UP = 60  # partners tried for one repeat during repair


class Realization:
    """One attempt. After `run`: `pairs`, `taken_slots` and `failed` (groups that could not be completed)."""

    def __init__(
        self,
        field: Field,
        structure: Structure,
        real: set[int],
        chance: Chance,
        places: Places | None = None,
    ):
        self.field = field
        self.chance = chance
        self.real = real
        self.places = places
        self.structure = structure
        self.pairs: Pairs = list(structure.pairs)
        self.taken_slots: list[tuple[int, int]] = list(structure.slots)
        self.failed: set[int] = set()
        self.used: set[int] = set()
        # Per link and open slot, the members chosen so far: [a, b], and [member].
        self.ends: list[list[int]] = []
        self.takers: list[list[int]] = []
        self.touching: dict[int, list[tuple[list[int], int]]] = {}

    def run(self) -> bool:
        """True when the round is complete; else `failed` names the groups in the way."""
        for slot, group, cost in self.structure.open_slots:
            self._choose_taker(slot, group, cost)
        for link in self.structure.links:
            self._choose_link(link)
        if self.failed:
            return False
        for group in range(len(self.field.groups)):
            if group not in self.real:
                self._settle(group)
        if self.failed:
            return False
        self.pairs += [(a, b) for a, b in self.ends]
        self.taken_slots += [
            (slot, taker[0])
            for (slot, _, _), taker in zip(self.structure.open_slots, self.takers, strict=True)
        ]
        return True

    def _choose_taker(self, slot: int, group: int, cost: tuple[int, ...]) -> None:
        house = self.field.slots[slot]
        barred = self.field.barred[house] if house is not None else frozenset()
        for i in self.chance.shuffled(self.field.groups[group]):
            if i not in self.used and i not in barred and self.field.slot_cost(i) == cost:
                self.used.add(i)
                taker = [i]
                self.takers.append(taker)
                self.touching.setdefault(group, []).append((taker, 0))
                return
        self.failed.add(group)

    def _choose_link(self, link: tuple[int, int]) -> None:
        """Members for both ends that have not met; those never paired down (or up) first."""
        groups = [-1 - end for end in link if end < 0]
        for a in self._candidates(link[0], link[1]):
            for b in self._candidates(link[1], link[0]):
                if b not in self.field.barred[a]:
                    self.used.update((a, b))
                    ends = [a, b]
                    self.ends.append(ends)
                    for side, end in enumerate(link):
                        if end < 0:
                            self.touching.setdefault(-1 - end, []).append((ends, side))
                    return
        self.failed.update(groups)

    def _candidates(self, end: int, other: int) -> list[int]:
        if end >= 0:
            return [end]
        group = -1 - end
        members = self.chance.shuffled(i for i in self.field.groups[group] if i not in self.used)
        if "pair_downs" not in self.field.policy.criteria:
            return members
        entrants = self.field.entrants
        if group < (self.field.group_of[other] if other >= 0 else -1 - other):
            return sorted(members, key=lambda i: entrants[i].down)
        return sorted(members, key=lambda i: entrants[i].up)

    def _settle(self, group: int) -> None:
        """Pair those of a group who stay in it; if that fails, draw again who leaves it."""
        members = self.field.groups[group]
        for _ in range(REDRAWS):
            rest = [i for i in members if i not in self.used]
            pairs = within_group(self.field, rest, self.chance, self.places)
            if pairs is not None:
                self.pairs += pairs
                return
            if not self._redraw(group):
                break
        self.failed.add(group)

    def _redraw(self, group: int) -> bool:
        """Other members of this group for the links that touch it, the far ends as they are."""
        changed = False
        for holder, side in self.touching.get(group, ()):
            old = holder[side]
            alternatives = [
                i for i in self.field.groups[group] if i not in self.used and self._fits(i, holder, side)
            ]
            if alternatives:
                new = alternatives[self.chance.below(len(alternatives))]
                self.used.discard(old)
                self.used.add(new)
                holder[side] = new
                changed = True
        return changed

    def _fits(self, i: int, holder: list[int], side: int) -> bool:
        if len(holder) == 2:
            return i not in self.field.barred[holder[1 - side]]
        position = next(k for k, taker in enumerate(self.takers) if taker is holder)
        slot, _, cost = self.structure.open_slots[position]
        house = self.field.slots[slot]
        if house is not None and i in self.field.barred[house]:
            return False
        return self.field.slot_cost(i) == cost


def within_group(
    field: Field, members: list[int], chance: Chance, places: Places | None = None
) -> Pairs | None:
    """Everybody of an even number of players paired with one they have not met; None if none was found.

    With `places` near its ideal; else drawn evenly among all such pairings where a plain shuffle succeeds;
    else repaired or matched.
    """
    if not members:
        return []
    pairs: Pairs
    barred = field.barred
    if places is not None:
        pairs = places.arrange(members)
        if repaired(field, pairs, chance, nearby=True):
            return pairs
    tries = max(2, min(SHUFFLES, SHUFFLED // len(members)))
    pairs = []
    for _ in range(tries):
        drawn = chance.shuffled(members)
        pairs = list(zip(drawn[::2], drawn[1::2], strict=True))
        if not any(b in barred[a] for a, b in pairs):
            return pairs
        if len(members) == 2:
            return None
    if repaired(field, pairs, chance):
        return pairs
    if len(members) > EXACT_BELOW:
        return None
    edges = [
        (u, v, (0,))
        for u, i in enumerate(members)
        for v in range(u + 1, len(members))
        if members[v] not in barred[i]
    ]
    matching = cheapest_perfect_matching(len(members), edges, chance)
    return None if matching is None else [(members[u], members[v]) for u, v in matching]


def repaired(field: Field, pairs: Pairs, chance: Chance, nearby: bool = False) -> bool:
    """Remove repeats from `pairs` in place by swapping partners; True when none is left.

    With another pair drawn by chance, or the nearest that will do; there the second players swap first, so
    that whoever stands in the upper half stays in it.
    """
    barred = field.barred
    for position, (a, b) in enumerate(pairs):
        if b not in barred[a]:
            continue
        for step in range(GIVE_UP):
            if nearby:
                away = (step // 4 + 1) * (-1 if step % 4 > 1 else 1)
                other, flip = position + away, step % 2 == 0
            else:
                other, flip = chance.below(len(pairs)), chance.below(2) == 1
            if other == position or not 0 <= other < len(pairs):
                continue
            c, d = pairs[other]
            if flip:
                c, d = d, c
            if c not in barred[a] and d not in barred[b]:
                pairs[position], pairs[other] = (a, c), (d, b)
                break
        else:
            return False
    return True
