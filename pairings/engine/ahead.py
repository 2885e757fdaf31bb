"""Look-ahead for small fields: no round makes a later planned round impossible while that is avoidable.

Take the graph of who may still meet whom. Another k rounds can be played without a repeat exactly if it holds
k disjoint perfect matchings. In an odd field the bye is one more vertex: *strictly* it meets nobody twice,
which also spares everybody a second bye; *loosely* it may take anybody again and again.

Before the round is chosen, `Calendar.best` finds how many later rounds can be kept at all. The round then is
the cheapest of those that keep them, found by branch and bound: the cheapest matching of all is tried first.
If it keeps them, nothing is cheaper. If not, some of its pairs together are to blame: take the first pairs
p1 … pi that no keeping round contains. A keeping round lacks one of them, so it has p1 … p(j-1) and lacks pj
for one j <= i: these are the branches, each again a matching problem and never dearer than what it contains.
They are looked at cheapest first; the first matching that keeps the later rounds is therefore the best.

With more than 16 entrants, or at most half as many rounds as entrants, all this is needless: whoever has met
fewer than half of the others leaves a graph in which everybody can be paired (Dirac 1952).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pairings.engine.chance import Chance
from pairings.engine.exact import Edge
from pairings.engine.field import Field

LARGEST = 16  # entrants
STEPS = 12_000  # of each of the two searches in one call; past them nothing is claimed to be proved
STEPS_A_TRY = 600  # of one question within the second search

Pairs = Sequence[tuple[int, int]]
Matching = list[tuple[int, int]]
Graph = tuple[int, ...]  # per vertex a bit mask of those it may meet


class TooLong(Exception):
    """The search has used up its steps."""


def feasible_rounds(players: int) -> int:
    """How many rounds so many players can play without a repeat: everybody once, the bye included."""
    return 0 if players < 2 else players - 1 + players % 2


def too_many_rounds(players: int, rounds: int) -> str:
    """One sentence where the players cannot play so many rounds without a repeat; else ""."""
    most = feasible_rounds(players)
    if rounds <= most:
        return ""
    return f"{players} players cannot play {rounds} rounds without a repeat; at most {most}."


@dataclass(frozen=True, slots=True)
class Ahead:
    """What can be kept: `later` planned rounds, `kept` of them without a repeat.

    strict  whether all of them and this one can be played without a second bye too
    proved  False where the search was cut short: then more might have been possible
    """

    later: int
    kept: int
    strict: bool
    proved: bool = True

    @property
    def lost(self) -> int:
        """Later planned rounds that need a repeat."""
        return self.later - self.kept


class Calendar:
    """The rounds still to come in a small field, as disjoint matchings. Vertex n of an odd field is the bye."""

    def __init__(self, field: Field):
        self.field = field
        self.size = len(field.entrants)
        self.bye = self.size if self.size % 2 else None
        self.later = later_rounds(field)
        self.steps = STEPS
        self.order = Chance(0)  # in which order partners are tried; never what is found
        self.known: dict[tuple[Graph, int, bool], bool] = {}
        # The cheapest of the rounds that `possible` came upon, locked pairs included: what to play where the
        # search for the best one must be given up.
        self.witness: Matching = []
        self.price: Callable[[Matching], tuple[int, ...]] = lambda whole: ()
        self.locked = [(a, self.size if b is None else b) for a, b in field.locked]

    def graph(self, strict: bool) -> Graph:
        """Who may meet whom without a repeat; strictly, also without a second bye."""
        field = self.field
        everybody = (1 << self.size) - 1
        masks = [everybody & ~(1 << i) for i in range(self.size)]
        for i, barred in enumerate(field.barred):
            for j in barred:
                masks[i] &= ~(1 << j)
        houses = sum(1 << i for i, entrant in enumerate(field.entrants) if entrant.house)
        for i, entrant in enumerate(field.entrants):
            if entrant.house:
                masks[i] &= ~houses
        if self.bye is None:
            return tuple(masks)
        taken = [entrant.house or (strict and entrant.byes > 0) for entrant in field.entrants]
        for i, never in enumerate(taken):
            masks[i] |= 0 if never else 1 << self.bye
        return (*masks, sum(1 << i for i, never in enumerate(taken) if not never))

    def best(self) -> Ahead:
        """The most that can be kept, whatever this round will be."""
        proved = True
        even = self.bye is None  # without byes, strict and loose are the same
        choices = [(self.later, True)] + [(kept, even) for kept in range(self.later, 0, -1)]
        for kept, strict in choices[even:]:
            self.steps = STEPS // len(choices)
            try:
                if self.possible((), frozenset(), kept, strict):
                    return Ahead(self.later, kept, strict, proved)
            except TooLong:
                proved = False
        return Ahead(self.later, 0, even, proved)

    def possible(self, fixed: Pairs, excluded: frozenset, kept: int, strict: bool) -> bool:
        """Whether a round without repeats but for locked pairs, with the `fixed` and without the `excluded`
        pairs, leaves `kept` later rounds. Raises TooLong."""
        graph = self.graph(strict)
        chosen = [*self.locked, *fixed]
        left = (1 << len(graph)) - 1
        for a, b in chosen:
            left &= ~(1 << a | 1 << b)
        if self.hopeless(self.after(graph, chosen, strict), kept, strict, left):
            return False
        now = without(graph, tuple(excluded))
        for rest in self.matchings(now, left):
            if self.packs(self.after(graph, [*chosen, *rest], strict), kept, strict):
                whole = [*chosen, *rest]
                if not self.witness or self.price(whole) < self.price(self.witness):
                    self.witness = whole
                return True
        return False

    def keeps(self, pairs: Pairs, ahead: Ahead) -> bool:
        """Whether this round, locked pairs left out, is known to keep what can be kept."""
        self.steps = STEPS_A_TRY
        try:
            return self.possible(pairs, frozenset(), ahead.kept, ahead.strict)
        except TooLong:
            return False

    def lost_by(self, pairs: Pairs) -> tuple[int, int]:
        """(later rounds that need a repeat after this whole round, whether a second bye is needed: 0 or 1)."""
        lost = 0
        strict = self.graph(True)
        spared = self.bye is None or all(strict[a] >> self.bye & 1 for a, b in pairs if b == self.bye)
        for kept, strictly in [(self.later, True)] + [(kept, False) for kept in range(self.later, 0, -1)]:
            if strictly and not spared:
                continue
            self.steps = STEPS // (self.later + 1)
            graph = self.after(self.graph(strictly), pairs, strictly)
            try:
                if self.packs(graph, kept, strictly or self.bye is None):
                    return lost, int(not strictly)
            except TooLong:
                pass  # not known to be possible
            lost = self.later - kept + 1 - strictly
        return self.later, 1

    def after(self, graph: Graph, pairs: Pairs, strict: bool) -> Graph:
        """The graph once these have met; loosely, the bye can be had again."""
        return without(graph, pairs if strict else [(a, b) for a, b in pairs if b != self.bye])

    def matchings(self, graph: Sequence[int], left: int) -> Iterator[Matching]:
        """Every perfect matching of the vertices in the mask `left`; the hardest to match goes first."""
        if not left:
            yield []
            return
        self.steps -= 1
        if self.steps < 0:
            raise TooLong
        hardest = min(bits(left), key=lambda v: (graph[v] & left).bit_count())
        for other in self.order.shuffled(bits(graph[hardest] & left)):
            for rest in self.matchings(graph, left & ~(1 << hardest | 1 << other)):
                yield [(min(hardest, other), max(hardest, other)), *rest]

    def packs(self, graph: Graph, wanted: int, strict: bool) -> bool:
        """Whether the graph holds `wanted` disjoint perfect matchings."""
        if not wanted:
            return True
        if self.hopeless(graph, wanted, strict):
            return False
        fewest = min(mask.bit_count() for mask in graph)
        if 2 * (fewest - wanted + 1) >= len(graph):
            return True  # Dirac, for each matching taken away in turn
        key = (graph, wanted, strict)
        if key not in self.known:
            self.known[key] = self._packs(graph, wanted, strict)
        return self.known[key]

    def hopeless(self, graph: Graph, wanted: int, strict: bool, now: int = 0) -> bool:
        """Whether a mere count rules out so many rounds, and one more for the vertices in the mask `now`.

        Strictly everybody needs a new opponent (or the bye) each round. Loosely, who runs out of opponents
        needs byes, and there is one a round.
        """
        needed = [wanted + (now >> v & 1) for v in range(len(graph))]
        if strict:
            return any(mask.bit_count() < need for mask, need in zip(graph, needed, strict=True))
        real = (1 << self.size) - 1
        idle = sum(max(0, needed[v] - (graph[v] & real).bit_count()) for v in range(self.size))
        return idle > needed[self.size]

    def _packs(self, graph: Graph, wanted: int, strict: bool) -> bool:
        """One vertex with few choices: each of its edges in turn is in one of the matchings, or in none."""
        real = (1 << self.size) - 1
        vertex = min(range(self.size), key=lambda v: (graph[v] & real).bit_count())
        others = bits(graph[vertex] & real) or bits(graph[vertex])
        if strict:
            others = bits(graph[vertex])
        everybody = (1 << len(graph)) - 1
        for tried, other in enumerate(others):
            if strict and len(others) - tried < wanted:
                return False
            for rest in self.matchings(graph, everybody & ~(1 << vertex | 1 << other)):
                matching = [(vertex, other), *rest]
                if self.packs(self.after(graph, matching, strict), wanted - 1, strict):
                    return True
            graph = without(graph, [(vertex, other)])
        if strict or self.bye is None or not graph[vertex] >> self.bye & 1:
            return False
        # All the vertex's real edges are in no matching: it would have the bye in every one of them.
        return self.packs(graph, wanted, strict)


def later_rounds(field: Field) -> int:
    """How many planned rounds after this one need looking ahead to; 0 where nothing can go wrong."""
    policy = field.policy
    planned, players = policy.planned_rounds or 0, len(field.entrants)
    if players > LARGEST or 2 * planned <= players:
        return 0
    return max(0, planned - policy.round)


def without(graph: Sequence[int], pairs: Pairs) -> Graph:
    """The graph without these edges."""
    masks = list(graph)
    for a, b in pairs:
        masks[a] &= ~(1 << b)
        masks[b] &= ~(1 << a)
    return tuple(masks)


def bits(mask: int) -> list[int]:
    """The positions of the bits set."""
    return [position for position in range(mask.bit_length()) if mask >> position & 1]


def cheapest_keeping(
    calendar: Calendar,
    ahead: Ahead,
    edges: Sequence[Edge],
    solve: Callable[[list[Edge]], tuple[tuple[int, ...], Matching] | None],
    called: Callable[[int], int],
) -> tuple[Matching, bool]:
    """The cheapest matching over `edges` that keeps what `ahead` says can be kept, and whether it is proved.

    `solve` finds the cheapest matching of some of the edges and its cost; `called` says which of the
    calendar's vertices a vertex of the edges is. Raises TooLong where none was found in the steps allowed.
    """
    steps, proved = STEPS, True
    queue: list[tuple[tuple[int, ...], int, Matching, Matching, frozenset]] = []
    count = 0

    def look_at(fixed: Matching, excluded: frozenset) -> None:
        nonlocal count
        partner = dict(fixed) | {v: u for u, v in fixed}
        allowed = [
            edge
            for edge in edges
            if partner.get(edge[0], edge[1]) == edge[1]
            and partner.get(edge[1], edge[0]) == edge[0]
            and edge[:2] not in excluded
        ]
        if found := solve(allowed):
            count += 1
            heapq.heappush(queue, (found[0], count, found[1], fixed, excluded))

    def hopeful(fixed: Matching, excluded: frozenset) -> bool:
        nonlocal steps, proved
        named = [(called(u), called(v)) for u, v in fixed]
        barred = frozenset((called(u), called(v)) for u, v in excluded)
        calendar.steps = given = min(steps, STEPS_A_TRY)
        try:
            return calendar.possible(named, barred, ahead.kept, ahead.strict)
        except TooLong:
            proved = False  # given up, though it might have led on
            return False
        finally:
            steps -= given - max(0, calendar.steps)

    look_at([], frozenset())
    while queue and steps > 0:
        _, _, matching, fixed, excluded = heapq.heappop(queue)
        free = [pair for pair in matching if pair not in fixed]
        for first in range(len(free)):
            if not hopeful(fixed + free[: first + 1], excluded):
                break
        else:
            return matching, proved
        for j in range(first + 1):
            branch = fixed + free[:j], excluded | {free[j]}
            if hopeful(*branch):
                look_at(*branch)
    raise TooLong
