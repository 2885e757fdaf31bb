"""What any complete round costs, by the ruleset's criteria in their order, and how two rounds differ.

Unlike the certificate this does not depend on how a round was found. So a round paired by hand, a published one and an
optimal one can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairings.engine.criteria.labels import share_label
from pairings.engine.criteria.order import LABELS, Meter
from pairings.engine.criteria.sides import SIDES
from pairings.engine.field import Field
from pairings.engine.lookahead.feasible import Calendar
from pairings.engine.rng import Rng
from pairings.engine.types import Entrant, Pairing, Policy, Problem, Value
from pairings.engine.verify import cost_of, verify

RoundCost = tuple[tuple[str, Value], ...]  # (criterion, value) in order of importance


@dataclass(frozen=True, slots=True)
class Change:
    """One criterion on which two rounds differ. Costs are to be small, so `after` < `before` is better."""

    criterion: str
    before: Value
    after: Value


class CostModel:
    """The costs of complete rounds of one field. `locked` pairs do not count for fold and adjacent, as in `pair`."""

    def __init__(
        self,
        entrants: Iterable[Entrant],
        policy: Policy,
        *,
        seed: int = 0,
        locked: Sequence[tuple] = (),
        forbidden: Sequence[tuple] = (),
    ):
        self.entrants = list(entrants)
        self.policy = policy
        self.field = Field(self.entrants, policy, locked, forbidden, waived=locked)
        self.calendar = Calendar(self.field)
        self.meter = Meter(self.field, Rng(seed))

    def cost(self, pairing: Any) -> RoundCost:
        """What the round costs. Raises KeyError for unknown entrants."""
        main = cost_of(self.entrants, pairing, self.policy)
        costs: list[tuple[str, Value]] = []
        for name in self.meter.order:
            if name == "bye":
                costs += [("second_bye", main["second_bye"]), ("bye_group", main["bye_group"])]
                if self.policy.bye_rule == "lowest_rank":
                    costs.append(("bye_rank", self._bye_rank(pairing)))
            else:
                costs.append((name, main[name] if name in main else self._soft_cost(name, pairing)))
            if name == "repeats" == self.meter.order[0] and self.calendar.later:
                costs += self._later_costs(pairing)
        return tuple(costs)

    def better_first(self, a: Any, b: Any) -> str:
        """Who had better move first in this pair, "a" or "b"; "a" where that is the same."""
        i, j = self.field.index[a], self.field.index[b]
        return "b" if self.meter.sides.costs(j, i) < self.meter.sides.costs(i, j) else "a"

    def _later_costs(self, pairing: Any) -> list[tuple[str, Value]]:
        index = self.field.index
        pairs = [(index[a], index[b]) for a, b in pairing.pairs]
        if pairing.bye is not None and self.calendar.bye is not None:
            pairs.append((index[pairing.bye], self.calendar.bye))
        rounds, byes = self.calendar.losses_after(pairs)
        costs: list[tuple[str, Value]] = [("later_rounds", rounds), ("later_byes", byes)]
        return costs if self.calendar.bye is not None else costs[:1]

    def _bye_rank(self, pairing: Any) -> int:
        index = self.field.index
        alone = [] if pairing.bye is None else [index[pairing.bye]]
        for a, b in pairing.pairs:
            houses = [i for i in (index[a], index[b]) if self.field.house[i]]
            alone += [i for i in (index[a], index[b]) if houses and i not in houses]
        return sum(self.field.worst_rank - self.field.seed_rank[i] for i in alone)

    def _soft_cost(self, name: str, pairing: Any) -> int:
        """What a criterion beside repeats, bye and score difference costs."""
        field, meter = self.field, self.meter
        pairs = [(field.index[a], field.index[b]) for a, b in pairing.pairs]
        if name == LABELS:
            return sum(meter.labels and share_label(field, i, j) for i, j in pairs)
        if name in SIDES:
            return sum(meter.sides.pair_cost(name, i, j) for i, j in pairs)
        players = [(i, j) for i, j in pairs if not (field.house[i] or field.house[j])]
        if name == "pair_downs":
            return sum(field.repeat_floats(i, j) for i, j in players)
        target = meter.targets[name]
        free = target.place
        distance = sum(target.pair_distance(i, j) for i, j in players if i in free and j in free)
        takers = [i if field.house[j] else j for i, j in pairs if (i, j) not in players]
        if pairing.bye is not None:
            takers.append(field.index[pairing.bye])
        return distance + sum(target.slot_distance(i) for i in takers if i in free)


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
    listed = list(entrants)
    model = CostModel(listed, policy, seed=pairing.seed)
    after = swap_players(model, pairing, *swap)
    known = set(verify(listed, pairing, policy, forbidden=forbidden))
    problems = verify(listed, after, policy, forbidden=forbidden)
    return Delta(
        pairing=after,
        changes=changes_between(model.cost(pairing), model.cost(after)),
        problems=tuple(problem for problem in problems if problem not in known),
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
