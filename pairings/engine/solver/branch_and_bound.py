"""The cheapest round that keeps the later rounds possible, by branch and bound.

The cheapest matching is tried first. If it does not keep the later rounds, some of its pairs p1 … pi are to blame: no
round that keeps them contains all of these. Branch j has p1 … p(j-1) and lacks pj. Each branch is again a matching
problem, never cheaper than its parent, and the cheapest is examined first.
"""

import heapq
from contextlib import suppress
from dataclasses import replace

from pairings.engine.criteria import Meter
from pairings.engine.field import Field
from pairings.engine.lookahead import Budget, Calendar, Feasibility, Matching, Pairs, TooLong
from pairings.engine.matching import Unpaired, cheapest_perfect_matching
from pairings.engine.solver.components import Component, Solution, component_edges, proofs_of_all
from pairings.engine.types import Proof

STEPS = 20_000  # of the whole search; past them the cheapest round seen that keeps the later ones is played
STEPS_PER_ROUND = 4_000  # of the question whether one round keeps the later ones
STEPS_PER_PART = 1_000  # of the same question about some of its pairs, which only guides the search
MATCHING = 30  # steps that stand for one matching


def keep_later_rounds(meter: Meter, calendar: Calendar, solution: Solution) -> Solution:
    """Return the solution if it keeps every later round that can be kept, else the best round that does."""
    field = meter.field
    calendar.price = lambda round_: meter.total_costs(*free_part(field, calendar, round_))
    feasibility = calendar.most_feasible()
    pairs = solution.pairs + [(i, dummy_vertex(calendar, dummy)) for i, dummy in solution.unpaired]
    with suppress(TooLong):
        if not feasibility.count or calendar.is_possible(feasibility, Budget(STEPS_PER_ROUND), pairs):
            return replace(solution, feasibility=feasibility)
    search = BranchAndBound(meter, calendar, feasibility)
    try:
        matching = search.cheapest_matching()
    except TooLong:
        return Solution(*free_part(field, calendar, calendar.witness), {}, replace(feasibility, proven=False))
    feasibility = replace(feasibility, proven=feasibility.proven and search.proven)
    proofs = proofs_of_all(Proof("branches")) if feasibility.proven else {}
    return Solution(*search.component.split_matching(matching), proofs, feasibility)


def dummy_vertex(calendar: Calendar, house: int | None) -> int:
    return calendar.size if house is None else house


def free_part(field: Field, calendar: Calendar, round_: Pairs) -> tuple[Matching, Unpaired]:
    dummy_at = {dummy_vertex(calendar, dummy): dummy for dummy in field.dummies}
    free = set(field.players)
    pairs = [(a, b) for a, b in round_ if a in free and b in free]
    both_ways = [*round_, *((b, a) for a, b in round_)]
    return pairs, [(a, dummy_at[b]) for a, b in both_ways if a in free and b in dummy_at]


class BranchAndBound:
    """A search over matchings. No round that keeps the later ones contains all pairs of a set in `blamed`."""

    def __init__(self, meter: Meter, calendar: Calendar, feasibility: Feasibility):
        field = meter.field
        self.calendar, self.feasibility, self.rng = calendar, feasibility, field.rng
        self.component = Component(field.players, field.dummies)
        self.edges = component_edges(meter, self.component)
        self.costs = {edge[:2]: edge[2] for edge in self.edges}
        self.vertices = [*field.players, *(dummy_vertex(calendar, house) for house in field.dummies)]
        self.budget = Budget(STEPS)
        self.blamed: list[frozenset] = []
        self.proven = True

    def cheapest_matching(self) -> Matching:
        """Return the cheapest matching that keeps the later rounds. Raises TooLong if the steps run out first."""
        queue: list[tuple] = []
        self._enqueue(queue, [], [])
        while queue:
            _, _, matching, fixed, excluded = heapq.heappop(queue)
            blame = self._blame(matching)
            if blame is None:
                return matching
            free = [pair for pair in matching if pair in blame and pair not in fixed]
            for j, pair in enumerate(free):
                branch = fixed + free[:j], [*excluded, pair]
                if self._may_keep(*branch) is not False:
                    self._enqueue(queue, *branch)
        raise TooLong

    def _enqueue(self, queue: list[tuple], fixed: Matching, excluded: Matching) -> None:
        self.budget.spend(MATCHING)
        partner = dict(fixed) | {v: u for u, v in fixed}
        never = set(excluded)
        allowed = [
            (u, v, cost)
            for u, v, cost in self.edges
            if partner.get(u, v) == v and partner.get(v, u) == u and (u, v) not in never
        ]
        if (matching := cheapest_perfect_matching(len(self.vertices), allowed, self.rng)) is not None:
            cost = tuple(map(sum, zip(*(self.costs[pair] for pair in matching), strict=True)))
            heapq.heappush(queue, (cost, self.budget.steps, matching, fixed, excluded))

    def _may_keep(self, fixed: Matching, excluded: Matching, steps: int = STEPS_PER_PART) -> bool | None:
        """Whether a round with `fixed` and without `excluded` pairs can keep the later ones; None if undecided."""
        if any(blame <= set(fixed) for blame in self.blamed):
            return False
        vertices = self.vertices
        here, never = ([(vertices[u], vertices[v]) for u, v in pairs] for pairs in (fixed, excluded))
        try:
            with self.budget.part(steps) as part:
                return self.calendar.is_possible(self.feasibility, part, here, never)
        except TooLong:
            return None

    def _blame(self, matching: Matching) -> frozenset | None:
        """Return pairs that together make the later rounds impossible; None if the matching keeps them."""
        for blame in self.blamed:
            if blame <= set(matching):
                return blame
        keeps = self._may_keep(matching, [], STEPS_PER_ROUND)
        if keeps:
            return None
        if keeps is None:
            self.proven = False  # it might keep them
            return frozenset(matching)
        left = list(matching)
        for pair in matching:
            fewer = [other for other in left if other != pair]
            if self._may_keep(fewer, []) is False:
                left = fewer
        self.blamed.append(frozenset(left))
        return self.blamed[-1]
