"""Look-ahead for small fields: no round makes a later planned round impossible while that is avoidable.

Take the graph of who may still meet whom. Another k rounds can be played without a repeat exactly if it holds
k disjoint perfect matchings (see `factors`). In an odd field the bye is one more vertex: *strictly* it meets
nobody twice, which also spares everybody a second bye; *loosely* it may take anybody again and again.

Before the round is chosen, `Calendar.best` finds how many later rounds can be kept at all; the round then is the
cheapest of those that keep them (see `keeping`).

With more than 16 entrants, or at most half as many rounds as entrants, all this is needless: whoever has met
fewer than half of the others leaves a graph in which everybody can be paired (Dirac 1952).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pairings.engine.field import Field
from pairings.engine.lookahead.disjoint_rounds import (
    Asked,
    Budget,
    Graph,
    Matching,
    Pairs,
    TooLong,
    disjoint_rounds,
    without,
)

LARGEST = 16  # entrants
STEPS = 10_000  # of the search for what can be kept; past them nothing is claimed to be proved


def feasible_rounds(players: int) -> int:
    """How many rounds so many players can play without a repeat: everybody once, the bye included."""
    return 0 if players < 2 else players - 1 + players % 2


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
        self.size = len(field.ids)
        self.bye = self.size if self.size % 2 else None
        self.later = later_rounds(field)
        self.most = min(self.later, feasible_rounds(self.size))  # that can be kept at all
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
        for i, barred in enumerate(field.lasting):
            for j in barred:
                masks[i] &= ~(1 << j)
        houses = sum(1 << i for i, house in enumerate(field.house) if house)
        for i, house in enumerate(field.house):
            if house:
                masks[i] &= ~houses
        if self.bye is None:
            return tuple(masks)
        taken = [house or (strict and byes > 0) for house, byes in zip(field.house, field.byes, strict=True)]
        for i, never in enumerate(taken):
            masks[i] |= 0 if never else 1 << self.bye
        return (*masks, sum(1 << i for i, never in enumerate(taken) if not never))

    def best(self) -> Ahead:
        """The most that can be kept, whatever this round will be."""
        proved = True
        even = self.bye is None  # without byes, strict and loose are the same
        choices = [(kept, even) for kept in range(self.most, 0, -1)]
        if self.most == self.later and not even:
            choices.insert(0, (self.later, True))
        for kept, strict in choices:
            try:
                if self.possible((), (), kept, strict, Budget(STEPS // 2)):
                    return Ahead(self.later, kept, strict, proved)
            except TooLong:
                proved = False
        return Ahead(self.later, 0, even, proved)

    def possible(self, fixed: Pairs, excluded: Pairs, kept: int, strict: bool, budget: Budget) -> bool:
        """Whether a round without repeats but for locked pairs, with the `fixed` and without the `excluded`
        pairs, leaves `kept` later rounds. Raises TooLong."""
        again = None if strict else self.bye
        graph = self.graph(strict)
        if any(b == self.bye and not graph[a] >> b & 1 for a, b in fixed):
            return False  # a second bye of the round itself
        taken = [*self.locked, *fixed]
        asked = Asked(kept + 1, again, taken, excluded)
        rounds = disjoint_rounds(graph, asked, budget)
        if rounds and (not self.witness or self.price(rounds[0]) < self.price(self.witness)):
            self.witness = rounds[0]
        return rounds is not None

    def lost_by(self, pairs: Pairs) -> tuple[int, int]:
        """(later rounds that need a repeat after this whole round, whether a second bye is needed: 0 or 1)."""
        strict = self.graph(True)
        spared = self.bye is None or all(strict[a] >> self.bye & 1 for a, b in pairs if b == self.bye)
        for kept, strictly in [(self.later, True)] + [(kept, False) for kept in range(self.most, 0, -1)]:
            if strictly and not (spared and self.most == self.later):
                continue
            again = None if strictly else self.bye
            met = [both for both in pairs if again is None or again not in both]
            try:
                left = without(self.graph(strictly), met)
                if disjoint_rounds(left, Asked(kept, again), Budget(STEPS // 2)) is not None:
                    return self.later - kept, int(not strictly)
            except TooLong:
                pass  # not known to be possible
        return self.later, 1


def later_rounds(field: Field) -> int:
    """How many planned rounds after this one need looking ahead to; 0 where nothing can go wrong."""
    policy = field.policy
    planned, players = policy.planned_rounds or 0, len(field.ids)
    if players > LARGEST or 2 * planned <= players:
        return 0
    return max(0, planned - policy.round)
