"""Disjoint perfect matchings of a small graph: can so many rounds be played? Found, or ruled out.

Every round is a colour, and every vertex needs an edge of each colour. The search asks two kinds of question, the
one with the fewest answers first: which partner has this vertex in this colour; and, where a vertex needs all the
edges it has left, which colour has this edge. Rounds without an edge yet are alike, so one stands for all.

Three arguments spare the search. Whoever has met fewer than half of the others leaves a graph in which everybody can
be paired (Dirac 1952), so dense graphs hold round after round. And a round crosses every cut that has an odd number
of vertices on one side: a cut with fewer edges than rounds rules them out, which no search would see soon. And where
few edges are to spare, the search goes over the sets of those that nobody uses: then all others are needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pairings.engine.rng import Chance

Pairs = Sequence[tuple[int, int]]
Matching = list[tuple[int, int]]
Graph = tuple[int, ...]  # per vertex a bit mask of those it may meet

TRY = 120  # steps of a short search, before cuts are counted


class TooLong(Exception):
    """The search has used up its steps."""


class Budget:
    """Steps left for all searches of one question."""

    def __init__(self, steps: int):
        self.steps = steps

    def spend(self, steps: int = 1) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise TooLong


@dataclass(frozen=True, slots=True)
class Asked:
    """So many rounds. The first has the `taken` pairs, which need be no edges, and none of the `excluded` ones.
    Edges of the vertex `again`, the last one, may be used in any number of rounds."""

    rounds: int
    again: int | None = None
    taken: Pairs = ()
    excluded: Pairs = ()

    def left_of(self, graph: Graph) -> Graph:
        """The graph without the taken pairs."""
        return without(graph, [pair for pair in self.taken if self.again not in pair])


def disjoint_rounds(graph: Graph, asked: Asked, budget: Budget) -> list[Matching] | None:
    """As many disjoint perfect matchings of the graph as asked for, or None if there are none. Raises TooLong."""
    if asked.rounds > 1 and dense(asked.left_of(graph), asked.rounds):
        asked = replace(asked, rounds=1)  # the others follow
    with suppress(TooLong):
        return soon(graph, asked, budget, Chance(0))
    for idle in idle_edges(graph, asked, budget):
        used = without(graph, idle)
        try:
            found = soon(used, asked, budget, Chance(1))
        except TooLong:
            found = None if cut_off(used, asked) else Colouring(used, asked, budget, Chance(2)).solution()
        if found:
            return found
    return None


def soon(graph: Graph, asked: Asked, budget: Budget, chance: Chance) -> list[Matching] | None:
    """The answer of a short search. Raises TooLong where it does not find one."""
    some = Budget(min(TRY, budget.steps))
    budget.steps -= some.steps
    try:
        return Colouring(graph, asked, some, chance).solution()
    finally:
        budget.steps += max(0, some.steps)


def idle_edges(graph: Graph, asked: Asked, budget: Budget) -> Iterator[Matching]:
    """Sets of edges such that every solution leaves all edges of one of them unused.

    Whoever has more edges than rounds to play leaves some unused, and there are only so many to spare.
    """
    masks, playing = list(asked.left_of(graph)), [asked.rounds] * len(graph)
    for v in (v for pair in asked.taken for v in pair):
        playing[v] -= 1
    byes = 0
    if asked.again is not None:
        masks = list(without(masks, [(v, asked.again) for v in range(asked.again)]))
        byes, playing[asked.again] = playing[asked.again], 0
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
                    for more in sets(without(masks, [(v, w)]), less, spare - 1, v, w + 1):
                        yield [(v, w), *more]

    return sets(masks, over, spare, 0, 0)


def dense(graph: Graph, rounds: int) -> bool:
    """Whether all rounds after any first one exist by Dirac's theorem, each matching taken away in turn."""
    return 2 * (min(mask.bit_count() for mask in graph) - rounds + 1) >= len(graph)


def cut_off(graph: Graph, asked: Asked) -> bool:
    """Whether some odd set of vertices has fewer edges to the rest than rounds; the last vertex is never in it.

    Taken pairs count as edges, and edges that can be used again as often as there are rounds.
    """
    masks = list(graph)
    for a, b in asked.taken:
        masks[a] |= 1 << b
        masks[b] |= 1 << a
    crossing = [0]
    for mask in masks[:-1]:
        edges = mask.bit_count()
        if asked.again is not None and mask >> asked.again & 1:
            edges += asked.rounds - 1
        crossing += [
            before + edges - 2 * (mask & inside).bit_count() for inside, before in enumerate(crossing)
        ]
    return any(edges < asked.rounds and inside.bit_count() % 2 for inside, edges in enumerate(crossing))


class Colouring:
    """One search, depth first.

    graph  edges no round has; first: what the first round may have of them
    free   per colour, the vertices without an edge; lacks: per vertex, the colours it lacks
    begun  colours that are not alike any more: those with an edge, and the first if it is restricted
    """

    def __init__(self, graph: Graph, asked: Asked, budget: Budget, chance: Chance):
        self.size, self.rounds, self.again = len(graph), asked.rounds, asked.again
        self.budget = budget
        self.order = chance.shuffled(range(self.size))
        everybody = (1 << self.size) - 1
        self.graph = list(asked.left_of(graph))
        self.first = without([everybody] * self.size, asked.excluded)
        self.free = [everybody] * self.rounds
        self.lacks = [(1 << self.rounds) - 1] * self.size
        self.begun = int(bool(asked.taken or asked.excluded))
        self.found: list[Matching] = [list(asked.taken), *([] for _ in range(self.rounds - 1))]
        for v in (v for pair in asked.taken for v in pair):
            self.free[0] ^= 1 << v
            self.lacks[v] ^= 1

    def solution(self) -> list[Matching] | None:
        return self.found if self._search() else None

    def _search(self) -> bool:
        self.budget.spend()
        answers = self._question()
        if answers is None:
            return True
        for v, w, colour in answers:
            self._toggle(v, w, colour)
            self.found[colour].append((min(v, w), max(v, w)))
            begun, self.begun = self.begun, max(self.begun, colour + 1)
            if self._even(colour) and self._search():
                return True
            self.begun = begun
            self.found[colour].pop()
            self._toggle(v, w, colour)
        return False

    def _toggle(self, v: int, w: int, colour: int) -> None:
        """Give the edge the colour, or take it back."""
        both = 1 << v | 1 << w
        self.free[colour] ^= both
        self.lacks[v] ^= 1 << colour
        self.lacks[w] ^= 1 << colour
        if self.again not in (v, w):
            self.graph[v] ^= 1 << w
            self.graph[w] ^= 1 << v

    def _even(self, colour: int) -> bool:
        """Whether the vertices this colour still lacks fall into parts of even size."""
        left = self.free[colour]
        while left:
            part = reached = left & -left
            while reached:
                v = (reached & -reached).bit_length() - 1
                reached &= reached - 1
                new = self._partners(v, colour) & left & ~part
                part |= new
                reached |= new
            if part.bit_count() % 2:
                return False
            left &= ~part
        return True

    def _partners(self, v: int, colour: int) -> int:
        """A mask of those v may have in this colour."""
        mask = self.graph[v] & self.free[colour]
        return mask if colour else mask & self.first[v]

    def _question(self) -> list[tuple[int, int, int]] | None:
        """The answers (v, w, colour) to the question that has the fewest; None where all is answered."""
        fewest, best = 1 << 30, None
        colours = min(self.rounds, self.begun + 1)
        for colour in range(colours):
            free = self.free[colour]
            for v in self.order:
                if free >> v & 1:
                    partners = self._partners(v, colour)
                    count = partners.bit_count()
                    if count < fewest:
                        fewest, best = count, (v, colour, partners)
                        if count < 2:
                            break
            if fewest < 2:
                break
        if fewest and (edge := self._needed_edge(fewest)) is not None:
            return edge
        if best is None:
            return None
        v, colour, partners = best
        return [(v, w, colour) for w in self.order if partners >> w & 1]

    def _needed_edge(self, fewest: int) -> list[tuple[int, int, int]] | None:
        """As `_question`, of edges that a vertex cannot do without; None where no such has fewer answers.

        An empty list where some vertices have fewer edges than they need.
        """
        best = None
        alike = (1 << min(self.rounds, self.begun + 1)) - 1  # of the colours not begun, one
        byes = 0 if self.again is None else 1 << self.again
        idle = 0
        asked = byes
        for v in self.order:
            mask, lacks = self.graph[v], self.lacks[v]
            spare = (mask & ~byes).bit_count() - lacks.bit_count()
            if spare > 0 or v == self.again:
                continue
            if mask & byes:
                idle -= spare
                continue
            if spare < 0:
                return []
            others = mask & ~asked
            asked |= 1 << v
            while others and fewest > 1:
                w = (others & -others).bit_length() - 1
                others &= others - 1
                colours = lacks & self.lacks[w] & alike
                if colours & 1 and not self.first[v] >> w & 1:
                    colours ^= 1
                if colours.bit_count() < fewest:
                    fewest, best = colours.bit_count(), (v, w, colours)
        if self.again is not None and idle > self.lacks[self.again].bit_count():
            return []
        if best is None:
            return None
        v, w, colours = best
        return [(v, w, colour) for colour in range(self.rounds) if colours >> colour & 1]


def without(graph: Sequence[int], pairs: Pairs) -> Graph:
    """The graph without these edges."""
    masks = list(graph)
    for a, b in pairs:
        masks[a] &= ~(1 << b)
        masks[b] &= ~(1 << a)
    return tuple(masks)
