"""Fold and adjacent pairings: where each member of a score group would ideally sit, and distances from it.

Members of a group stand by seed rank. Ideally its first member meets who comes down from above, its last one
takes the bye (or house entrant) or goes down himself, and the rest is folded: A1-B1, A2-B2 … of its halves A
and B; or adjacent: first with second, third with fourth. Who comes and goes is what it would be if everybody
might meet everybody, so the ideal does not depend on who has met.
"""

from __future__ import annotations

from pairings.engine.field import Field
from pairings.engine.lower_bound import unhindered
from pairings.engine.rng import Chance


class Places:
    """Displacements, counted in places, from the ideal of the policy's `fold` or `adjacent`."""

    def __init__(self, field: Field, chance: Chance, adjacent: bool):
        self.field = field
        self.adjacent = adjacent
        draw = {i: k for k, i in enumerate(chance.shuffled(field.players))}  # equal seed ranks
        self.order = [sorted(group, key=lambda i: (field.seed_rank[i], draw[i])) for group in field.groups]
        self.place = {i: place for group in self.order for place, i in enumerate(group)}
        self.comes = [0] * len(self.order)
        self.goes = [0] * len(self.order)
        self.left_over = [0] * len(self.order)
        structure = unhindered(field)
        for upper, lower in structure.links:
            self.goes[-1 - upper] += 1
            self.comes[-1 - lower] += 1
        for _, group, _ in structure.open_slots:
            self.left_over[group] += 1

    def half(self, group: int) -> int:
        """The size of the halves A and B."""
        away = self.comes[group] + self.goes[group] + self.left_over[group]
        return (len(self.order[group]) - away) // 2

    def of_pair(self, i: int, j: int) -> int:
        """How far this pair is from the ideal; 0 for an ideal one."""
        group, other = self.field.group_of[i], self.field.group_of[j]
        if group != other:
            higher, lower = (i, j) if group < other else (j, i)
            return self._going(higher) + self.place[lower]
        near, far = sorted((self.place[i], self.place[j]))
        if self.adjacent:
            return far - near - 1
        half = self.half(group)
        boundary = self.comes[group] + half
        same_half = (near < boundary) == (far < boundary)
        return abs(far - near - half) + same_half * len(self.order[group])

    def of_slot(self, i: int) -> int:
        """How far a player left over (bye, house entrant) stands from the end of the group."""
        return len(self.order[self.field.group_of[i]]) - 1 - self.place[i]

    def _going(self, i: int) -> int:
        group = self.field.group_of[i]
        return abs(len(self.order[group]) - 1 - self.left_over[group] - self.place[i])

    def arrange(self, members: list[int]) -> list[tuple[int, int]]:
        """Members of one group paired by the ideal among themselves; an even number."""
        ranked = sorted(members, key=self.place.__getitem__)
        if self.adjacent:
            return list(zip(ranked[::2], ranked[1::2], strict=True))
        half = len(ranked) // 2
        return list(zip(ranked[:half], ranked[half:], strict=True))

    def ideal(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """The pairs and (slot position, player) that would be best if nobody had met anybody."""
        structure = unhindered(self.field)
        slots: list[tuple[int, int]] = []
        pairs: list[tuple[int, int]] = []
        gone: set[int] = set()
        for position, group, cost in structure.open_slots:
            taker = next(
                i for i in reversed(self.order[group]) if i not in gone and self.field.slot_cost(i) == cost
            )
            gone.add(taker)
            slots.append((position, taker))
        for upper, lower in structure.links:
            higher = next(i for i in reversed(self.order[-1 - upper]) if i not in gone)
            gone.add(higher)
            lower_one = next(i for i in self.order[-1 - lower] if i not in gone)
            gone.add(lower_one)
            pairs.append((higher, lower_one))
        for ranked in self.order:
            pairs += self.arrange([i for i in ranked if i not in gone])
        return pairs, slots
