"""How score groups are linked in a cheapest round: who plays down to whom, and where the bye falls.

Some groups are *real*: their members keep their histories. The others are *relaxed*: their members may meet
anybody. Relaxing only removes obstacles, so the cheapest structure of a relaxed field costs no more than the
best legal round; a legal round with that structure is therefore proved best.

With every group relaxed the answer is known: players in score order, neighbours paired (the lower bound).
Otherwise a matching decides, on a *kernel*: the real players and a few stand-ins for each relaxed group G.
Few suffice. If x and y, both above G, meet g and h of G and might meet each other freely, then x-y and g-h
cost no more (a pair inside another's score interval is never dearer) and fewer pairs leave their group. So in
some cheapest structure those who come to G from above are pairwise barred from meeting: one of them, or
several real players each of whom is barred from the rest. The same from below. Members of G are alike except
as takers of a bye, so the cheapest takers are kept as stand-ins. Members left out meet among themselves.

Where repeated pair-downs count next (`sparing`), members differ in how often they were paired down and up, too.
The argument above still holds, as the score difference of x-y and g-h is smaller, not just no greater. If W
members of G have a part to play, the W cheapest for each part are kept: whoever else had one could leave it to
one of those who has none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import chain

from pairings.engine.chance import Chance
from pairings.engine.exact import Edge, cheapest_perfect_matching
from pairings.engine.field import Field


@dataclass(slots=True)
class Structure:
    """What is decided before members of relaxed groups are chosen.

    pairs  real players who meet; slots  (slot position, player) already decided
    links  (end, end): an end is a player's index, or -1 - group for a member yet to be chosen
    again  per link, how often its ends were paired down and up before (0 where `sparing` was not asked for)
    open_slots  (slot position, group, slot cost): a member with that cost is to be chosen
    size   vertices of the kernel the structure was computed on; 0: the bound itself
    floats  what repeated pair-downs and pair-ups cost in all, and at least
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    slots: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    again: list[int] = field(default_factory=list)
    open_slots: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    size: int = 0
    floats: int = 0


def unhindered(field_: Field) -> Structure:
    """The cheapest structure if everybody might meet everybody: the lower bound. O(players)."""
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
            structure.again.append(0)
            waiting = None
            count -= 1
        if count % 2:
            waiting = group
    return structure


def cheapest_takers(field_: Field, wanted: int) -> list[tuple[tuple[int, ...], int]]:
    """The players it costs least to leave over for a bye or a house entrant, cheapest first."""
    if not wanted:
        return []
    return sorted((field_.slot_cost(i), i) for i in field_.players)[:wanted]


def on_kernel(field_: Field, real: set[int], chance: Chance, sparing: bool = False) -> Structure | None:
    """The cheapest structure with the groups in `real` real. None: not even that can be completed."""
    vertices = kernel(field_, real, sparing)
    chosen = [i for i, _ in vertices]
    size = len(vertices) + len(field_.slots)
    edges = pair_edges(field_, vertices, sparing) + slot_edges(field_, vertices)
    matching = cheapest_perfect_matching(size, edges, chance)
    if matching is None:
        return None
    structure = Structure(size=size)
    for u, v in matching:
        end = ends(field_, vertices[u])
        if v >= len(vertices):
            slot = v - len(vertices)
            if end >= 0:
                structure.slots.append((slot, chosen[u]))
            else:
                structure.open_slots.append((slot, -1 - end, field_.slot_cost(chosen[u])))
            continue
        other = ends(field_, vertices[v])
        floats = field_.floats(chosen[u], chosen[v]) if sparing else 0
        structure.floats += floats
        if end >= 0 and other >= 0:
            structure.pairs.append((end, other))
        elif end != other:  # two stand-ins of one group: settled inside the group
            structure.links.append((end, other))
            structure.again.append(floats)
    return structure


def ends(field_: Field, vertex: tuple[int, bool]) -> int:
    """The vertex as the end of a link: itself if real, else -1 - its group."""
    i, is_real = vertex
    return i if is_real else -1 - field_.group_of[i]


def kernel(field_: Field, real: set[int], sparing: bool = False) -> list[tuple[int, bool]]:
    """The vertices (player, is real) on which the cheapest structure can be found."""
    names = {i for group in real for i in field_.groups[group]}
    # No set of pairwise barred players is larger than the most barred of them allows.
    together = 1 + max((len(names.intersection(field_.barred[i])) for i in names), default=0)
    vertices: list[tuple[int, bool]] = []
    above = 0
    for group, members in enumerate(field_.groups):
        if group in real:
            vertices += [(i, True) for i in members]
            above += len(members)
            continue
        below = len(names) - above
        wanted = max(1, min(above, together)) + max(1, min(below, together)) + len(field_.slots)
        vertices += [(i, False) for i in stand_ins(field_, members, wanted, sparing)]
    return vertices


def stand_ins(field_: Field, members: list[int], wanted: int, sparing: bool) -> list[int]:
    """So many members of a relaxed group, or one more, of those cheapest for each part they may play."""
    if wanted >= len(members):
        return members
    cheapest = sorted(members, key=lambda i: (field_.slot_cost(i), i)) if field_.slots else members
    kept = dict.fromkeys(cheapest[:wanted])
    if sparing:
        kept |= dict.fromkeys(sorted(cheapest, key=field_.down.__getitem__)[:wanted])
        kept |= dict.fromkeys(sorted(cheapest, key=field_.up.__getitem__)[:wanted])
    if (len(members) - len(kept)) % 2:
        kept[next(i for i in cheapest if i not in kept)] = None
    return list(kept)


def pair_edges(field_: Field, vertices: list[tuple[int, bool]], sparing: bool = False) -> list[Edge]:
    """Every pair of vertices that may meet, with (repeat, no slot cost, score difference, twice down).

    But of two stand-ins only those of neighbouring groups: if x and z met across a relaxed group with a member b
    who is not left over, to meet b' instead of z would be dearer for none of them: x-b and b'-z cost less.
    """
    edges: list[Edge] = []
    never = field_.policy.repeats == "never"
    no_slot = (0,) * field_.slot_levels
    prefer_new = "pair_downs" in field_.policy.criteria
    down, up = field_.down, field_.up
    groups = [field_.group_of[i] for i, _ in vertices]  # ascending: from the top
    real = [v for v, (_, is_real) in enumerate(vertices) if is_real]
    beyond = first_beyond(field_, set(map(groups.__getitem__, real)), groups)
    gaps: dict[tuple[int, int], int] = {}  # the score difference of two groups
    for u, (i, real_i) in enumerate(vertices):
        met, hard = (set(field_.met[i]), field_.hard[i]) if real_i else (frozenset(), ())
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
                gap = gaps[across] = field_.difference(i, j)
            counted = sparing or (prefer_new and real_i and real_j)
            floats = down[i] + up[j] if gap and counted else 0
            edges.append((u, v, (repeat, *no_slot, gap, floats)))
    return edges


def first_beyond(field_: Field, real: set[int], groups: list[int]) -> list[int]:
    """Per group, the first vertex whose group is out of reach of its stand-ins, by the groups of all vertices.

    They reach the next relaxed group that has more members than there are slots: others may be left over whole.
    """
    crowded = [
        group for group, members in enumerate(field_.groups)
        if group not in real and len(members) > len(field_.slots)
    ]  # fmt: skip
    reach = [
        next((other for other in crowded if other > group), len(field_.groups))
        for group in range(len(field_.groups))
    ]
    return [bisect_right(groups, farthest) for farthest in reach]


def slot_edges(field_: Field, vertices: list[tuple[int, bool]]) -> list[Edge]:
    """Every vertex with every slot it may take, with (repeat, slot cost, 0, 0)."""
    edges: list[Edge] = []
    for position, house in enumerate(field_.slots):
        for u, (i, is_real) in enumerate(vertices):
            repeat = 0
            if is_real and house is not None:
                if house in field_.hard[i]:
                    continue
                if house in field_.met[i]:
                    if field_.policy.repeats == "never":
                        continue
                    repeat = 1
            edges.append((u, len(vertices) + position, (repeat, *field_.slot_cost(i), 0, 0)))
    return edges
