"""From a structure to a whole round: choose the members of relaxed groups and pair the rest of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from pairings.engine.criteria.fold_target import Places
from pairings.engine.field import Field
from pairings.engine.lower_bound import Structure
from pairings.engine.rng import Chance
from pairings.engine.solver.groups import Pairs, within_group

CHOICES = 3  # of all who leave a group, before some group counts as failed or is paired down again
CROWD = 40  # members with whom a group hardly ever fails
REDRAWS = 12  # other choices of who leaves a group, before the group counts as failed


class Realization:
    """One attempt: `choose`, then `settle`, then the `round`; where one fails, `failed` has the groups in the way."""

    def __init__(
        self,
        field: Field,
        structure: Structure,
        real: set[int],
        chance: Chance,
        places: Places | None = None,
        sparing: bool = False,
        published: Mapping[int, int] | None = None,
    ):
        self.field = field
        self.chance = chance
        self.real = real
        self.places = places
        self.structure = structure
        self.pairs: Pairs = []
        self.failed: set[int] = set()
        self.sparing = sparing
        self.published = published or {}  # whom each met at a table that had better stay
        self.known: dict[tuple[int, int], list[list[int]]] = {}

    def choose(self) -> bool:
        """Members for all links and open slots; True where each has some.

        Where repeated pair-downs count (`sparing`), some choices are tried for one that has as few as it can.
        """
        for _ in range(CHOICES):
            self._choose()
            if not self.failed and not (self.sparing and self.floating()):
                break
        return not self.failed

    def settle(self) -> bool:
        """Pair those who stay in their group; True where all groups come out.

        The small ones first, as nearly all that fail are small: a group has a complete pairing where its members
        have met fewer than half of the others (Dirac 1952).
        """
        relaxed = (group for group in range(len(self.field.groups)) if group not in self.real)
        for group in sorted(relaxed, key=lambda group: len(self.field.groups[group])):
            if self.failed and len(self.field.groups[group]) > CROWD:
                break
            self._settle(group)
        return not self.failed

    def round(self) -> tuple[Pairs, list[tuple[int, int]]]:
        """All pairs, and (slot position, player)."""
        pairs = [*self.structure.pairs, *((a, b) for a, b in self.ends), *self.pairs]
        taken = zip(self.structure.open_slots, self.takers, strict=True)
        return pairs, [*self.structure.slots, *((slot, taker[0]) for (slot, _, _), taker in taken)]

    def _choose(self) -> None:
        """Members for all links and open slots."""
        # Per link and open slot, the members chosen so far: [a, b], and [member].
        self.ends: list[list[int]] = []
        self.takers: list[list[int]] = []
        self.touching: dict[int, list[tuple[list[int], int]]] = {}
        self.used: set[int] = set()
        self.failed.clear()
        for slot, group, cost in self.structure.open_slots:
            self._choose_taker(slot, group, cost)
        for link in self.structure.links:
            self._choose_link(link)

    def _choose_taker(self, slot: int, group: int, cost: tuple[int, ...]) -> None:
        house = self.field.slots[slot]
        barred = self.field.barred[house] if house is not None else ()
        for i in self.chance.one_by_one(self.field.groups[group]):
            if i not in self.used and i not in barred and self.field.slot_cost(i) == cost:
                self.used.add(i)
                taker = [i]
                self.takers.append(taker)
                self.touching.setdefault(group, []).append((taker, 0))
                return
        self.failed.add(group)

    def _choose_link(self, link: tuple[int, int]) -> None:
        """Members for both ends that have not met; where none are left, one chosen before goes here instead."""
        if self._join(link):
            return
        groups = [-1 - end for end in link if end < 0]
        for group in groups:
            for holder, side in self.touching.get(group, ()):
                old = holder[side]
                for new in self._alternatives(group, holder, side):
                    self._replace(holder, side, new)
                    if self._join(link):
                        return
                    self._replace(holder, side, old)
        self.failed.add(self._smaller(link))

    def _join(self, link: tuple[int, int]) -> bool:
        """Choose both ends; those never paired down (or up) first."""
        for a, b in chain(self._published_at(link), self._drawn_for(link)):
            if b not in self.field.barred[a]:
                self.used.update((a, b))
                ends = [a, b]
                self.ends.append(ends)
                for side, end in enumerate(link):
                    if end < 0:
                        self.touching.setdefault(-1 - end, []).append((ends, side))
                return True
        return False

    def _published_at(self, link: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Tables that may stay at this link, at no more pair-downs than need be."""
        if self.published:
            ends = [[end] if end >= 0 else self._alike(-1 - end, side)[0] for side, end in enumerate(link)]
            lower = set(ends[1]) - self.used
            for a in ends[0]:
                if a not in self.used and self.published.get(a) in lower:
                    yield a, self.published[a]

    def _drawn_for(self, link: tuple[int, int]) -> Iterator[tuple[int, int]]:
        for a in self._candidates(link, 0):
            for b in self._candidates(link, 1):
                yield a, b

    def _candidates(self, link: tuple[int, int], side: int) -> Iterator[int]:
        """Who may stand at this end of the link, in drawn order; those least often paired so before come first."""
        if link[side] >= 0:
            yield link[side]
            return
        for members in self._alike(-1 - link[side], side):
            for i in self.chance.one_by_one(members):
                if i not in self.used:
                    yield i

    def _alike(self, group: int, side: int) -> list[list[int]]:
        """The members by how often they were paired so before, the fewest first."""
        if not self.sparing:
            return [self.field.groups[group]]
        if (group, side) not in self.known:
            members, times = self.field.groups[group], self.field.up if side else self.field.down
            counts = sorted({times[i] for i in members})
            self.known[group, side] = [[i for i in members if times[i] == count] for count in counts]
        return self.known[group, side]

    def _times(self, i: int, side: int) -> int:
        """How often i was paired down before (at the upper end of a link), or up; 0 where it does not count."""
        if not self.sparing:
            return 0
        return (self.field.up if side else self.field.down)[i]

    def _settle(self, group: int) -> None:
        """Pair those of a group who stay in it; if that fails, draw again who leaves it."""
        members = self.field.groups[group]
        for _ in range(REDRAWS):
            rest = [i for i in members if i not in self.used]
            pairs = self._paired(rest)
            if pairs is not None:
                self.pairs += pairs
                return
            if not self._redraw(group):
                break
        self.failed.add(group)

    def _paired(self, rest: list[int]) -> Pairs | None:
        """Those who stay in a group among themselves, at published tables if the others come out so."""
        field, met = self.field, self.published
        here = set(rest) if met else set()
        stay = [(i, met[i]) for i in rest if i < met.get(i, -1) and met[i] in here]
        stay = [(i, j) for i, j in stay if j not in field.barred[i]]
        if stay:
            others = sorted(here.difference(*stay))
            pairs = within_group(field, others, self.chance, self.places)
            if pairs is not None:
                return stay + pairs
        return within_group(field, rest, self.chance, self.places)

    def _redraw(self, group: int) -> bool:
        """Other members of this group for the links that touch it, the far ends as they are."""
        changed = False
        for holder, side in self.touching.get(group, ()):
            if alternatives := self._alternatives(group, holder, side):
                self._replace(holder, side, alternatives[self.chance.below(len(alternatives))])
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
            if i in self.field.barred[holder[1 - side]]:
                return False
            return self._times(i, side) <= self._times(holder[side], side)
        position = next(k for k, taker in enumerate(self.takers) if taker is holder)
        slot, _, cost = self.structure.open_slots[position]
        house = self.field.slots[slot]
        if house is not None and i in self.field.barred[house]:
            return False
        return self.field.slot_cost(i) == cost

    def floats(self) -> int:
        """How often, over all pairs, somebody paired down or up now was so before."""
        return sum(self.field.floats(a, b) for a, b in [*self.structure.pairs, *self.ends])

    def floating(self) -> set[int]:
        """The groups whose members, as chosen, were paired down or up more often than the structure has it."""
        chosen = zip(self.ends, self.structure.links, self.structure.again, strict=True)
        more = [link for both, link, again in chosen if self.field.floats(*both) > again]
        return {self._smaller(link) for link in more}

    def _smaller(self, link: tuple[int, int]) -> int:
        """The group at an end of the link that has less choice: nearly always the one that stands in the way."""
        return min((-1 - end for end in link if end < 0), key=lambda group: len(self.field.groups[group]))
