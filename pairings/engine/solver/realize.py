"""From a structure to a whole round: choose the members of relaxed groups and pair the rest of each group."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from pairings.engine.criteria.order import Meter
from pairings.engine.lower_bound import Cost, Link, Structure
from pairings.engine.matching import Pairs, Slots
from pairings.engine.solver.groups import pair_group

CHOICES = 3  # of all who leave a group, before some group counts as failed or is paired down again
CROWD = 40  # members from whom on a group hardly ever fails
REDRAWS = 12  # other choices of who leaves a group, before the group counts as failed


class Realization:
    """One attempt: `choose_members`, then `pair_groups`, then `round_parts`.

    failed    the groups in the way, where one of these steps fails
    ends      per link, the members chosen: [upper, lower]
    takers    per open slot, the member chosen: [player]
    touching  {group: (one of these lists, place in it) that a member of the group fills}
    used      all members chosen
    """

    def __init__(self, meter: Meter, structure: Structure, real: set[int], count_floats: bool):
        self.field, self.target = meter.field, meter.target
        self.partner = meter.partner  # at published tables, which had better stay
        self.structure, self.real, self.count_floats = structure, real, count_floats
        self.pairs: Pairs = []
        self.failed: set[int] = set()
        self.ends: list[list[int]] = []
        self.takers: list[list[int]] = []
        self.touching: dict[int, list[tuple[list[int], int]]] = defaultdict(list)
        self.used: set[int] = set()
        # How often each player was paired down before, as at the upper end of a link, and up; 0 if it does not count.
        none = [0] * len(self.field.ids)
        self.times = (self.field.down, self.field.up) if count_floats else (none, none)
        self._by_floats: dict[tuple[int, int], list[list[int]]] = {}

    def choose_members(self) -> bool:
        """Members for all links and open slots; True where each has some.

        Where repeated pair-downs count, a few choices are tried for one that has as few as possible.
        """
        for _ in range(CHOICES):
            self._choose_once()
            if not self.failed and not (self.count_floats and self.groups_floating_again()):
                break
        return not self.failed

    def pair_groups(self) -> bool:
        """Pair those who stay in their group; True where that succeeds in all groups.

        The small ones first, as nearly all that fail are small: a group has a complete pairing where its members have
        met fewer than half of the others (Dirac 1952).
        """
        relaxed = (group for group in range(len(self.field.groups)) if group not in self.real)
        for group in sorted(relaxed, key=lambda group: len(self.field.groups[group])):
            if self.failed and len(self.field.groups[group]) > CROWD:
                break
            self._pair_group(group)
        return not self.failed

    def round_parts(self) -> tuple[Pairs, Slots]:
        """All pairs, and (player, slot)."""
        pairs = [*self.structure.pairs, *((a, b) for a, b in self.ends), *self.pairs]
        taken = zip(self.structure.open_slots, self.takers, strict=True)
        return pairs, [*self.structure.slots, *((taker[0], slot) for (slot, _, _), taker in taken)]

    def repeat_floats(self) -> int:
        """How often, over all pairs, players paired down or up now were so before."""
        return sum(self.field.repeat_floats(a, b) for a, b in [*self.structure.pairs, *self.ends])

    def groups_floating_again(self) -> set[int]:
        """The groups whose members, as chosen, were paired down or up more often than the structure has it."""
        links = zip(self.ends, self.structure.links, self.structure.link_floats, strict=True)
        again = [link for both, link, floats in links if self.field.repeat_floats(*both) > floats]
        return {self._smaller_group(link) for link in again}

    def _choose_once(self) -> None:
        self.ends, self.takers, self.touching, self.used = [], [], defaultdict(list), set()
        self.failed.clear()
        for slot, group, cost in self.structure.open_slots:
            self._choose_taker(slot, group, cost)
        for link in self.structure.links:
            self._choose_ends(link)

    def _choose_taker(self, house: int | None, group: int, cost: Cost) -> None:
        barred = self.field.barred[house] if house is not None else ()
        for i in self.field.rng.draw_each(self.field.groups[group]):
            if i not in self.used and i not in barred and self.field.slot_cost(i) == cost:
                self.used.add(i)
                self.takers.append([i])
                self.touching[group].append((self.takers[-1], 0))
                return
        self.failed.add(group)

    def _choose_ends(self, link: Link) -> None:
        """Members for both ends who have not met; where none are left, one chosen before moves here."""
        if self._join(link):
            return
        for group in (-1 - end for end in link if end < 0):
            for holder, side in self.touching[group]:
                old = holder[side]
                for new in self._alternatives(group, holder, side):
                    self._replace(holder, side, new)
                    if self._join(link):
                        return
                    self._replace(holder, side, old)
        self.failed.add(self._smaller_group(link))

    def _join(self, link: Link) -> bool:
        """Choose both ends, those never paired down (or up) first; False where no two may meet."""
        for a, b in chain(self._published_ends(link), self._random_ends(link)):
            if b not in self.field.barred[a]:
                self.used.update((a, b))
                ends = [a, b]
                self.ends.append(ends)
                for side, end in enumerate(link):
                    if end < 0:
                        self.touching[-1 - end].append((ends, side))
                return True
        return False

    def _published_ends(self, link: Link) -> Iterator[tuple[int, int]]:
        """Tables that may stay at this link, at no more pair-downs than necessary."""
        if self.partner:
            ends = [
                [end] if end >= 0 else self._members_by_floats(-1 - end, side)[0]
                for side, end in enumerate(link)
            ]
            lower = set(ends[1]) - self.used
            for a in ends[0]:
                if a not in self.used and self.partner.get(a) in lower:
                    yield a, self.partner[a]

    def _random_ends(self, link: Link) -> Iterator[tuple[int, int]]:
        for a in self._candidates(link, 0):
            for b in self._candidates(link, 1):
                yield a, b

    def _candidates(self, link: Link, side: int) -> Iterator[int]:
        """Who may stand at this end of the link, in random order; those least often paired so before come first."""
        if link[side] >= 0:
            yield link[side]
            return
        for members in self._members_by_floats(-1 - link[side], side):
            for i in self.field.rng.draw_each(members):
                if i not in self.used:
                    yield i

    def _members_by_floats(self, group: int, side: int) -> list[list[int]]:
        """The members by how often they were paired so before, the fewest first."""
        if not self.count_floats:
            return [self.field.groups[group]]
        if (group, side) not in self._by_floats:
            members, times = self.field.groups[group], self.times[side]
            counts = sorted({times[i] for i in members})
            self._by_floats[group, side] = [[i for i in members if times[i] == count] for count in counts]
        return self._by_floats[group, side]

    def _pair_group(self, group: int) -> None:
        """Pair those of a group who stay in it; if that fails, choose again who leaves it."""
        members = self.field.groups[group]
        for _ in range(REDRAWS):
            pairs = self._pair_members([i for i in members if i not in self.used])
            if pairs is not None:
                self.pairs += pairs
                return
            if not self._redraw(group):
                break
        self.failed.add(group)

    def _pair_members(self, members: list[int]) -> Pairs | None:
        """These members among themselves, at published tables if the others can be paired then."""
        field, partner = self.field, self.partner
        here = set(members) if partner else set()
        stay = [(i, partner[i]) for i in members if i < partner.get(i, -1) and partner[i] in here]
        stay = [(i, j) for i, j in stay if j not in field.barred[i]]
        if stay:
            others = sorted(here.difference(*stay))
            pairs = pair_group(field, others, self.target)
            if pairs is not None:
                return stay + pairs
        return pair_group(field, members, self.target)

    def _redraw(self, group: int) -> bool:
        """Other members of this group for the links that touch it, the far ends as they are."""
        changed = False
        for holder, side in self.touching[group]:
            if alternatives := self._alternatives(group, holder, side):
                self._replace(holder, side, alternatives[self.field.rng.randbelow(len(alternatives))])
                changed = True
        return changed

    def _alternatives(self, group: int, holder: list[int], side: int) -> list[int]:
        """Who of the group is free and could stand there instead at the same cost."""
        return [i for i in self.field.groups[group] if i not in self.used and self._fits(i, holder, side)]

    def _replace(self, holder: list[int], side: int, new: int) -> None:
        self.used.discard(holder[side])
        self.used.add(new)
        holder[side] = new

    def _fits(self, i: int, holder: list[int], side: int) -> bool:
        if len(holder) == 2:
            times = self.times[side]
            return i not in self.field.barred[holder[1 - side]] and times[i] <= times[holder[side]]
        position = next(k for k, taker in enumerate(self.takers) if taker is holder)
        house, _, cost = self.structure.open_slots[position]
        barred = self.field.barred[house] if house is not None else ()
        return i not in barred and self.field.slot_cost(i) == cost

    def _smaller_group(self, link: Link) -> int:
        """The smaller group at an end of the link: nearly always the one that stands in the way."""
        return min((-1 - end for end in link if end < 0), key=lambda group: len(self.field.groups[group]))
