"""How score groups are linked in a cheapest round: who plays down to whom, and where the bye falls.

Some groups are *real*: their members keep their histories. The others are *relaxed*: their members may meet
anybody. Relaxing only removes obstacles, so the cheapest structure of a relaxed field costs no more than the
best legal round; a legal round with that structure is therefore proved best.

With every group relaxed the answer is known, and this file has it: players in score order, neighbours paired
(the lower bound). With some groups real a matching decides, on a small part of the field (`windows`, `kernel`).

Why neighbours are best. Say a pair crosses a boundary between two groups if it has an end on either side. Let
x and y stand above it and g and h below, so that x-g and y-h cross. Uncrossed, x-y and g-h differ by less: their
squares add up to 2 (x - h) (y - g) less, which is more than nothing. So a cheapest relaxed round has at most one
pair across each boundary; it has exactly one where the players above, takers of byes aside, are odd in number;
and nobody jumps over a group, for then two shorter steps would do. That leaves one choice of links only, and
under it who plays them: whoever was least often paired so before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pairings.engine.field import Field

Cost = tuple[int, ...]


@dataclass(slots=True)
class Structure:
    """What is decided before members of relaxed groups are chosen.

    pairs  real players who meet; slots  (slot position, player) already decided
    links  (end, end): an end is a player's index, or -1 - group for a member yet to be chosen
    again  per link, how often its ends were paired down and up before (0 where `sparing` was not asked for)
    open_slots  (slot position, group, slot cost): a member with that cost is to be chosen
    size   vertices of the kernels the structure was computed on; 0: the bound itself
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    slots: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    again: list[int] = field(default_factory=list)
    open_slots: list[tuple[int, int, Cost]] = field(default_factory=list)
    size: int = 0

    def floats(self, field_: Field) -> int:
        """What repeated pair-downs and pair-ups cost in all, and at least."""
        return sum(self.again) + sum(field_.floats(i, j) for i, j in self.pairs)


def unhindered(field_: Field, sparing: bool = False) -> Structure:
    """The cheapest structure if everybody might meet everybody: the lower bound. O(players).

    `sparing`: with as few repeated pair-downs and pair-ups as that leaves.
    """
    structure = Structure()
    left = [len(group) for group in field_.groups]
    for position, (cost, i) in enumerate(cheapest_takers(field_, len(field_.slots))):
        group = field_.group_of[i]
        structure.open_slots.append((position, group, cost))
        left[group] -= 1
    waiting = None
    for group, count in enumerate(left):
        if waiting is not None and count:
            structure.links.append((-1 - waiting, -1 - group))
            waiting = None
            count -= 1
        if count % 2:
            waiting = group
    structure.again = fewest_floats(field_, structure) if sparing else [0] * len(structure.links)
    return structure


def cheapest_takers(field_: Field, wanted: int) -> list[tuple[Cost, int]]:
    """The players it costs least to leave over for a bye or a house entrant, cheapest first."""
    if not wanted:
        return []
    return sorted((field_.slot_cost(i), i) for i in field_.players)[:wanted]


def fewest_floats(field_: Field, structure: Structure) -> list[int]:
    """Per link, how often the best choice of its ends was paired down and up before.

    Links share groups, not players: within a group that somebody enters and somebody leaves, the two are chosen
    together; beyond it nothing depends on them.
    """
    again = [0] * len(structure.links)
    entered = {-1 - lower: link for link, (_, lower) in enumerate(structure.links)}
    left = {-1 - upper: link for link, (upper, _) in enumerate(structure.links)}
    for group in entered.keys() | left.keys():
        taken = [cost for _, where, cost in structure.open_slots if where == group]
        coming, going = fewest_in_group(field_, group, group in entered, group in left, taken)
        if group in entered:
            again[entered[group]] += coming
        if group in left:
            again[left[group]] += going
    return again


def fewest_in_group(
    field_: Field, group: int, entered: bool, left: bool, taken: list[Cost]
) -> tuple[int, int]:
    """How often the member paired up and the member paired down were so before, the least sum there is.

    They are two members, and members of these slot costs must remain as takers.
    """
    members, up, down = field_.groups[group], field_.up, field_.down
    if not taken:
        a = min(members, key=up.__getitem__) if entered else None
        b = min(members, key=down.__getitem__) if left else None
        if a != b:
            return 0 if a is None else up[a], 0 if b is None else down[b]
    # Enough to choose from: one may be the other's choice, and one more than all takers cannot be spared.
    few = 3 + len(taken)
    comers = sorted(members, key=up.__getitem__)[:few] if entered else [None]
    goers = sorted(members, key=down.__getitem__)[:few] if left else [None]
    wanted = Counter(taken)
    able = {cost: [i for i in members if field_.slot_cost(i) == cost] for cost in wanted}
    sums = [
        (0 if a is None else up[a], 0 if b is None else down[b])
        for a in comers
        for b in goers
        if a is None or a != b
        if all(sum(i not in (a, b) for i in able[cost]) >= wanted[cost] for cost in wanted)
    ]
    return min(sums, key=sum)
