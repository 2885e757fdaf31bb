"""The *intervals* around real groups: the only places where a cheapest round departs from the lower bound.

Groups in which the bound's structure cannot be played are made real. An interval is a run of groups around real ones
whose ends are not crossed by any pair of the bound. Each is solved by itself, by a matching on a *reduced graph*: the
members of its real groups, and a few stand-ins for each relaxed group. Outside the intervals the bound's own crossings
stay. Solved this way, the round costs `excess` more than the bound. Why nothing is cheaper: `docs/pairing.md`.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain, pairwise
from math import inf
from typing import Any

from pairings.engine.bye import Cost, bye_cost, bye_levels
from pairings.engine.field import Field
from pairings.engine.lower_bound import Crossing, Structure
from pairings.engine.matching import Edge, cheapest_perfect_matching


@dataclass(frozen=True, slots=True)
class Interval:
    """A run of neighboring score groups whose players are paired with each other or with the dummies."""

    groups: range  # positions of the groups, from the top
    real: frozenset[int]  # those whose members keep their histories
    # Per group, how many of its members may meet others than members, recipients aside.
    leaving: tuple[int, ...]
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
            again = field.pair_down_cost(i, vertices[v][0]) if count_pair_downs else 0
            structure.pair_down_costs.append(again)
    costs = {(u, v): cost for u, v, cost in edges}
    sums = tuple(map(sum, zip(*map(costs.__getitem__, matching), strict=True)))
    players = [(vertices[u][0], vertices[v][0]) for u, v in matching if v < len(vertices)]
    difference = sum(field.difference(i, j) for i, j in players)
    return structure, (*sums[: 1 + bye_levels(field)], difference, sums[-1])


def pair_edges(graph: ReducedGraph) -> list[Edge]:
    """Return each allowed pair of vertices with its cost: rematch, bye (0), score differences, repeated pair-downs.

    Two stand-ins get an edge only if their groups are neighbors: skipping a relaxed group costs more than two pairs
    that use it. If players are barred from whole groups, those two might be rematches; then every pair gets an edge.
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
                closed |= {(i, group): how for group, n in there.items() if n == len(field.groups[group])}
    return closed


def first_beyond(graph: ReducedGraph, groups: list[int]) -> dict[int, int]:
    """Return per group the first vertex beyond the reach of its stand-ins: the next group that must keep a member."""
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


# An interval's cheapest structure and its cost; None if it cannot be completed.
Part = tuple[Structure, Cost] | None

# Relaxed groups around the real ones of an interval, at least: with fewer, few intervals can be solved.
MARGIN = 2


class IntervalSolver:
    """The cheapest structures of one field, for growing sets of real groups.

    intervals  those of the last structure
    parts      {interval: its solution}, so that an unchanged interval is solved once
    excess     how much more than the bound the last structure costs; infinite if the whole field must be solved at once
    """

    def __init__(self, field: Field, bound: Structure, count_pair_downs: bool):
        self.field, self.bound, self.count_pair_downs = field, bound, count_pair_downs
        self.parts: dict[Interval, Part] = {}
        self.intervals: list[Interval] = []
        others = len(field.players) - 1
        # A player barred from this many must have a rematch or get the bye.
        hopeless = any(len(field.barred[i]) >= others for i in field.players)
        self.excess: float = inf if hopeless else 0

    def cheapest_structure(self, real: set[int]) -> Structure | None:
        """Return the cheapest structure with these groups real; None if no such structure can be completed."""
        excess = self.excess if self.excess == inf else 0  # what more freedom could not do, less cannot
        tried: list[Interval] = []
        parts: list[Part] = []
        while (intervals := intervals_around(self.field, self.bound, real, excess)) != tried:
            tried = intervals
            self.parts |= {
                interval: solve_interval(self.field, interval, self.count_pair_downs)
                for interval in intervals
                if interval not in self.parts
            }
            parts = [self.parts[interval] for interval in intervals]
            excess = max(excess, compute_excess(self.field, self.bound, intervals, parts))
        self.intervals, self.excess = intervals, excess
        structures = [part[0] for part in parts if part is not None]
        is_whole = len(structures) == len(intervals)
        return join_structures(self.bound, intervals, structures) if is_whole else None


def add_small_neighbors(field: Field, groups: set[int]) -> set[int]:
    """Add nearby groups of one or two players: they usually turn out infeasible next, and the graph has them anyway."""
    near = {other for group in groups for other in range(group - MARGIN, group + MARGIN + 1)}
    small = {group for group, members in enumerate(field.groups) if len(members) < 3}
    return groups | near & small


def intervals_around(field: Field, bound: Structure, real: set[int], excess: float) -> list[Interval]:
    """Return intervals so wide that at this excess no pair from a `real` group can cross an end."""
    count, crossed = len(field.groups), crossed_ends(bound)
    runs: list[range] = []
    for group in sorted(real):
        above = (end for end in range(group, 0, -1) if end not in crossed)
        below = (end for end in range(group + 1, count) if end not in crossed)
        first = next((end for end in above if not in_reach(field, group, end - 1, excess)), 0)
        last = next((end for end in below if not in_reach(field, group, end, excess)), count)
        while runs and first < runs[-1].stop:
            before = runs.pop()
            first, last = min(first, before.start), max(last, before.stop)
        runs.append(range(first, last))
    recipients = frozenset(group for _, group, _ in bound.open_byes)
    if excess == inf or any(recipients.intersection(run) and not recipients.issubset(run) for run in runs):
        runs = [range(count)]
    if excess == inf:
        recipients = frozenset(range(count))
    intervals = []
    for run in runs:
        inside = frozenset(real.intersection(run))
        dummies = tuple(field.dummies) if recipients.issubset(run) else ()
        leaving = leaving_counts(field, run, inside, excess)
        intervals.append(Interval(run, inside, leaving, dummies, recipients, excess == inf))
    return intervals


def crossed_ends(bound: Structure) -> set[int]:
    """Return the boundaries that the bound's crossings cross; boundary n is above group n."""
    return {end for upper, lower in bound.crossings for end in range(-upper, -lower)}


def undivided_runs(field: Field, bound: Structure, intervals: list[Interval]) -> list[range]:
    """Return the score groups of each component: no cheapest round has a pair between two of them."""
    crossed = crossed_ends(bound)
    for interval in intervals:
        crossed |= set(range(interval.groups.start + 1, interval.groups.stop))
        crossed -= {interval.groups.start, interval.groups.stop}
    recipients = [group for _, group, _ in bound.open_byes]
    crossed |= set(range(min(recipients, default=0) + 1, max(recipients, default=0) + 1))
    ends = [end for end in range(len(field.groups) + 1) if end not in crossed]
    return [range(*both) for both in pairwise(ends)]


def in_reach(field: Field, real: int, other: int, excess: float) -> bool:
    """Whether two groups are close, or two pairs between them cost at most `excess` in score difference."""
    if abs(real - other) <= MARGIN:
        return True
    return 2 * field.difference(field.groups[real][0], field.groups[other][0]) <= excess


def leaving_counts(field: Field, run: range, real: frozenset[int], excess: float) -> tuple[int, ...]:
    """Return per group how many players may come from above and below: one each, or as many as are pairwise barred."""
    players = {i for group in real for i in field.groups[group]}
    # Each of n pairwise barred players is barred from the n - 1 others.
    barred = sorted((len(players.intersection(field.barred[i])) for i in players), reverse=True)
    together = sum(others >= number for number, others in enumerate(barred))
    one_more = int(excess == inf)  # of a relaxed group, with whom real players are known to have a rematch
    counts = []
    for group in run:
        count = 0
        for side in (range(run.start, group), range(group + 1, run.stop)):
            there = real.intersection(side)
            many = any(in_reach(field, other, group, excess) for other in there)
            most = sum(len(field.groups[other]) for other in there)
            count += max(1, min(most, together) + one_more) if many else 1
        counts.append(count)
    return tuple(counts)


def compute_excess(field: Field, bound: Structure, intervals: list[Interval], parts: list[Part]) -> float:
    """Return the intervals' excess over the bound; infinite if the whole field must be solved at once."""
    costs = [part[1] for part in parts if part is not None]
    if len(costs) < len(parts):
        return inf
    repeats, *byes, _, _ = map(sum, zip(*costs, strict=True))
    taken = [cost for _, _, cost in bound.open_byes] if any(each.dummies for each in intervals) else []
    cheapest = list(map(sum, zip(*taken, strict=True))) or [0] * bye_levels(field)
    if repeats or byes != cheapest:
        return inf
    more = []
    for interval, cost in zip(intervals, costs, strict=True):
        usual = sum(crossing_difference(field, each) for each in crossings_inside(bound, [interval]))
        more.append(cost[-2] - usual)
    return min(sum(more), 3 * max(more)) if field.policy.objective == "balance" else sum(more)


def crossings_inside(bound: Structure, intervals: list[Interval]) -> list[Crossing]:
    groups = {group for interval in intervals for group in interval.groups}
    return [crossing for crossing in bound.crossings if -1 - crossing[0] in groups]


def crossing_difference(field: Field, crossing: Crossing) -> int:
    upper, lower = (field.groups[-1 - end][0] for end in crossing)
    return field.difference(upper, lower)


def join_structures(bound: Structure, intervals: list[Interval], structures: list[Structure]) -> Structure:
    replaced = set(crossings_inside(bound, intervals))
    taken = any(interval.dummies for interval in intervals)
    whole = Structure(open_byes=[] if taken else list(bound.open_byes))
    for crossing, cost in zip(bound.crossings, bound.pair_down_costs, strict=True):
        if crossing not in replaced:
            whole.crossings.append(crossing)
            whole.pair_down_costs.append(cost)
    for part in structures:
        whole.pairs += part.pairs
        whole.unpaired += part.unpaired
        whole.crossings += part.crossings
        whole.pair_down_costs += part.pair_down_costs
        whole.open_byes += part.open_byes
        whole.size += part.size
    return whole
