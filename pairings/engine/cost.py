"""What any complete round costs, by the ruleset's criteria in their order, and how two rounds differ.

Unlike the certificate this does not depend on how a round was found. So a round paired by hand, a published one and an
optimal one can be compared.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairings.engine.criteria.order import Meter
from pairings.engine.criteria.outcome import outcome_of
from pairings.engine.field import Field
from pairings.engine.lookahead.feasible import Calendar
from pairings.engine.matching import Pairs
from pairings.engine.types import Entrant, Pairing, Policy, Problem, Question, Value
from pairings.engine.verify import verify

RoundCost = tuple[tuple[str, Value], ...]  # (criterion, value) in order of importance


@dataclass(frozen=True, slots=True)
class Change:
    """One criterion on which two rounds differ. Costs are to be small, so `after` < `before` is better."""

    criterion: str
    before: Value
    after: Value


class CostModel:
    """The costs of complete rounds of one field."""

    def __init__(self, question: Question):
        self.field = Field(question)
        self.calendar = Calendar(self.field)
        self.meter = Meter(self.field)

    def cost(self, pairing: Pairing) -> RoundCost:
        """What the round costs. Raises KeyError for unknown entrants."""
        field, index = self.field, self.field.index
        pairs = [(index[a], index[b]) for a, b in pairing.pairs]
        bye = None if pairing.bye is None else index[pairing.bye]
        outcome = outcome_of(field, pairs, bye)
        costs: list[tuple[str, Value]] = []
        for name in self.meter.order:
            costs += self.meter.round_costs(name, outcome)
            if name == "bye" and field.policy.bye_rule == "lowest_rank":
                costs.append(("bye_rank", sum(field.worst_rank - field.seed_rank[i] for i in outcome.alone)))
            if name == "repeats" == self.meter.order[0] and self.calendar.later:
                costs += self._later_costs(pairs, bye)
        return tuple(costs)

    def better_first(self, a: Any, b: Any) -> str:
        """Who had better move first in this pair, "a" or "b"; "a" where that is the same."""
        i, j = self.field.index[a], self.field.index[b]
        return "b" if self.meter.sides.costs(j, i) < self.meter.sides.costs(i, j) else "a"

    def _later_costs(self, pairs: Pairs, bye: int | None) -> RoundCost:
        vertex = self.calendar.bye
        if bye is not None and vertex is not None:
            pairs = [*pairs, (bye, vertex)]
        rounds, byes = self.calendar.losses_after(pairs)
        return (("later_rounds", rounds), ("later_byes", byes))[: 1 if vertex is None else 2]


def changes_between(before: RoundCost, after: RoundCost) -> tuple[Change, ...]:
    """The criteria on which two rounds differ, the most important first."""
    return tuple(
        Change(name, old, new) for (name, old), (_, new) in zip(before, after, strict=True) if old != new
    )


@dataclass(frozen=True, slots=True)
class Delta:
    """What a swap of two players would do: the round after it, what changes, what `verify` would add."""

    pairing: Pairing
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]


def swap_delta(
    entrants: Iterable[Entrant],
    pairing: Pairing,
    policy: Policy,
    swap: tuple[Any, Any],
    *,
    forbidden: Sequence[tuple] = (),
) -> Delta:
    """What it costs if two entrants swap places; one of them may have the bye.

    Raises ValueError where they play each other or one is not seated.
    """
    question = Question(list(entrants), policy, pairing.seed)
    model = CostModel(question)
    after = swap_players(model, pairing, *swap)
    before, problems = (
        verify(question.entrants, round_, policy, forbidden=forbidden) for round_ in (pairing, after)
    )
    return Delta(
        pairing=after,
        changes=changes_between(model.cost(pairing), model.cost(after)),
        problems=tuple(problem for problem in problems if problem not in before),
    )


def swap_players(model: CostModel, pairing: Pairing, one: Any, other: Any) -> Pairing:
    """The round after these two swapped places; at their tables the better one moves first. Raises ValueError."""
    table_of = {name: k for k, pair in enumerate(pairing.pairs) for name in pair}
    if pairing.bye is not None:
        table_of[pairing.bye] = -1
    for name in (one, other):
        if name not in table_of:
            raise ValueError(f"{name!r} is not in this round")
    if table_of[one] == table_of[other]:
        raise ValueError(f"{one!r} and {other!r} play each other, so there is nothing to swap")
    place = {one: other, other: one}
    pairs = tuple((place.get(a, a), place.get(b, b)) for a, b in pairing.pairs)
    first = pairing.first and tuple(
        model.better_first(*now) if before != now else side
        for before, now, side in zip(pairing.pairs, pairs, pairing.first, strict=True)
    )
    return replace(pairing, pairs=pairs, first=first, bye=place.get(pairing.bye, pairing.bye))
