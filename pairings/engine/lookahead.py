"""Look-ahead for small fields: no round makes a later planned round impossible if that can be avoided.

Another k rounds can be played without a rematch exactly if the graph of players who may still meet contains k disjoint
perfect matchings: each round is a color, and every vertex needs an edge of each color. In an odd field the bye is one
more vertex. In the *strict* graph no player gets a second bye; in the *loose* one a player may get several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from pairings.engine.field import Field
from pairings.engine.rng import Rng

Pairs = Sequence[tuple[int, int]]
Matching = list[tuple[int, int]]
Graph = tuple[int, ...]  # per vertex, a bit mask of those it may meet

SHORT = 120  # steps of a short search, before cuts are counted


class TooLong(Exception):
    pass


class Budget:
    def __init__(self, steps: int):
        self.steps = steps

    def spend(self, steps: int = 1) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise TooLong

    @contextmanager
    def part(self, steps: int) -> Iterator[Budget]:
        """Lend at most this many steps to one search; unused steps come back."""
        part = Budget(min(steps, self.steps))
        self.steps -= part.steps
        try:
            yield part
        finally:
            self.steps += max(0, part.steps)


@dataclass(frozen=True, slots=True)
class Demand:
    rounds: int
    reusable: int | None = None  # the last vertex, if its edges may be used in any number of rounds (the bye)
    fixed: Pairs = ()  # pairs the first round has, which need be no edges of the graph
    excluded: Pairs = ()  # pairs the first round does not have

    def free_graph(self, graph: Graph) -> Graph:
        return remove_edges(graph, [pair for pair in self.fixed if self.reusable not in pair])


def disjoint_rounds(graph: Graph, demand: Demand, budget: Budget) -> list[Matching] | None:
    """Return the disjoint perfect matchings (only the first in a dense graph), or None. Raises TooLong."""
    if demand.rounds > 1 and is_dense(demand.free_graph(graph), demand.rounds):
        demand = replace(demand, rounds=1)
    with suppress(TooLong), budget.part(SHORT) as part:
        return Coloring(graph, demand, part, Rng(0)).solution()
    for idle in idle_edges(graph, demand, budget):
        used = remove_edges(graph, idle)
        try:
            with budget.part(SHORT) as part:
                rounds = Coloring(used, demand, part, Rng(1)).solution()
        except TooLong:
            rounds = None if has_odd_cut(used, demand) else Coloring(used, demand, budget, Rng(2)).solution()
        if rounds:
            return rounds
    return None


def idle_edges(graph: Graph, demand: Demand, budget: Budget) -> Iterator[Matching]:
    """Yield sets of edges that may be spared. In every solution, at least one of these sets is completely unused."""
    masks, playing = list(demand.free_graph(graph)), [demand.rounds] * len(graph)
    for v in (v for pair in demand.fixed for v in pair):
        playing[v] -= 1
    byes, reusable = 0, demand.reusable
    if reusable is not None:
        masks = list(remove_edges(masks, [(v, reusable) for v in range(reusable)]))
        byes, playing[reusable] = playing[reusable], 0
    over = [max(0, mask.bit_count() - needed) for mask, needed in zip(masks, playing, strict=True)]
    spare = (sum(mask.bit_count() for mask in masks) - sum(playing) + byes) // 2

    def sets(masks: Sequence[int], over: list[int], spare: int, v: int, after: int) -> Iterator[Matching]:
        budget.spend()
        if sum(over) > 2 * spare:
            return
        while v < len(over) and not over[v]:
            v, after = v + 1, 0
        if v == len(over):
            yield []
        else:
            for w in range(after, len(over)):
                if masks[v] >> w & 1:
                    less = [count - (count > 0 and u in (v, w)) for u, count in enumerate(over)]
                    for more in sets(remove_edges(masks, [(v, w)]), less, spare - 1, v, w + 1):
                        yield [(v, w), *more]

    return sets(masks, over, spare, 0, 0)


def is_dense(graph: Graph, rounds: int) -> bool:
    """Whether all further rounds exist by Dirac's theorem, whatever the first round is."""
    return 2 * (min(mask.bit_count() for mask in graph) - rounds + 1) >= len(graph)


def has_odd_cut(graph: Graph, demand: Demand) -> bool:
    """Whether an odd set of vertices (without the last vertex) has fewer edges to the rest than there are rounds."""
    masks = list(graph)
    for a, b in demand.fixed:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    crossing = [0]
    for mask in masks[:-1]:
        edges = mask.bit_count()
        if demand.reusable is not None and mask >> demand.reusable & 1:
            edges += demand.rounds - 1
        crossing += [old + edges - 2 * (mask & inside).bit_count() for inside, old in enumerate(crossing)]
    return any(edges < demand.rounds and inside.bit_count() % 2 for inside, edges in enumerate(crossing))


class Coloring:
    """One depth-first search.

    graph  edges not yet in any round
    first  the edges that the first round may use
    free   per color, the vertices without an edge of it
    lacks  per vertex, the colors it lacks
    begun  colors no longer interchangeable: those with an edge, and the first if it is restricted
    """

    def __init__(self, graph: Graph, demand: Demand, budget: Budget, rng: Rng):
        self.size, self.count, self.reusable = len(graph), demand.rounds, demand.reusable
        self.budget = budget
        self.order = rng.permutation(range(self.size))
        everyone = (1 << self.size) - 1
        self.graph = list(demand.free_graph(graph))
        self.first = remove_edges([everyone] * self.size, demand.excluded)
        self.free = [everyone] * self.count
        self.lacks = [(1 << self.count) - 1] * self.size
        self.begun = int(bool(demand.fixed or demand.excluded))
        self.rounds: list[Matching] = [list(demand.fixed), *([] for _ in range(self.count - 1))]
        for v in (v for pair in demand.fixed for v in pair):
            self.free[0] ^= 1 << v
            self.lacks[v] ^= 1

    def solution(self) -> list[Matching] | None:
        return self.rounds if self._search() else None

    def _search(self) -> bool:
        self.budget.spend()
        choices = self._fewest_choices()
        if choices is None:
            return True
        for v, w, color in choices:
            self._toggle(v, w, color)
            self.rounds[color].append((min(v, w), max(v, w)))
            begun, self.begun = self.begun, max(self.begun, color + 1)
            if self._parts_are_even(color) and self._search():
                return True
            self.begun = begun
            self.rounds[color].pop()
            self._toggle(v, w, color)
        return False

    def _toggle(self, v: int, w: int, color: int) -> None:
        both = 1 << v | 1 << w
        self.free[color] ^= both
        self.lacks[v] ^= 1 << color
        self.lacks[w] ^= 1 << color
        if self.reusable not in (v, w):
            self.graph[v] ^= 1 << w
            self.graph[w] ^= 1 << v

    def _parts_are_even(self, color: int) -> bool:
        left = self.free[color]
        while left:
            part = reached = left & -left
            while reached:
                v = (reached & -reached).bit_length() - 1
                reached &= reached - 1
                new = self._partners(v, color) & left & ~part
                part |= new
                reached |= new
            if part.bit_count() % 2:
                return False
            left &= ~part
        return True

    def _partners(self, v: int, color: int) -> int:
        mask = self.graph[v] & self.free[color]
        return mask if color else mask & self.first[v]

    def _fewest_choices(self) -> list[tuple[int, int, int]] | None:
        """Return the choices (v, w, color) at the point with the fewest; None if nothing is left to choose."""
        fewest, best = 1 << 30, None
        colors = min(self.count, self.begun + 1)
        for color in range(colors):
            free = self.free[color]
            for v in self.order:
                if free >> v & 1:
                    partners = self._partners(v, color)
                    count = partners.bit_count()
                    if count < fewest:
                        fewest, best = count, (v, color, partners)
                        if count < 2:
                            break
            if fewest < 2:
                break
        if fewest and (choices := self._needed_edge_choices(fewest)) is not None:
            return choices
        if best is None:
            return None
        v, color, partners = best
        return [(v, w, color) for w in self.order if partners >> w & 1]

    def _needed_edge_choices(self, fewest: int) -> list[tuple[int, int, int]] | None:
        """Return the colors of the needed edge with the fewest, below `fewest`, else None; [] if one is missing."""
        best = None
        alike = (1 << min(self.count, self.begun + 1)) - 1  # of the colors not begun, one
        byes = 0 if self.reusable is None else 1 << self.reusable
        idle = 0
        done = byes
        for v in self.order:
            mask, lacks = self.graph[v], self.lacks[v]
            spare = (mask & ~byes).bit_count() - lacks.bit_count()
            if spare > 0 or v == self.reusable:
                continue
            if mask & byes:
                idle -= spare
                continue
            if spare < 0:
                return []
            others = mask & ~done
            done |= 1 << v
            while others and fewest > 1:
                w = (others & -others).bit_length() - 1
                others &= others - 1
                colors = lacks & self.lacks[w] & alike
                if colors & 1 and not self.first[v] >> w & 1:
                    colors ^= 1
                if colors.bit_count() < fewest:
                    fewest, best = colors.bit_count(), (v, w, colors)
        if self.reusable is not None and idle > self.lacks[self.reusable].bit_count():
            return []
        if best is None:
            return None
        v, w, colors = best
        return [(v, w, color) for color in range(self.count) if colors >> color & 1]


def remove_edges(graph: Sequence[int], pairs: Pairs) -> Graph:
    masks = list(graph)
    for a, b in pairs:
        masks[a] &= ~(1 << b)
        masks[b] &= ~(1 << a)
    return tuple(masks)


LARGEST = 16  # entrants
STEPS = 10_000  # of the search for what can be kept; past them nothing is claimed to be proven


def feasible_rounds(players: int) -> int:
    """Return how many rounds this many players can play without a rematch, the bye counting as an opponent."""
    return 0 if players < 2 else players - 1 + players % 2


@dataclass(frozen=True, slots=True)
class Feasibility:
    """How many (`count`) of the `later` planned rounds can be played without a rematch."""

    later: int
    count: int
    strict: bool  # whether all of them and this one can be played without a second bye, too
    proven: bool = True  # False where the search was cut short: then more might have been possible

    @property
    def lost(self) -> int:
        return self.later - self.count


class Calendar:
    """The remaining rounds of a small field, as disjoint matchings. Vertex n of an odd field is the bye.

    later    planned rounds after this one that need a look-ahead
    most     how many of them can be kept at best
    witness  the cheapest round (by `price`) that `is_possible` has found, including locked pairs; it is played if the
             search for the best round is given up
    """

    def __init__(self, field: Field):
        self.field = field
        self.size = len(field.ids)
        self.bye = self.size if self.size % 2 else None
        self.later = count_later_rounds(field)
        self.most = min(self.later, feasible_rounds(self.size))
        self.witness: Matching = []
        self.price: Callable[[Matching], tuple[int, ...]] = lambda round_: ()
        self.locked = [(a, self.size if b is None else b) for a, b in field.locked]

    def graph(self, strict: bool) -> Graph:
        """Return the possible meetings without a rematch; if `strict`, also without a second bye."""
        field = self.field
        everyone = (1 << self.size) - 1
        masks = [everyone & ~(1 << i) for i in range(self.size)]
        for i, barred in enumerate(field.barred_later):
            for j in barred:
                masks[i] &= ~(1 << j)
        houses = sum(1 << i for i, house in enumerate(field.house) if house)
        for i, house in enumerate(field.house):
            if house:
                masks[i] &= ~houses
        if self.bye is None:
            return tuple(masks)
        no_bye = [house or (strict and byes > 0) for house, byes in zip(field.house, field.byes, strict=True)]
        for i, never in enumerate(no_bye):
            masks[i] |= 0 if never else 1 << self.bye
        return (*masks, sum(1 << i for i, never in enumerate(no_bye) if not never))

    def most_feasible(self) -> Feasibility:
        """Return the largest number of later rounds that any choice of this round keeps possible."""
        proven = True
        even = self.bye is None  # without byes, strict and loose are the same
        for count, strict in self._choices(not even):
            feasibility = Feasibility(self.later, count, strict or even, proven)
            try:
                if self.is_possible(feasibility, Budget(STEPS // 2)):
                    return feasibility
            except TooLong:
                proven = False
        return Feasibility(self.later, 0, even, proven)

    def is_possible(
        self, feasibility: Feasibility, budget: Budget, fixed: Pairs = (), excluded: Pairs = ()
    ) -> bool:
        """Whether a round with `fixed` and without `excluded` pairs keeps that many later rounds. Raises TooLong."""
        reusable = None if feasibility.strict else self.bye
        graph = self.graph(feasibility.strict)
        if any(b == self.bye and not graph[a] >> b & 1 for a, b in fixed):
            return False  # a second bye in the round itself
        demand = Demand(feasibility.count + 1, reusable, [*self.locked, *fixed], excluded)
        rounds = disjoint_rounds(graph, demand, budget)
        if rounds and (not self.witness or self.price(rounds[0]) < self.price(self.witness)):
            self.witness = rounds[0]
        return rounds is not None

    def losses_after(self, pairs: Pairs) -> tuple[int, int]:
        """Return the cost of this round for later ones: (rounds that need a rematch, 1 if one needs a second bye)."""
        strict_graph = self.graph(True)
        spared = self.bye is None or all(strict_graph[a] >> self.bye & 1 for a, b in pairs if b == self.bye)
        for count, strict in self._choices(spared):
            reusable = None if strict else self.bye
            left = remove_edges(self.graph(strict), [both for both in pairs if reusable not in both])
            with suppress(TooLong):  # then it is not known to be possible
                if disjoint_rounds(left, Demand(count, reusable), Budget(STEPS // 2)) is not None:
                    return self.later - count, int(not strict)
        return self.later, 1

    def _choices(self, strict: bool) -> list[tuple[int, bool]]:
        choices = [(count, False) for count in range(self.most, 0, -1)]
        return [(self.later, True), *choices] if strict and self.most == self.later else choices


def count_later_rounds(field: Field) -> int:
    """Return how many planned rounds after this one need a look-ahead; 0 if nothing can go wrong."""
    policy = field.policy
    planned, players = policy.planned_rounds or 0, len(field.ids)
    if players > LARGEST or 2 * planned <= players:
        return 0
    return max(0, planned - policy.round)
