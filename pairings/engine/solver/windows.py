"""Where a cheapest round departs from the lower bound: in *windows* around the real groups, and nowhere else.

Groups in which the bound's structure cannot be played are made real. A window is a run of groups around real ones
whose ends lie where no link of the bound crosses. It is solved by itself (`kernel`); outside of the windows the
bound's own links stand. Solved so, the round costs `excess` more than the bound.

Why nothing cheaper exists, of the same repeats (none) and the same slot costs (the least). Take a cheapest round of
the relaxed field. If no pair crosses an end of a window, each window costs what was found in it, or more, and the
rest what the bound says, or more. If pairs do cross such an end, they are even in number, as the players above are,
takers aside. Take two of them, x-g and y-h, with x and y above. If x may meet y and g may meet h, uncrossing them
would make the round cheaper (`structure`), which cannot be. So x and y are barred from each other, or g and h; both
of these are real then, and the pairs reach from real groups over the end of their window. Uncrossed with no regard
for that, the round would cost at least 2 (x - h) (y - g) less, and still no less than the bound. So it costs more
than the bound by twice the square of the distance from the nearest real group to the first group beyond the end, or
by more than that. The ends are chosen so far out that this exceeds `excess`.

(Under `protect_top` the same holds with the weight of the higher group: see `Field.difference`.)

With many windows their excess adds up, while each pair can do without few of them. Say every end is at least d from
the nearest real group, with 2 d² more than thrice the most that any one window costs more. Uncross the pairs that
cross ends two by two, each once. Neither x - h nor y - g is less than d; where the two pairs touch k windows, there
are k - 1 spaces of d or more between these, so together they are (k - 1) d or more. That saves 2 d² max(1, k - 2),
which is more than these k windows cost. Windows that no pair touches stay as they are. So `excess` need not be more.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf

from pairings.engine.field import Field
from pairings.engine.lower_bound import Cost, Structure
from pairings.engine.rng import Chance
from pairings.engine.solver.kernel import Window, cheapest_structure

# What a window comes to, and its cost; None where it cannot be completed.
Part = tuple[Structure, Cost] | None

MARGIN = 2  # relaxed groups around the real ones of a window, at least: with fewer, few windows can be solved


class Departures:
    """The cheapest structures of one field, for growing sets of real groups."""

    def __init__(self, field: Field, bound: Structure, chance: Chance, sparing: bool):
        self.field, self.bound, self.chance, self.sparing = field, bound, chance, sparing
        self.known: dict[Window, Part] = {}
        self.windows: list[Window] = []  # of the last structure
        others = len(field.players) - 1
        # Whoever is barred from so many repeats, or takes the bye: nothing short of the whole field will do.
        self.excess: float = inf if any(len(field.barred[i]) >= others for i in field.players) else 0

    def cheapest(self, real: set[int]) -> Structure | None:
        """The cheapest structure with these groups real. None: not even that can be completed."""
        excess = self.excess if self.excess == inf else 0  # what more freedom could not do, less cannot
        tried: list[Window] = []
        parts: list[Part] = []
        while (windows := around(self.field, self.bound, real, excess)) != tried:
            tried = windows
            self.known |= {
                window: cheapest_structure(self.field, window, self.sparing, self.chance)
                for window in windows
                if window not in self.known
            }
            parts = [self.known[window] for window in windows]
            excess = max(excess, excess_over(self.field, self.bound, windows, parts))
        self.windows, self.excess = windows, excess
        found = [part[0] for part in parts if part is not None]
        return joined(self.bound, windows, found) if len(found) == len(windows) else None


def with_small_neighbours(field: Field, groups: set[int]) -> set[int]:
    """These groups, and those next to them of one or two: soon in the way too, and all of them in the kernel anyway."""
    near = {other for group in groups for other in range(group - MARGIN, group + MARGIN + 1)}
    return groups | {
        group for group in near.intersection(range(len(field.groups))) if len(field.groups[group]) < 3
    }


def around(field: Field, bound: Structure, real: set[int], excess: float) -> list[Window]:
    """The windows whose ends are out of reach for pairs from real groups, at such an excess."""
    count, crossed = len(field.groups), crossed_ends(bound)
    runs: list[range] = []
    for group in sorted(real):
        above = (end for end in range(group, 0, -1) if end not in crossed)
        below = (end for end in range(group + 1, count) if end not in crossed)
        first = next((end for end in above if not near(field, group, end - 1, excess)), 0)
        last = next((end for end in below if not near(field, group, end, excess)), count)
        while runs and first < runs[-1].stop:
            before = runs.pop()
            first, last = min(first, before.start), max(last, before.stop)
        runs.append(range(first, last))
    takers = frozenset(group for _, group, _ in bound.open_slots)
    if excess == inf or any(takers.intersection(run) and not takers.issubset(run) for run in runs):
        runs = [range(count)]
    if excess == inf:
        takers = frozenset(range(count))
    slots = range(len(bound.open_slots))
    windows = []
    for run in runs:
        inside = frozenset(real.intersection(run))
        some = slots if takers.issubset(run) else range(0)
        windows.append(Window(run, inside, leaving(field, run, inside, excess), some, takers, excess == inf))
    return windows


def crossed_ends(bound: Structure) -> set[int]:
    """The ends of groups that a link of the bound crosses; the end n lies above the group n."""
    return {end for upper, lower in bound.links for end in range(-upper, -lower)}


def undivided(field: Field, bound: Structure, windows: list[Window]) -> list[range]:
    """Runs of groups between whose ends no cheapest round has a pair: the windows, and those that links connect."""
    crossed = crossed_ends(bound)
    for window in windows:
        crossed |= set(range(window.groups.start + 1, window.groups.stop))
        crossed -= {window.groups.start, window.groups.stop}
    takers = [group for _, group, _ in bound.open_slots]
    crossed |= set(range(min(takers, default=0) + 1, max(takers, default=0) + 1))
    ends = [end for end in range(len(field.groups) + 1) if end not in crossed]
    return [range(*both) for both in pairwise(ends)]


def near(field: Field, real: int, other: int, excess: float) -> bool:
    """Whether two pairs that cross, from a real group to another, may be worth it at such an excess."""
    if abs(real - other) <= MARGIN:
        return True
    return 2 * field.difference(field.groups[real][0], field.groups[other][0]) <= excess


def leaving(field: Field, run: range, real: frozenset[int], excess: float) -> tuple[int, ...]:
    """Per group, how many may come from above and from below: one each, or as many as can be barred from each other."""
    names = {i for group in real for i in field.groups[group]}
    # So many pairwise barred players are at least so many who are each barred from all of the others.
    barred = sorted((len(names.intersection(field.barred[i])) for i in names), reverse=True)
    together = sum(others >= number for number, others in enumerate(barred))
    one_more = int(excess == inf)  # of a relaxed group, with whom real players are known to repeat
    numbers = []
    for group in run:
        number = 0
        for side in (range(run.start, group), range(group + 1, run.stop)):
            there = real.intersection(side)
            many = any(near(field, other, group, excess) for other in there)
            players = sum(len(field.groups[other]) for other in there)
            number += max(1, min(players, together) + one_more) if many else 1
        numbers.append(number)
    return tuple(numbers)


def excess_over(field: Field, bound: Structure, windows: list[Window], parts: list[Part]) -> float:
    """How much the score differences in the windows cost more than the bound; if that is less, thrice the most of one.

    More than anything where a window cannot be completed, or only with a repeat or a dearer taker of a slot: then
    nothing short of the whole field will do.
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
        cost[-2] - sum(difference_of(field, link) for link in inside(bound, [window]))
        for window, cost in zip(windows, costs, strict=True)
    ]
    return min(sum(more), 3 * max(more)) if field.policy.objective == "balance" else sum(more)


def inside(bound: Structure, windows: list[Window]) -> list[tuple[int, int]]:
    """The links of the bound between groups of the windows."""
    groups = {group for window in windows for group in window.groups}
    return [link for link in bound.links if -1 - link[0] in groups]


def difference_of(field: Field, link: tuple[int, int]) -> int:
    """The cost of the score difference between two groups."""
    upper, lower = (field.groups[-1 - end][0] for end in link)
    return field.difference(upper, lower)


def joined(bound: Structure, windows: list[Window], found: list[Structure]) -> Structure:
    """The structures of the windows, and between them the bound's."""
    replaced = set(inside(bound, windows))
    taken = any(window.slots for window in windows)
    whole = Structure(open_slots=[] if taken else list(bound.open_slots))
    for link, again in zip(bound.links, bound.again, strict=True):
        if link not in replaced:
            whole.links.append(link)
            whole.again.append(again)
    for part in found:
        whole.pairs += part.pairs
        whole.slots += part.slots
        whole.links += part.links
        whole.again += part.again
        whole.open_slots += part.open_slots
        whole.size += part.size
    return whole
