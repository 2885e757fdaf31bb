"""Look-ahead for small fields: no round makes a later planned round impossible if that can be avoided.

Take the graph of players who may still meet. Another k rounds can be played without a rematch exactly if it contains k
disjoint perfect matchings (see `disjoint_rounds`). In an odd field the bye is one more vertex. In the *strict* graph no
player gets a second bye; in the *loose* one a player may get several.

`Calendar.most_feasible` first finds how many later rounds can be kept at all. The round is then the cheapest one that
keeps them (see `keep_later_rounds`).

With more than 16 entrants, or at most half as many rounds as entrants, no look-ahead is needed: while everyone has met
fewer than half of the others, everyone can be paired (Dirac 1952).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pairings.engine.disjoint_rounds import (
    Budget,
    Demand,
    Graph,
    Matching,
    Pairs,
    TooLong,
    disjoint_rounds,
    remove_edges,
)
from pairings.engine.field import Field

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
