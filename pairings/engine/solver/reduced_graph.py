"""The cheapest structure of some neighboring score groups, exactly: a matching on a reduced graph of their members.

The reduced graph has the members of real groups and a few stand-ins for each relaxed group G. A few are enough: if x
and y, both above G, meet g and h of G and may meet each other, then x-y and g-h cost less (`lower_bound`) and fewer
pairs leave their group. So in a cheapest structure the players who come to G from above are pairwise barred from
meeting: there is only one, or each is a real player barred from all the others. The same holds from below. Members of G
differ only as recipients of a bye, so the cheapest recipients are kept as stand-ins. The other members meet among
themselves.

If repeated pair-downs count next (`count_pair_downs`), members also differ in how often they were paired down and up.
If W members of G have a role, the W cheapest for each role are kept: any other member with a role could hand it to a
cheaper one who has none.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from pairings.engine.bye import Cost, bye_cost, bye_levels
from pairings.engine.field import Field
from pairings.engine.lower_bound import Structure
from pairings.engine.matching import Edge, cheapest_perfect_matching


@dataclass(frozen=True, slots=True)
class Interval:
    """A run of neighboring score groups whose players are paired with each other or with the dummies."""

    groups: range  # positions of the groups, from the top
    real: frozenset[int]  # those whose members keep their histories
    leaving: tuple[
        int, ...
    ]  # per group, how many of its members may meet others than members, recipients aside
    dummies: tuple[int | None, ...]  # those to be given
    recipients: frozenset[int]  # the groups whose members may take them
    # Whether a real player who is barred from a whole relaxed group is known to have a rematch there.
    heed_closed: bool = False

    def bye_count(self, group: int) -> int:
        """Return how many members of this group may get a bye."""
        return len(self.dummies) if group in self.recipients else 0


class ReducedGraph:
    """A reduced interval: only players that its cheapest structure can need, from the top, then the dummies."""

    def __init__(self, field: Field, interval: Interval, count_pair_downs: bool):
        self.field, self.interval, self.count_pair_downs = field, interval, count_pair_downs
        self.vertices: list[tuple[int, bool]] = []  # (player, is real)
        for group, leaving in zip(interval.groups, interval.leaving, strict=True):
            members = field.groups[group]
            if group in interval.real:
                self.vertices += [(i, True) for i in members]
            else:
                recipients = interval.bye_count(group)
                chosen = stand_ins(field, members, leaving + recipients, recipients > 0, count_pair_downs)
                self.vertices += [(i, False) for i in chosen]

    def crossing_end(self, vertex: int) -> int:
        """Return this vertex's end of a crossing: the player if real, else -1 - the group."""
        i, is_real = self.vertices[vertex]
        return i if is_real else -1 - self.field.group_of[i]


def stand_ins(
    field: Field, members: list[int], count: int, may_take: bool, count_pair_downs: bool
) -> list[int]:
    """Return `count` members of a relaxed group, or one more: the cheapest for each role."""
    if count >= len(members):
        return members
    parts: list[Callable[[int], Any]] = [partial(bye_cost, field)] if may_take else []
    if count_pair_downs:
        parts += [field.down.__getitem__, field.up.__getitem__]
        # Ties go to members who are cheap in both roles: then fewer are kept.
        members = sorted(members, key=lambda i: field.down[i] + field.up[i])
    chosen: dict[int, None] = {}
    for part in parts:
        chosen |= dict.fromkeys(sorted(members, key=part)[:count])
    rest = [i for i in members if i not in chosen]
    more = max(0, count - len(chosen))
    return [*chosen, *rest[: more + (len(rest) - more) % 2]]


def solve_interval(field: Field, interval: Interval, count_pair_downs: bool) -> tuple[Structure, Cost] | None:
    """Return the cheapest structure and its cost (rematches, bye, score difference, repeated pair-downs), or None."""
    graph = ReducedGraph(field, interval, count_pair_downs)
    vertices = graph.vertices
    edges = pair_edges(graph) + bye_edges(graph)
    size = len(vertices) + len(interval.dummies)
    matching = cheapest_perfect_matching(size, edges, field.rng)
    if matching is None:
        return None
    structure = Structure(size=size)
    for u, v in matching:
        i, end = vertices[u][0], graph.crossing_end(u)
        if v >= len(vertices):
            dummy = interval.dummies[v - len(vertices)]
            if end >= 0:
                structure.unpaired.append((i, dummy))
            else:
                structure.open_byes.append((dummy, -1 - end, bye_cost(field, i)))
            continue
        other = graph.crossing_end(v)
        if end >= 0 and other >= 0:
            structure.pairs.append((end, other))
        elif end != other:  # two stand-ins of one group meet inside the group
            structure.crossings.append((end, other))
            structure.pair_down_costs.append(
                field.pair_down_cost(i, vertices[v][0]) if count_pair_downs else 0
            )
    costs = {(u, v): cost for u, v, cost in edges}
    sums = tuple(map(sum, zip(*map(costs.__getitem__, matching), strict=True)))
    players = [(vertices[u][0], vertices[v][0]) for u, v in matching if v < len(vertices)]
    difference = sum(field.difference(i, j) for i, j in players)
    return structure, (*sums[: 1 + bye_levels(field)], difference, sums[-1])


def pair_edges(graph: ReducedGraph) -> list[Edge]:
    """Return each allowed pair of vertices with (rematch, no bye cost, score differences, repeated pair-downs).

    Two stand-ins are joined only if their groups are neighbors. If x and z met across a relaxed group that has a member
    b with an opponent, it would cost less if x met b and z met b's opponent. If z is barred from whole groups, that
    might be a rematch; then all pairs are edges.
    """
    field, vertices = graph.field, graph.vertices
    edges: list[Edge] = []
    never = field.policy.repeats == "never"
    no_bye = (0,) * bye_levels(field)
    prefer_new = "pair_downs" in field.policy.criteria
    down, up = field.down, field.up
    groups = [field.group_of[i] for i, _ in vertices]  # ascending: from the top
    real = [v for v, (_, is_real) in enumerate(vertices) if is_real]
    beyond = first_beyond(graph, groups)
    no_gap = (0,) * field.difference_count
    free = (0, *no_bye, *no_gap, 0)
    closed = closed_groups(graph) if graph.interval.heed_closed else {}
    for u, (i, real_i) in enumerate(vertices):
        met, prohibited = (field.met[i], field.prohibited[i]) if real_i else ([], [])
        reach = len(vertices) if real_i or graph.interval.heed_closed else beyond[groups[u]]
        gaps = {groups[u]: no_gap}  # the score differences to other groups
        for v in chain(range(u + 1, reach), real[bisect_left(real, reach) :]):
            j, real_j = vertices[v]
            repeat = 0
            if real_i and real_j:
                if j in prohibited:
                    continue
                if j in met:
                    if never:
                        continue
                    repeat = 1
            elif closed and real_i != real_j:
                player, group = (i, groups[v]) if real_i else (j, groups[u])
                repeat = closed.get((player, group), 0)
                if repeat and (never or repeat > 1):
                    continue
            gap = gaps.get(groups[v])
            if gap is None:
                gap = gaps[groups[v]] = field.difference_levels(i, j)
            if gap is no_gap and not repeat:
                edges.append((u, v, free))
                continue
            counted = graph.count_pair_downs or (prefer_new and real_i and real_j)
            again = down[i] + up[j] if gap is not no_gap and counted else 0
            edges.append((u, v, (repeat, *no_bye, *gap, again)))
    return edges


def closed_groups(graph: ReducedGraph) -> dict[tuple[int, int], int]:
    """Return {(real player, group): 1 if the player is barred from all of the group, 2 if all are prohibited}."""
    field = graph.field
    closed: dict[tuple[int, int], int] = {}
    for i, is_real in graph.vertices:
        if is_real:
            for barred, how in ((field.barred[i], 1), (field.prohibited[i], 2)):
                there = Counter(field.group_of[j] for j in set(barred) if j in field.group_of)
                closed |= {
                    (i, group): how for group, count in there.items() if count == len(field.groups[group])
                }
    return closed


def first_beyond(graph: ReducedGraph, groups: list[int]) -> dict[int, int]:
    """Return per group the first vertex that its stand-ins cannot reach; `groups` has each vertex's group.

    Stand-ins meet players up to the next relaxed group that must keep a member, because not all of its members may get
    a bye.
    """
    interval = graph.interval
    reach = interval.groups[-1]
    beyond = {}
    for group in reversed(interval.groups):
        beyond[group] = bisect_right(groups, reach)
        if group not in interval.real and len(graph.field.groups[group]) > interval.bye_count(group):
            reach = group
    return beyond


def bye_edges(graph: ReducedGraph) -> list[Edge]:
    """Return every vertex with every dummy that may go to it, with (rematch, bye cost, 0, …)."""
    field, interval, vertices = graph.field, graph.interval, graph.vertices
    edges: list[Edge] = []
    nothing = (0,) * (field.difference_count + 1)
    for place, house in enumerate(interval.dummies, start=len(vertices)):
        for u, (i, is_real) in enumerate(vertices):
            if field.group_of[i] not in interval.recipients:
                continue
            repeat = 0
            if is_real and house is not None:
                if house in field.prohibited[i]:
                    continue
                if house in field.met[i]:
                    if field.policy.repeats == "never":
                        continue
                    repeat = 1
            edges.append((u, place, (repeat, *bye_cost(field, i), *nothing)))
    return edges
