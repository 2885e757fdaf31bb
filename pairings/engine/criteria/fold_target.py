"""Fold and adjacent pairings: each player's target within the score group, and a pair's distance from it.

Members of a group are in order of seed rank. The target pairs the first with the player paired down from above, and
gives the last the bye (or the house entrant) or pairs that player down. The rest is folded, A1-B1, A2-B2 … of its
halves A and B, or paired as neighbors, first with second, third with fourth. The lower bound says how many enter and
leave each group, so the target does not depend on who has met. Under the bye rule `random` the player in last place is
chosen at random; in a repair it is the player who had the bye.
"""

from pairings.engine.field import Field
from pairings.engine.lower_bound import lower_bound_of
from pairings.engine.matching import Pairs, Slots


class FoldTarget:
    """Distances in places from the target of the policy's `fold` or, with `adjacent`, of neighbors."""

    def __init__(self, field: Field, adjacent: bool):
        self.field = field
        self.adjacent = adjacent
        lot = {i: k for k, i in enumerate(field.rng.permutation(field.players))}
        self.order = [sorted(group, key=lambda i: (field.seed_rank[i], lot[i])) for group in field.groups]
        self.bound = lower_bound_of(field)
        if field.policy.bye_rule == "random":
            self._draw_byes()
        self.place = {i: place for group in self.order for place, i in enumerate(group)}
        self.entering = [0] * len(self.order)
        self.leaving = [0] * len(self.order)
        self.takers = [0] * len(self.order)  # of the bye and house entrants
        for upper, lower in self.bound.links:
            self.leaving[-1 - upper] += 1
            self.entering[-1 - lower] += 1
        for _, group, _ in self.bound.open_slots:
            self.takers[group] += 1

    def _draw_byes(self) -> None:
        """Choose at random who has the bye, and move them to the end of their group."""
        before = {a for a, b in self.field.request.published or () if b is None}
        for slot, group, cost in self.bound.open_slots:
            if slot is None:
                able = [i for i in self.order[group] if self.field.slot_cost(i) == cost]
                able = [i for i in able if self.field.ids[i] in before] or able
                taker = able[self.field.rng.randbelow(len(able))]
                self.order[group].remove(taker)
                self.order[group].append(taker)

    def half_size(self, group: int) -> int:
        away = self.entering[group] + self.leaving[group] + self.takers[group]
        return (len(self.order[group]) - away) // 2

    def pair_distance(self, i: int, j: int) -> int:
        """Return how far this pair is from the target."""
        group, other = self.field.group_of[i], self.field.group_of[j]
        if group != other:
            higher, lower = (i, j) if group < other else (j, i)
            return self._leaving_distance(higher) + self.place[lower]
        near, far = sorted((self.place[i], self.place[j]))
        if self.adjacent:
            return far - near - 1
        half = self.half_size(group)
        boundary = self.entering[group] + half
        same_half = (near < boundary) == (far < boundary)
        return abs(far - near - half) + same_half * len(self.order[group])

    def slot_distance(self, i: int) -> int:
        """Return how far a player with the bye, or a house entrant, is from the end of the group."""
        return len(self.order[self.field.group_of[i]]) - 1 - self.place[i]

    def _leaving_distance(self, i: int) -> int:
        group = self.field.group_of[i]
        return abs(len(self.order[group]) - 1 - self.takers[group] - self.place[i])

    def pair_members(self, members: list[int]) -> Pairs:
        ranked = sorted(members, key=self.place.__getitem__)
        if self.adjacent:
            return list(zip(ranked[::2], ranked[1::2], strict=True))
        half = len(ranked) // 2
        return list(zip(ranked[:half], ranked[half:], strict=True))

    def ideal_round(self) -> tuple[Pairs, Slots]:
        """Return the pairs and slots that would be best if no one had met."""
        slots: Slots = []
        pairs: Pairs = []
        gone: set[int] = set()
        for slot, group, cost in self.bound.open_slots:
            taker = next(
                i for i in reversed(self.order[group]) if i not in gone and self.field.slot_cost(i) == cost
            )
            gone.add(taker)
            slots.append((taker, slot))
        for upper, lower in self.bound.links:
            leaving = next(i for i in reversed(self.order[-1 - upper]) if i not in gone)
            gone.add(leaving)
            opponent = next(i for i in self.order[-1 - lower] if i not in gone)
            gone.add(opponent)
            pairs.append((leaving, opponent))
        for ranked in self.order:
            pairs += self.pair_members([i for i in ranked if i not in gone])
        return pairs, slots
