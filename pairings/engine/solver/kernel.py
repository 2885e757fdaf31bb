"""The cheapest structure of some neighbouring score groups, exactly: a matching on a *kernel* of their members.

The kernel has the members of real groups and a few stand-ins for each relaxed group G. Few suffice. If x and y,
both above G, meet g and h of G and might meet each other freely, then x-y and g-h cost less (`structure`) and
fewer pairs leave their group. So in a cheapest structure those who come to G from above are pairwise barred from
meeting: one of them, or several real players each of whom is barred from the rest. The same from below. Members
of G are alike except as takers of a bye, so the cheapest takers are kept as stand-ins. Members left out meet among
themselves.

Where repeated pair-downs count next (`sparing`), members differ in how often they were paired down and up, too.
If W members of G have a part to play, the W cheapest for each part are kept: whoever else had one could leave it
to one of those who has none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pairings.engine.field import Field, top_down_weights
from pairings.engine.lower_bound import Cost, Structure
from pairings.engine.matching.exact import Edge, cheapest_perfect_matching
from pairings.engine.rng import Chance


@dataclass(frozen=True, slots=True)
class Window:
    """A run of neighbouring score groups, to be completed among themselves and the slots.

    groups   positions of the groups, from the top; real: those whose members keep their histories
    leaving  per group, how many of its members may meet others than members, takers aside
    slots    positions of the slots to be taken; takers: the groups that may give somebody to them
    knowing  whether a real player who may meet nobody of a relaxed group is known to repeat there
    """

    groups: range
    real: frozenset[int]
    leaving: tuple[int, ...]
    slots: range
    takers: frozenset[int]
    knowing: bool = False

    def taken(self, group: int) -> int:
        """How many of this group the slots may take."""
        return len(self.slots) if group in self.takers else 0


class Kernel:
    """Those of a window among whom its cheapest structure can be found.

    `vertices` are (player, is real), from the top; the slots are vertices after them. `sparing`: whether repeated
    pair-downs count.
    """

    def __init__(self, field: Field, window: Window, sparing: bool):
        self.field, self.window, self.sparing = field, window, sparing
        self.vertices: list[tuple[int, bool]] = []
        for group, leaving in zip(window.groups, window.leaving, strict=True):
            members = field.groups[group]
            if group in window.real:
                self.vertices += [(i, True) for i in members]
            else:
                taken = window.taken(group)
                chosen = stand_ins(field, members, leaving + taken, taken > 0, sparing)
                self.vertices += [(i, False) for i in chosen]
        self.weights = self._weights() if field.weights else []

    def _weights(self) -> list[int]:
        """Per group of the field, what top-down weighs it with among these few: as the field does, but less."""
        here = Counter(self.field.group_of[i] for i, _ in self.vertices)
        levels = [self.field.points[self.field.groups[group][0]] for group in self.window.groups]
        weights = top_down_weights([here[group] for group in self.window.groups], levels)
        return [0] * self.window.groups.start + weights

    def gap(self, i: int, j: int) -> int:
        """What the score difference of two players weighs in the matching."""
        square = (self.field.points[i] - self.field.points[j]) ** 2
        groups = self.field.group_of
        return square * self.weights[min(groups[i], groups[j])] if self.weights else square

    def end(self, vertex: int) -> int:
        """The vertex as the end of a link: itself if real, else -1 - its group."""
        i, is_real = self.vertices[vertex]
        return i if is_real else -1 - self.field.group_of[i]


def stand_ins(field: Field, members: list[int], wanted: int, taken: bool, sparing: bool) -> list[int]:
    """So many members of a relaxed group, or one more, of those cheapest for each part they may play."""
    if wanted >= len(members):
        return members
    parts: list[Callable[[int], Any]] = [field.slot_cost] if taken else []
    if sparing:
        parts += [field.down.__getitem__, field.up.__getitem__]
        # Of equals those first who are cheap in either part: the fewer are kept.
        members = sorted(members, key=lambda i: field.down[i] + field.up[i])
    kept: dict[int, None] = {}
    for part in parts:
        kept |= dict.fromkeys(sorted(members, key=part)[:wanted])
    rest = [i for i in members if i not in kept]
    more = max(0, wanted - len(kept))
    return [*kept, *rest[: more + (len(rest) - more) % 2]]


def cheapest_structure(
    field: Field, window: Window, sparing: bool, chance: Chance
) -> tuple[Structure, Cost] | None:
    """The cheapest structure and its cost: repeats, slot cost, score difference, repeated pair-downs.

    None: these groups cannot be completed among themselves.
    """
    kernel = Kernel(field, window, sparing)
    vertices = kernel.vertices
    edges = pair_edges(kernel) + slot_edges(kernel)
    size = len(vertices) + len(window.slots)
    matching = cheapest_perfect_matching(size, edges, chance)
    if matching is None:
        return None
    structure = Structure(size=size)
    for u, v in matching:
        i, end = vertices[u][0], kernel.end(u)
        if v >= len(vertices):
            slot = window.slots[v - len(vertices)]
            if end >= 0:
                structure.slots.append((slot, i))
            else:
                structure.open_slots.append((slot, -1 - end, field.slot_cost(i)))
            continue
        other = kernel.end(v)
        if end >= 0 and other >= 0:
            structure.pairs.append((end, other))
        elif end != other:  # two stand-ins of one group: settled inside the group
            structure.links.append((end, other))
            structure.again.append(field.floats(i, vertices[v][0]) if sparing else 0)
    costs = {(u, v): cost for u, v, cost in edges}
    *before, _, floats = map(sum, zip(*map(costs.__getitem__, matching), strict=True))
    players = [(vertices[u][0], vertices[v][0]) for u, v in matching if v < len(vertices)]
    return structure, (*before, sum(field.difference(i, j) for i, j in players), floats)


def pair_edges(kernel: Kernel) -> list[Edge]:
    """Every pair of vertices that may meet, with (repeat, no slot cost, score difference, twice down).

    But of two stand-ins only those of neighbouring groups: if x and z met across a relaxed group with a member b
    who is not left over, to meet b' instead of z would be dearer for none of them: x-b and b'-z cost less. (Where
    it is known whom z's group has closed, b' might repeat there: then all are edges.)
    """
    field, vertices = kernel.field, kernel.vertices
    edges: list[Edge] = []
    never = field.policy.repeats == "never"
    no_slot = (0,) * field.slot_levels
    prefer_new = "pair_downs" in field.policy.criteria
    down, up = field.down, field.up
    groups = [field.group_of[i] for i, _ in vertices]  # ascending: from the top
    real = [v for v, (_, is_real) in enumerate(vertices) if is_real]
    beyond = first_beyond(kernel, groups)
    level = (0, *no_slot, 0, 0)
    closed = closed_groups(kernel) if kernel.window.knowing else {}
    for u, (i, real_i) in enumerate(vertices):
        met, hard = (field.met[i], field.hard[i]) if real_i else ([], [])
        near = len(vertices) if real_i or kernel.window.knowing else beyond[groups[u]]
        gaps: dict[int, int] = {groups[u]: 0}  # the score difference to other groups
        for v in chain(range(u + 1, near), real[bisect_left(real, near) :]):
            j, real_j = vertices[v]
            repeat = 0
            if real_i and real_j:
                if j in hard:
                    continue
                if j in met:
                    if never:
                        continue
                    repeat = 1
            elif closed and real_i != real_j:
                whose, where = (i, groups[v]) if real_i else (j, groups[u])
                repeat = closed.get((whose, where), 0)
                if repeat and (never or repeat > 1):
                    continue
            gap = gaps.get(groups[v])
            if gap is None:
                gap = gaps[groups[v]] = kernel.gap(i, j)
            if not gap and not repeat:
                edges.append((u, v, level))
                continue
            counted = kernel.sparing or (prefer_new and real_i and real_j)
            floats = down[i] + up[j] if gap and counted else 0
            edges.append((u, v, (repeat, *no_slot, gap, floats)))
    return edges


def closed_groups(kernel: Kernel) -> dict[tuple[int, int], int]:
    """(real player, relaxed group) where he has met all of it: 1; where he must not meet any of it: 2."""
    field = kernel.field
    closed: dict[tuple[int, int], int] = {}
    for i, is_real in kernel.vertices:
        if is_real:
            for barred, how in ((field.barred[i], 1), (field.hard[i], 2)):
                there = Counter(field.group_of[j] for j in set(barred) if j in field.group_of)
                closed |= {
                    (i, group): how for group, count in there.items() if count == len(field.groups[group])
                }
    return closed


def first_beyond(kernel: Kernel, groups: list[int]) -> dict[int, int]:
    """Per group, the first vertex whose group is out of reach of its stand-ins, by the groups of all vertices.

    They reach the next relaxed group that has more members than slots may take: others may be left over whole.
    """
    window = kernel.window
    reach = window.groups[-1]
    beyond = {}
    for group in reversed(window.groups):
        beyond[group] = bisect_right(groups, reach)
        if group not in window.real and len(kernel.field.groups[group]) > window.taken(group):
            reach = group
    return beyond


def slot_edges(kernel: Kernel) -> list[Edge]:
    """Every vertex with every slot it may take, with (repeat, slot cost, 0, 0)."""
    field, window, vertices = kernel.field, kernel.window, kernel.vertices
    edges: list[Edge] = []
    for place, position in enumerate(window.slots, start=len(vertices)):
        house = field.slots[position]
        for u, (i, is_real) in enumerate(vertices):
            if field.group_of[i] not in window.takers:
                continue
            repeat = 0
            if is_real and house is not None:
                if house in field.hard[i]:
                    continue
                if house in field.met[i]:
                    if field.policy.repeats == "never":
                        continue
                    repeat = 1
            edges.append((u, place, (repeat, *field.slot_cost(i), 0, 0)))
    return edges
