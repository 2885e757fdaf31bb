"""What any complete round costs, by the ruleset's criteria in their order, and how two rounds differ.

Unlike the certificate this asks nothing about how a round was found, so a round paired by hand, a published
one and an optimal one are weighed on the same scales.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairings.engine.criteria.fold_target import Places
from pairings.engine.criteria.labels import share
from pairings.engine.criteria.order import LABELS, PLACES, Meter, ordered
from pairings.engine.criteria.sides import SIDES
from pairings.engine.field import Field
from pairings.engine.lookahead.rounds_ahead import Calendar
from pairings.engine.rng import Chance
from pairings.engine.types import Entrant, Pairing, Policy, Problem, Value
from pairings.engine.verify import cost_of, verify


@dataclass(frozen=True, slots=True)
class Change:
    """One criterion on which two rounds differ. Costs are to be small, so `after` < `before` is better."""

    criterion: str
    before: Value
    after: Value


class Scales:
    """Weighs complete rounds of one field. `locked` pairs are left out of fold and adjacent, as in `pair`."""

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
        order = ordered(policy)
        chance = Chance(seed)
        places = {name: Places(self.field, chance, name == "adjacent") for name in order if name in PLACES}
        self.meter = Meter(self.field, order, places)

    def weigh(self, pairing: Any) -> tuple[tuple[str, Value], ...]:
        """(criterion, value) in order of importance. Raises KeyError for unknown entrants."""
        main = cost_of(self.entrants, pairing, self.policy)
        weights: list[tuple[str, Value]] = []
        for name in self.meter.order:
            if name == "bye":
                weights += [("second_bye", main["second_bye"]), ("bye_group", main["bye_group"])]
                if self.policy.bye_rule == "lowest_rank":
                    weights.append(("bye_rank", self._bye_rank(pairing)))
            else:
                weights.append((name, main[name] if name in main else self._soft(name, pairing)))
            if name == "repeats" == self.meter.order[0] and self.calendar.later:
                weights += self._ahead(pairing)
        return tuple(weights)

    def better_first(self, a: Any, b: Any) -> str:
        """Who had better move first in this pair, "a" or "b"; a where that is the same."""
        i, j = self.field.index[a], self.field.index[b]
        return "b" if self.meter.sides.costs(j, i) < self.meter.sides.costs(i, j) else "a"

    def _ahead(self, pairing: Any) -> list[tuple[str, Value]]:
        index = self.field.index
        pairs = [(index[a], index[b]) for a, b in pairing.pairs]
        if pairing.bye is not None and self.calendar.bye is not None:
            pairs.append((index[pairing.bye], self.calendar.bye))
        rounds, byes = self.calendar.lost_by(pairs)
        odd = self.calendar.bye is not None
        lines: list[tuple[str, Value]] = [("later_rounds", rounds), ("later_byes", byes)]
        return lines if odd else lines[:1]

    def _bye_rank(self, pairing: Any) -> int:
        index = self.field.index
        alone = [] if pairing.bye is None else [index[pairing.bye]]
        for a, b in pairing.pairs:
            houses = [i for i in (index[a], index[b]) if self.field.house[i]]
            alone += [i for i in (index[a], index[b]) if houses and i not in houses]
        return sum(self.field.worst_rank - self.field.seed_rank[i] for i in alone)

    def _soft(self, name: str, pairing: Any) -> int:
        field = self.field
        pairs = [(field.index[a], field.index[b]) for a, b in pairing.pairs]
        if name == LABELS:
            return sum(self.meter.labels and share(field, i, j) for i, j in pairs)
        if name in SIDES:
            return sum(self.meter.sides.of_pair(name, i, j) for i, j in pairs)
        players = [(i, j) for i, j in pairs if not (field.house[i] or field.house[j])]
        if name == "pair_downs":
            return sum(field.floats(i, j) for i, j in players)
        places = self.meter.places[name]
        free = places.place
        total = sum(places.of_pair(i, j) for i, j in players if i in free and j in free)
        housed = [i if field.house[j] else j for i, j in pairs if (i, j) not in players]
        if pairing.bye is not None:
            housed.append(field.index[pairing.bye])
        return total + sum(places.of_slot(i) for i in housed if i in free)


def changes_between(
    before: Sequence[tuple[str, Value]], after: Sequence[tuple[str, Value]]
) -> tuple[Change, ...]:
    """The criteria on which two weighed rounds differ, the most important first."""
    return tuple(
        Change(name, old, new) for (name, old), (_, new) in zip(before, after, strict=True) if old != new
    )


@dataclass(frozen=True, slots=True)
class Delta:
    """What an exchange of two players would do: the round after it, what changes, what `verify` would add."""

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
    """What it costs if two entrants swap places.

    One of them may have the bye. Raises ValueError where they meet each other or one is not seated.
    """
    listed = list(entrants)
    one, other = swap
    seated = {name: k for k, pair in enumerate(pairing.pairs) for name in pair}
    if pairing.bye is not None:
        seated[pairing.bye] = -1
    for name in swap:
        if name not in seated:
            raise ValueError(f"{name!r} is not in this round")
    if seated[one] == seated[other]:
        raise ValueError(f"{one!r} and {other!r} play each other, so there is nothing to swap")
    place = {one: other, other: one}
    pairs = tuple((place.get(a, a), place.get(b, b)) for a, b in pairing.pairs)
    scales = Scales(listed, policy, seed=pairing.seed)
    first = (
        tuple(
            scales.better_first(*after) if before != after else side
            for before, after, side in zip(pairing.pairs, pairs, pairing.first, strict=True)
        )
        if pairing.first
        else ()
    )
    after = replace(pairing, pairs=pairs, first=first, bye=place.get(pairing.bye, pairing.bye))
    differ = changes_between(scales.weigh(pairing), scales.weigh(after))
    known = set(verify(listed, pairing, policy, forbidden=forbidden))
    found = verify(listed, after, policy, forbidden=forbidden)
    problems = tuple(problem for problem in found if problem not in known)
    return Delta(after, differ, problems)
