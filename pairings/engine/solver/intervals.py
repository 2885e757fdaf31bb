"""The *intervals* around real groups: the only places where a cheapest round departs from the lower bound.

Groups in which the bound's structure cannot be played are made real. An interval is a run of groups around real ones
whose ends are not crossed by any pair of the bound. It is solved by itself (`reduced_graph`); outside the intervals the
bound's own crossings stay. Solved this way, the round costs `excess` more than the bound.

Why nothing cheaper exists, with as many rematches (none) and the same bye costs (the least): take a cheapest round of
the relaxed field. If no pair crosses an end of an interval, each interval costs at least what was found for it, and the
rest at least the bound. The pairs that cross such an end are even in number, because the number of players above it,
without recipients of byes, is even. Take two of them, x-g and y-h, with x and y above. If x may meet y and g may meet
h, uncrossing them would make the round cheaper (`lower_bound`), a contradiction. So x and y are barred from each other,
or g and h. Both players of that barred pair are then real, and the crossing pairs reach from real groups beyond the end
of their interval. Uncrossed regardless, the round would cost at least 2 (x - h) (y - g) less, and still no less than
the bound. So it costs more than the bound by at least twice the square of the distance from the nearest real group to
the first group beyond the end. The ends are placed far enough away that this exceeds `excess`. (Under `protect_top` the
same holds with the weight of the higher group: see `Field.difference`.)

With many intervals their excess adds up, although each pair can affect only a few of them. Suppose every end is at
least d from the nearest real group, with 2 d² more than three times the largest extra cost of any one interval. Uncross
the pairs that cross ends two by two, each once. Neither x - h nor y - g is less than d; if the two pairs touch k
intervals, there are k - 1 gaps of d or more between these, so together they are (k - 1) d or more. That saves 2 d²
max(1, k - 2), which is more than these k intervals cost. Intervals that no pair touches stay as they are. So `excess`
need not be larger than three times that cost.
"""

from itertools import pairwise
from math import inf

from pairings.engine.bye import Cost, bye_levels
from pairings.engine.field import Field
from pairings.engine.lower_bound import Crossing, Structure
from pairings.engine.solver.reduced_graph import Interval, solve_interval

# An interval's cheapest structure and its cost; None if it cannot be completed.
Part = tuple[Structure, Cost] | None

MARGIN = (
    2  # relaxed groups around the real ones of an interval, at least: with fewer, few intervals can be solved
)


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
        return (
            join_structures(self.bound, intervals, structures) if len(structures) == len(intervals) else None
        )


def add_small_neighbors(field: Field, groups: set[int]) -> set[int]:
    """Add neighboring groups of one or two players, which usually fail next and are in the reduced graph anyway."""
    near = {other for group in groups for other in range(group - MARGIN, group + MARGIN + 1)}
    return groups | {
        group for group in near.intersection(range(len(field.groups))) if len(field.groups[group]) < 3
    }


def intervals_around(field: Field, bound: Structure, real: set[int], excess: float) -> list[Interval]:
    """Return the intervals whose ends are out of reach for pairs from real groups at this excess."""
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
    """Return the intervals' total excess over the bound, at most three times the largest single excess.

    Infinite if an interval can only be completed with a rematch or a more expensive bye, or not at all: then the whole
    field must be solved at once.
    """
    costs = [part[1] for part in parts if part is not None]
    if len(costs) < len(parts):
        return inf
    repeats, *byes, _, _ = map(sum, zip(*costs, strict=True))
    taken = (
        [cost for _, _, cost in bound.open_byes] if any(interval.dummies for interval in intervals) else []
    )
    cheapest = list(map(sum, zip(*taken, strict=True))) or [0] * bye_levels(field)
    if repeats or byes != cheapest:
        return inf
    more = [
        cost[-2]
        - sum(crossing_difference(field, crossing) for crossing in crossings_inside(bound, [interval]))
        for interval, cost in zip(intervals, costs, strict=True)
    ]
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
