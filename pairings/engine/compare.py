"""Compare a seated round with others: its cost, the effect of a swap, why two do not meet, and how to repair it.

Costs follow the ruleset's criteria in their order. They do not depend on how a round was found, so rounds paired by
hand, published rounds and optimal ones can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pairings.engine.criteria import TARGETS, Meter, build_outcome, criteria_order
from pairings.engine.field import Field
from pairings.engine.lookahead import Calendar
from pairings.engine.matching import Pairs
from pairings.engine.pair import solve
from pairings.engine.types import NoPairing, Pairing, PairingRequest, Problem, Value
from pairings.engine.verify import verify

RoundCost = tuple[tuple[str, Value], ...]  # (criterion, value) in order of importance


class Change(NamedTuple):
    criterion: str
    before: Value
    after: Value


class CostModel:
    def __init__(self, request: PairingRequest):
        self.field = Field(request)
        self.calendar = Calendar(self.field)
        self.meter = Meter(self.field)

    def cost(self, pairing: Pairing) -> RoundCost:
        field, index = self.field, self.field.index
        pairs = [(index[a], index[b]) for a, b in pairing.pairs]
        bye = None if pairing.bye is None else index[pairing.bye]
        outcome = build_outcome(field, pairs, bye, pairing.first)
        costs: list[tuple[str, Value]] = []
        for name in self.meter.order:
            costs += self.meter.round_costs(name, outcome)
            if name == "repeats" == self.meter.order[0] and self.calendar.later:
                costs += self._later_costs(pairs, bye)
        return tuple(costs)

    def better_first(self, a: Any, b: Any) -> str:
        """Return the side that should move first in this pair, "a" or "b"; "a" if it makes no difference."""
        i, j = self.field.index[a], self.field.index[b]
        return "b" if self.meter.sides.costs(j, i) < self.meter.sides.costs(i, j) else "a"

    def _later_costs(self, pairs: Pairs, bye: int | None) -> RoundCost:
        vertex = self.calendar.bye
        if bye is not None and vertex is not None:
            pairs = [*pairs, (bye, vertex)]
        rounds, byes = self.calendar.losses_after(pairs)
        return (("later_rounds", rounds), ("later_byes", byes))[: 1 if vertex is None else 2]


def changes_between(before: RoundCost, after: RoundCost) -> tuple[Change, ...]:
    both = zip(before, after, strict=True)
    return tuple(Change(name, old, new) for (name, old), (_, new) in both if old != new)


@dataclass(frozen=True, slots=True)
class Delta:
    """The effect of swapping two players: the new round, the changes, and the problems `verify` would add."""

    pairing: Pairing
    changes: tuple[Change, ...]
    problems: tuple[Problem, ...]


def swap_delta(request: PairingRequest, pairing: Pairing, swap: tuple[Any, Any]) -> Delta:
    """Return the effect of swapping two entrants (one may have the bye). Raises ValueError if they cannot swap."""
    model = CostModel(PairingRequest(request.entrants, request.policy, pairing.seed))
    after = swap_players(model, pairing, *swap)
    before, problems = (verify_round(request, round_) for round_ in (pairing, after))
    return Delta(
        pairing=after,
        changes=changes_between(model.cost(pairing), model.cost(after)),
        problems=tuple(problem for problem in problems if problem not in before),
    )


def swap_players(model: CostModel, pairing: Pairing, one: Any, other: Any) -> Pairing:
    """Return the round after the swap, with the better first move at both tables. Raises ValueError."""
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


def verify_round(request: PairingRequest, pairing: Pairing) -> list[Problem]:
    return verify(request.entrants, pairing, request.policy, forbidden=request.prohibited_pairs)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer to "why did these two not meet?", as a code.

    nothing to solve   paired, has_bye, even (no one has a bye), house_bye, house_pair, prohibited,
                       locked_table (of `entrant`), locked_bye
    solved             impossible, undecided (too many score groups), equal (the choice was random), better, worse
    """

    code: str
    changes: tuple[Change, ...] = ()  # what would be different, the most important criterion first
    pairing: Pairing | None = None  # the best round with the pair in it, if any
    entrant: Any = None


def why_not(request: PairingRequest, pairing: Pairing, a: Any, b: Any) -> WhyNot:
    """Compare `pairing` with the best round that pairs a with b (None: gives a the bye). Raises ValueError."""
    if answer := answer_without_solving(request, pairing, a, b):
        return answer
    try:
        forced = solve_with(request, a, b)
    except NoPairing as error:
        return WhyNot("undecided" if error.code == "too_many_groups" else "impossible")
    model = CostModel(request)
    changes = changes_between(model.cost(pairing), model.cost(forced))
    if not changes:
        return WhyNot("equal", pairing=forced)
    better = changes[0].after < changes[0].before  # type: ignore[operator]
    return WhyNot("better" if better else "worse", changes, forced)


def answer_without_solving(request: PairingRequest, pairing: Pairing, a: Any, b: Any) -> WhyNot | None:
    house = {entrant.id: entrant.house for entrant in request.entrants}
    for name in (a, b):
        if name is not None and name not in house:
            raise ValueError(f"{name!r} is not in the field")
    if a is None or a == b:
        raise ValueError("name 2 entrants, or 1 entrant and the bye")
    if b is None:
        if pairing.bye == a:
            return WhyNot("has_bye")
        if house[a]:
            return WhyNot("house_bye")
        if len(house) % 2 == 0:
            return WhyNot("even")
    elif any({a, b} == set(both) for both in pairing.pairs):
        return WhyNot("paired")
    elif house[a] and house[b]:
        return WhyNot("house_pair")
    elif any({a, b} == set(both) for both in request.prohibited_pairs):
        return WhyNot("prohibited")
    for both in request.locked:
        if a in both or (b is not None and b in both):
            return WhyNot("locked_table", entrant=a if a in both else b)
    if b is None and any(None in both for both in request.locked):
        return WhyNot("locked_bye")
    return None


def solve_with(request: PairingRequest, a: Any, b: Any) -> Pairing:
    """Return the best round in which a and b meet, or a has the bye. Raises NoPairing."""
    # Fold and adjacent take their targets from the groups, which a lock would change.
    if set(criteria_order(request.policy)) & set(TARGETS):
        others = [entrant.id for entrant in request.entrants if entrant.id not in (a, b)]
        kept_away = [(one, other) for one in (a, b) if one is not None for other in others]
        return solve(replace(request, prohibited_now=kept_away))
    have_met = any(
        (entrant.id == a and b in entrant.opponents) or (entrant.id == b and a in entrant.opponents)
        for entrant in request.entrants
    )
    if request.policy.repeats == "never" and have_met:
        raise NoPairing("rematch", (a, b), rematches=False)
    return solve(request.with_locks((*request.locked, (a, b))))


@dataclass(frozen=True, slots=True)
class Option:
    name: str  # "leave", "keep" (the best round that keeps most published tables) or "anew"
    pairing: Pairing | None  # None if there is none
    cost: RoundCost = ()  # (criterion, value) in order of importance
    undecided: bool = False  # without a pairing: too many score groups to know whether there is one


def repair_options(request: PairingRequest, published: Sequence[tuple]) -> tuple[Option, Option, Option]:
    """Return the three options for the `published` tables; (a, None) is the bye. Raises like `pair`."""
    model = CostModel(request)
    leave = leave_option(request, published, model)
    try:
        anew = new_option("anew", request, model)
        if leave.pairing is not None and leave.cost == anew.cost:  # nothing is better, so nothing changes
            return leave, replace(leave, name="keep"), anew
        return leave, new_option("keep", replace(request, published=published), model), anew
    except NoPairing as error:
        undecided = error.code == "too_many_groups"
        return leave, Option("keep", None, undecided=undecided), Option("anew", None, undecided=undecided)


def leave_option(request: PairingRequest, published: Sequence[tuple], model: CostModel) -> Option:
    pairs = tuple(tuple(both) for both in published if None not in both)
    byes = [a if b is None else b for a, b in published if a is None or b is None]
    pairing = Pairing(pairs=pairs, bye=byes[0] if byes else None)
    problems = verify_round(request, pairing)
    broken = any(problem.severity == "error" and problem.code != "first" for problem in problems)
    if broken or len(byes) > 1:
        return Option("leave", None)
    return Option("leave", pairing, model.cost(pairing))


def new_option(name: str, request: PairingRequest, model: CostModel) -> Option:
    pairing = solve(request)
    return Option(name, pairing, model.cost(pairing))
