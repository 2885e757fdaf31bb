"""The *windows* around real groups: the only places where a cheapest round departs from the lower bound.

Groups in which the bound's structure cannot be played are made real. A window is a run of groups around real ones
whose ends are not crossed by any link of the bound. It is solved by itself (`kernel`); outside the windows the bound's
own links stay. Solved this way, the round costs `excess` more than the bound.

Why nothing cheaper exists, with as many rematches (none) and the same slot costs (the least): take a cheapest round of
the relaxed field. If no pair crosses an end of a window, each window costs at least what was found for it, and the rest
at least the bound. The pairs that cross such an end are even in number, because the players above it are, apart from
takers of slots. Take two of them, x-g and y-h, with x and y above. If x may meet y and g may meet h, uncrossing them
would make the round cheaper (`lower_bound`), a contradiction. So x and y are barred from each other, or g and h. Both
players of that barred pair are then real, and the crossing pairs reach from real groups beyond the end of their window.
Uncrossed regardless, the round would cost at least 2 (x - h) (y - g) less, and still no less than the bound. So it
costs more than the bound by at least twice the square of the distance from the nearest real group to the first group
beyond the end. The ends are placed far enough away that this exceeds `excess`.

(Under `protect_top` the same holds with the weight of the higher group: see `Field.difference`.)

With many windows their excess adds up, although each pair can affect only a few of them. Suppose every end is at least
d from the nearest real group, with 2 d² more than three times the largest extra cost of any one window. Uncross the
pairs that cross ends two by two, each once. Neither x - h nor y - g is less than d; if the two pairs touch k windows,
there are k - 1 gaps of d or more between these, so together they are (k - 1) d or more. That saves 2 d² max(1, k - 2),
which is more than these k windows cost. Windows that no pair touches stay as they are. So `excess` need not be more.
"""

from itertools import pairwise
from math import inf

from pairings.engine.field import Field
from pairings.engine.lower_bound import Cost, Link, Structure
from pairings.engine.solver.kernel import Window, solve_window

# What a window comes to, and its cost; None where it cannot be completed.
Part = tuple[Structure, Cost] | None

MARGIN = 2  # relaxed groups around the real ones of a window, at least: with fewer, few windows can be solved


class WindowSolver:
    """The cheapest structures of one field, for growing sets of real groups.

    windows  those of the last structure
    parts    {window: what it comes to}, so that an unchanged window is solved once
    excess   how much more than the bound the last structure costs; infinite where only the whole field will do
    """

    def __init__(self, field: Field, bound: Structure, count_floats: bool):
        self.field, self.bound, self.count_floats = field, bound, count_floats
        self.parts: dict[Window, Part] = {}
        self.windows: list[Window] = []
        others = len(field.players) - 1
        # Players barred from this many must have a rematch, or get the bye.
        hopeless = any(len(field.barred[i]) >= others for i in field.players)
        self.excess: float = inf if hopeless else 0

    def cheapest_structure(self, real: set[int]) -> Structure | None:
        """Return the cheapest structure with these groups real; None if even that cannot be completed."""
        excess = self.excess if self.excess == inf else 0  # what more freedom could not do, less cannot
        tried: list[Window] = []
        parts: list[Part] = []
        while (windows := windows_around(self.field, self.bound, real, excess)) != tried:
            tried = windows
            self.parts |= {
                window: solve_window(self.field, window, self.count_floats)
                for window in windows
                if window not in self.parts
            }
            parts = [self.parts[window] for window in windows]
            excess = max(excess, excess_of(self.field, self.bound, windows, parts))
        self.windows, self.excess = windows, excess
        structures = [part[0] for part in parts if part is not None]
        return join_structures(self.bound, windows, structures) if len(structures) == len(windows) else None


def add_small_neighbors(field: Field, groups: set[int]) -> set[int]:
    """Add the groups of one or two players next to these groups.

    Small groups usually fail next, and all their members are in the kernel anyway.
    """
    near = {other for group in groups for other in range(group - MARGIN, group + MARGIN + 1)}
    return groups | {
        group for group in near.intersection(range(len(field.groups))) if len(field.groups[group]) < 3
    }


def windows_around(field: Field, bound: Structure, real: set[int], excess: float) -> list[Window]:
    """Return the windows whose ends pairs from real groups cannot reach at this excess."""
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
    takers = frozenset(group for _, group, _ in bound.open_slots)
    if excess == inf or any(takers.intersection(run) and not takers.issubset(run) for run in runs):
        runs = [range(count)]
    if excess == inf:
        takers = frozenset(range(count))
    windows = []
    for run in runs:
        inside = frozenset(real.intersection(run))
        slots = tuple(field.slots) if takers.issubset(run) else ()
        leaving = leaving_counts(field, run, inside, excess)
        windows.append(Window(run, inside, leaving, slots, takers, excess == inf))
    return windows


def crossed_ends(bound: Structure) -> set[int]:
    """Return the ends of groups crossed by a link of the bound; end n is above group n."""
    return {end for upper, lower in bound.links for end in range(-upper, -lower)}


def undivided_runs(field: Field, bound: Structure, windows: list[Window]) -> list[range]:
    """Return the windows and the runs of linked groups: no cheapest round has a pair between two of them."""
    crossed = crossed_ends(bound)
    for window in windows:
        crossed |= set(range(window.groups.start + 1, window.groups.stop))
        crossed -= {window.groups.start, window.groups.stop}
    takers = [group for _, group, _ in bound.open_slots]
    crossed |= set(range(min(takers, default=0) + 1, max(takers, default=0) + 1))
    ends = [end for end in range(len(field.groups) + 1) if end not in crossed]
    return [range(*both) for both in pairwise(ends)]


def in_reach(field: Field, real: int, other: int, excess: float) -> bool:
    """Whether two crossing pairs from a real group to another can be worthwhile at this excess."""
    if abs(real - other) <= MARGIN:
        return True
    return 2 * field.difference(field.groups[real][0], field.groups[other][0]) <= excess


def leaving_counts(field: Field, run: range, real: frozenset[int], excess: float) -> tuple[int, ...]:
    """Return per group how many players may come from above and below: one each, or as many as are pairwise barred."""
    players = {i for group in real for i in field.groups[group]}
    # n pairwise barred players are at least n players who are each barred from the n - 1 others.
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


def excess_of(field: Field, bound: Structure, windows: list[Window], parts: list[Part]) -> float:
    """Return how much more than the bound the windows cost, at most three times the most of any one window.

    Infinite if a window cannot be completed, or only with a rematch or a more expensive taker of a slot; then the whole
    field must be solved at once.
    """
    costs = [part[1] for part in parts if part is not None]
    if len(costs) < len(parts):
        return inf
    repeats, *slots, _, _ = map(sum, zip(*costs, strict=True))
    taken = [cost for _, _, cost in bound.open_slots] if any(window.slots for window in windows) else []
    cheapest = list(map(sum, zip(*taken, strict=True))) or [0] * field.slot_levels
    if repeats or slots != cheapest:
        return inf
    more = [
        cost[-2] - sum(link_difference(field, link) for link in links_inside(bound, [window]))
        for window, cost in zip(windows, costs, strict=True)
    ]
    return min(sum(more), 3 * max(more)) if field.policy.objective == "balance" else sum(more)


def links_inside(bound: Structure, windows: list[Window]) -> list[Link]:
    groups = {group for window in windows for group in window.groups}
    return [link for link in bound.links if -1 - link[0] in groups]


def link_difference(field: Field, link: Link) -> int:
    upper, lower = (field.groups[-1 - end][0] for end in link)
    return field.difference(upper, lower)


def join_structures(bound: Structure, windows: list[Window], structures: list[Structure]) -> Structure:
    replaced = set(links_inside(bound, windows))
    taken = any(window.slots for window in windows)
    whole = Structure(open_slots=[] if taken else list(bound.open_slots))
    for link, floats in zip(bound.links, bound.link_floats, strict=True):
        if link not in replaced:
            whole.links.append(link)
            whole.link_floats.append(floats)
    for part in structures:
        whole.pairs += part.pairs
        whole.slots += part.slots
        whole.links += part.links
        whole.link_floats += part.link_floats
        whole.open_slots += part.open_slots
        whole.size += part.size
    return whole
