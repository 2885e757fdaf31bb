"""The cheapest structure of some neighbouring score groups, exactly: a matching on a *kernel* of their members.

The kernel has the members of real groups and a few stand-ins for each relaxed group G. Few suffice. If x and y,
both above G, meet g and h of G and might meet each other freely, then x-y and g-h cost no more (a pair inside
another's score interval is never dearer) and fewer pairs leave their group. So in some cheapest structure those
who come to G from above are pairwise barred from meeting: one of them, or several real players each of whom is
barred from the rest. The same from below. Members of G are alike except as takers of a bye, so the cheapest
takers are kept as stand-ins. Members left out meet among themselves.

Where repeated pair-downs count next (`sparing`), members differ in how often they were paired down and up, too.
The argument above still holds, as the score difference of x-y and g-h is smaller, not just no greater. If W
members of G have a part to play, the W cheapest for each part are kept: whoever else had one could leave it to
one of those who has none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pairings.engine.chance import Chance
from pairings.engine.exact import Edge, cheapest_perfect_matching
from pairings.engine.field import Field
from pairings.engine.structure import Cost, Structure


@dataclass(frozen=True, slots=True)
class Kernel:
    """Some neighbouring score groups, and the slots that are to be taken from among them.

    groups    positions of the groups, from the top; real: those whose members keep their histories
    slots     positions of the slots
    vertices  (player, is real), from the top; the slots are vertices after them
    sparing   whether repeated pair-downs count
    """

    field: Field
    groups: range
    real: frozenset[int]
    slots: Sequence[int]
    vertices: list[tuple[int, bool]]
    sparing: bool

    def end(self, vertex: int) -> int:
        """The vertex as the end of a link: itself if real, else -1 - its group."""
        i, is_real = self.vertices[vertex]
        return i if is_real else -1 - self.field.group_of[i]


def kernel(field: Field, groups: range, real: set[int], slots: Sequence[int], sparing: bool) -> Kernel:
    """The players among whom the cheapest structure of these groups can be found."""
    inside = frozenset(real.intersection(groups))
    names = {i for group in inside for i in field.groups[group]}
    # No set of pairwise barred players is larger than the most barred of them allows.
    together = 1 + max((len(names.intersection(field.barred[i])) for i in names), default=0)
    vertices: list[tuple[int, bool]] = []
    above = 0
    for group in groups:
        members = field.groups[group]
        if group in inside:
            vertices += [(i, True) for i in members]
            above += len(members)
            continue
        below = len(names) - above
        wanted = max(1, min(above, together)) + max(1, min(below, together)) + len(slots)
        vertices += [(i, False) for i in stand_ins(field, members, wanted, bool(slots), sparing)]
    return Kernel(field, groups, inside, slots, vertices, sparing)


def stand_ins(field: Field, members: list[int], wanted: int, slots: bool, sparing: bool) -> list[int]:
    """So many members of a relaxed group, or one more, of those cheapest for each part they may play."""
    if wanted >= len(members):
        return members
    parts: list[Callable[[int], Any]] = [field.slot_cost] if slots else []
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


def solved(kernel: Kernel, chance: Chance) -> tuple[Structure, Cost] | None:
    """The cheapest structure and its cost: repeats, slot cost, score difference, repeated pair-downs.

    None: these groups cannot be completed among themselves.
    """
    field, vertices = kernel.field, kernel.vertices
    edges = pair_edges(kernel) + slot_edges(kernel)
    size = len(vertices) + len(kernel.slots)
    matching = cheapest_perfect_matching(size, edges, chance)
    if matching is None:
        return None
    structure = Structure(size=size)
    for u, v in matching:
        i, end = vertices[u][0], kernel.end(u)
        if v >= len(vertices):
            slot = kernel.slots[v - len(vertices)]
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
            structure.again.append(field.floats(i, vertices[v][0]) if kernel.sparing else 0)
    costs = {(u, v): cost for u, v, cost in edges}
    return structure, tuple(map(sum, zip(*map(costs.__getitem__, matching), strict=True)))


def pair_edges(kernel: Kernel) -> list[Edge]:
    """Every pair of vertices that may meet, with (repeat, no slot cost, score difference, twice down).

    But of two stand-ins only those of neighbouring groups: if x and z met across a relaxed group with a member b
    who is not left over, to meet b' instead of z would be dearer for none of them: x-b and b'-z cost less.
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
    gaps: dict[tuple[int, int], int] = {}  # the score difference of two groups
    for u, (i, real_i) in enumerate(vertices):
        met, hard = (set(field.met[i]), field.hard[i]) if real_i else (frozenset(), ())
        near = len(vertices) if real_i else beyond[groups[u]]
        for v in chain(range(u + 1, near), real[bisect_left(real, near) :]):
            j, real_j = vertices[v]
            repeat = 0
            if real_j and j in hard:
                continue
            if real_j and j in met:
                if never:
                    continue
                repeat = 1
            across = groups[u], groups[v]
            gap = gaps.get(across)
            if gap is None:
                gap = gaps[across] = field.difference(i, j)
            counted = kernel.sparing or (prefer_new and real_i and real_j)
            floats = down[i] + up[j] if gap and counted else 0
            edges.append((u, v, (repeat, *no_slot, gap, floats)))
    return edges


def first_beyond(kernel: Kernel, groups: list[int]) -> dict[int, int]:
    """Per group, the first vertex whose group is out of reach of its stand-ins, by the groups of all vertices.

    They reach the next relaxed group that has more members than there are slots: others may be left over whole.
    """
    reach = kernel.groups[-1]
    beyond = {}
    for group in reversed(kernel.groups):
        beyond[group] = bisect_right(groups, reach)
        if group not in kernel.real and len(kernel.field.groups[group]) > len(kernel.slots):
            reach = group
    return beyond


def slot_edges(kernel: Kernel) -> list[Edge]:
    """Every vertex with every slot it may take, with (repeat, slot cost, 0, 0)."""
    field, vertices = kernel.field, kernel.vertices
    edges: list[Edge] = []
    for place, position in enumerate(kernel.slots, start=len(vertices)):
        house = field.slots[position]
        for u, (i, is_real) in enumerate(vertices):
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
