"""The cheapest round of those that keep the later rounds that can be kept, by branch and bound.

The cheapest matching of all is tried first. If it keeps them, nothing is cheaper. If not, some of its pairs are
to blame: p1 … pi that no keeping round has all of, found by leaving out one after the other. A keeping round lacks
one of them, so it has p1 … p(j-1) and lacks pj for one j <= i: these are the branches, each again a matching problem
and never dearer than what it contains. They are looked at cheapest first, so the first matching that keeps the
later rounds is the best. What has been found to blame once is not asked again.
"""

from __future__ import annotations

import heapq
from dataclasses import replace

from pairings.engine.criteria.order import Meter
from pairings.engine.field import Field
from pairings.engine.lookahead.disjoint_rounds import Budget, Matching, Pairs, TooLong
from pairings.engine.lookahead.rounds_ahead import Ahead, Calendar
from pairings.engine.matching.exact import cheapest_perfect_matching
from pairings.engine.rng import Chance
from pairings.engine.solver.whole_field import Block, Round, everything, told, whole_graph
from pairings.engine.types import Proof

STEPS = 20_000  # of the whole search; past them the cheapest round seen that keeps the later ones is played
STEPS_A_ROUND = 4_000  # of the question whether one round keeps the later ones
STEPS_A_PART = 1_000  # of the same question of some of its pairs, which only guides the search
MATCHING = 30  # steps that one matching takes as long as


def keeping(field: Field, chance: Chance, meter: Meter, calendar: Calendar, found: Round) -> Round:
    """The round found if it keeps the later rounds that can be kept; else the best one that does."""
    calendar.price = lambda whole: meter.total(*unlocked(field, calendar, whole))
    ahead = calendar.best()
    search = Search(field, chance, meter, calendar, ahead)
    now = found.pairs + [(i, called(calendar, field.slots[position])) for position, i in found.slots]
    if not ahead.kept or search.keeps(now):
        return replace(found, ahead=ahead)
    try:
        matching = search.cheapest()
    except TooLong:
        pairs, slots = unlocked(field, calendar, calendar.witness)
        return Round(pairs, slots, {}, ahead=replace(ahead, proved=False))
    pairs, slots = told(search.block, matching)
    ahead = replace(ahead, proved=ahead.proved and search.proved)
    proofs = everything(Proof("branches")) if ahead.proved else {}
    return Round(pairs, slots, proofs, ahead=ahead)


def called(calendar: Calendar, house: int | None) -> int:
    """The calendar's vertex of a slot."""
    return calendar.size if house is None else house


def unlocked(field: Field, calendar: Calendar, whole: Pairs):
    """The free pairs and (slot position, player) of a whole round of the calendar's vertices."""
    slot_of = {called(calendar, house): k for k, house in enumerate(field.slots)}
    free = set(field.players)
    pairs = [(a, b) for a, b in whole if a in free and b in free]
    slots = [(slot_of[b], a) for a, b in whole if a in free and b in slot_of]
    slots += [(slot_of[a], b) for a, b in whole if b in free and a in slot_of]
    return pairs, slots


class Search:
    """Over matchings of the whole graph. `proved` is False once a question was given up.

    blamed  sets of pairs that no keeping round has all of
    """

    def __init__(self, field: Field, chance: Chance, meter: Meter, calendar: Calendar, ahead: Ahead):
        self.calendar, self.ahead, self.chance = calendar, ahead, chance
        self.block = Block(field.players, range(len(field.slots)))
        self.edges = whole_graph(field, meter, self.block)
        self.costs = {edge[:2]: edge[2] for edge in self.edges}
        self.vertices = [*field.players, *(called(calendar, house) for house in field.slots)]
        self.budget = Budget(STEPS)
        self.blamed: list[frozenset] = []
        self.proved = True

    def keeps(self, pairs: Pairs) -> bool:
        """Whether this round, locked pairs left out, is known to keep what can be kept."""
        try:
            return self.calendar.possible(
                pairs, (), self.ahead.kept, self.ahead.strict, Budget(STEPS_A_ROUND)
            )
        except TooLong:
            return False

    def cheapest(self) -> Matching:
        """The cheapest keeping matching. Raises TooLong where none was found in the steps allowed."""
        queue: list[tuple] = []
        self._look_at(queue, [], [])
        while queue:
            _, _, matching, fixed, excluded = heapq.heappop(queue)
            blame = self._blame(matching)
            if blame is None:
                return matching
            free = [pair for pair in matching if pair in blame and pair not in fixed]
            for j, pair in enumerate(free):
                branch = fixed + free[:j], [*excluded, pair]
                if self._may_keep(*branch) is not False:
                    self._look_at(queue, *branch)
        raise TooLong

    def _look_at(self, queue: list[tuple], fixed: Matching, excluded: Matching) -> None:
        """Put the cheapest matching with these and without those pairs in the queue."""
        self.budget.spend(MATCHING)
        partner = dict(fixed) | {v: u for u, v in fixed}
        never = set(excluded)
        allowed = [
            (u, v, cost)
            for u, v, cost in self.edges
            if partner.get(u, v) == v and partner.get(v, u) == u and (u, v) not in never
        ]
        if (matching := cheapest_perfect_matching(len(self.vertices), allowed, self.chance)) is not None:
            cost = tuple(map(sum, zip(*(self.costs[pair] for pair in matching), strict=True)))
            heapq.heappush(queue, (cost, self.budget.steps, matching, fixed, excluded))

    def _may_keep(self, fixed: Matching, excluded: Matching, steps: int = STEPS_A_PART) -> bool | None:
        """Whether a keeping round with these and without those pairs exists; None where that was given up."""
        if any(blame <= set(fixed) for blame in self.blamed):
            return False
        some = Budget(min(steps, self.budget.steps))
        self.budget.steps -= some.steps
        try:
            names = self.vertices
            here = [(names[u], names[v]) for u, v in fixed]
            never = [(names[u], names[v]) for u, v in excluded]
            return self.calendar.possible(here, never, self.ahead.kept, self.ahead.strict, some)
        except TooLong:
            return None
        finally:
            self.budget.steps += max(0, some.steps)

    def _blame(self, matching: Matching) -> frozenset | None:
        """Pairs of the matching that no keeping round has all of; None where it keeps the later rounds."""
        for blame in self.blamed:
            if blame <= set(matching):
                return blame
        kept = self._may_keep(matching, [], STEPS_A_ROUND)
        if kept:
            return None
        if kept is None:
            self.proved = False  # it might have kept them
            return frozenset(matching)
        left = list(matching)
        for pair in matching:
            fewer = [other for other in left if other != pair]
            if self._may_keep(fewer, []) is False:
                left = fewer
        self.blamed.append(frozenset(left))
        return self.blamed[-1]
