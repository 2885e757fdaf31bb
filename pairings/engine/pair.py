"""Pair a round: the lower bound first, an exact matching if the bound is out of reach, and a certificate."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import neg, not_

from pairings.engine.criteria import MAIN, Meter, build_outcome
from pairings.engine.field import Field, field_digest
from pairings.engine.lookahead import Calendar
from pairings.engine.lower_bound import compute_lower_bound
from pairings.engine.matching import Pairs, Unpaired
from pairings.engine.proof import certify, explain_round
from pairings.engine.solver.branch_and_bound import keep_later_rounds
from pairings.engine.solver.components import (
    Solution,
    match_whole_field,
    no_pairing,
    proofs_of_all,
    refine_components,
)
from pairings.engine.solver.construction import Construction
from pairings.engine.solver.intervals import IntervalSolver, add_small_neighbors, undivided_runs
from pairings.engine.types import Entrant, Pairing, PairingRequest, Policy, Proof, as_list

# Up to this many players, a field is matched as a whole if the criteria begin in another order than `MAIN`.
WHOLE_FIELD = 700
# Up to this many players in real groups, repeated pair-downs are proven to be the fewest.
PAIR_DOWNS_PROVEN = 200


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause the garbage collector, which would scan a large round's many lists again and again; they have no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def pair(
    entrants: Iterable[Entrant],
    policy: Policy,
    *,
    seed: int,
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
    waived: Sequence[tuple] = (),
) -> Pairing:
    """Return the best round under the policy's criteria, with a certificate; the order of `entrants` never matters.

    `locked` pairs stay ((a, None) is a bye); `forbidden` pairs never meet. A locked pair that is forbidden or has met
    is refused unless `waived`. Raises NoPairing if no complete round is left, ValueError for invalid input.
    """
    given = as_list("the entrants", entrants), policy, seed, locked, forbidden, waived
    return solve(PairingRequest(*given))


@pause_gc()
def solve(request: PairingRequest) -> Pairing:
    """Return the best round; given published tables, the best one that keeps the most of them. Raises like `pair`."""
    field = Field(request)
    meter = Meter(field)
    solution = best_solution(meter)
    pairs, bye = whole_round(field, solution)
    outcome = build_outcome(field, table_order(field, pairs), bye)
    if field.policy.sides:
        outcome = replace(outcome, first=meter.sides.first_moves(outcome.pairs))
    ids = field.ids
    return Pairing(
        pairs=tuple([(ids[a], ids[b]) for a, b in outcome.pairs]),
        bye=None if bye is None else ids[bye],
        first=tuple(outcome.first),
        certificate=certify(meter, outcome, solution),
        reasons=explain_round(meter, outcome, solution),
        seed=request.seed,
        digest=field_digest(field),
        engine=field.policy.engine,
    )


def best_solution(meter: Meter) -> Solution:
    """Pair the free players. In small fields, keep later planned rounds possible."""
    solution, field = solve_this_round(meter), meter.field
    calendar = Calendar(field)
    if not calendar.later or meter.order[0] != "repeats":
        return solution
    if any(j in field.met[i] for i, j in solution.pairs + solution.unpaired):
        return solution  # not even this round can do without a rematch
    return keep_later_rounds(meter, calendar, solution)


def solve_this_round(meter: Meter) -> Solution:
    if meter.order[:3] != MAIN:
        if len(meter.field.players) <= WHOLE_FIELD:
            return match_whole_field(meter)
        return replace(solve_by_structure(meter), proofs={})  # best in another order
    if meter.target and not meter.published:
        pairs, unpaired = meter.target.ideal_round()
        if attains_bounds(meter, pairs, unpaired):
            return Solution(pairs, unpaired, proofs_of_all(Proof("bound")))
    return solve_by_structure(meter)


def solve_by_structure(meter: Meter) -> Solution:
    """Return a solution whose rematches, bye and score difference are proven best, and repeated pair-downs if they come
    next.

    Other criteria are optimized component by component; ties are broken at random.
    """
    field = meter.field
    pair_downs_next = meter.order[3:4] == ("pair_downs",)
    count_pair_downs = pair_downs_next and (any(field.down) or any(field.up))
    structure = bound = compute_lower_bound(field, count_pair_downs)
    intervals = IntervalSolver(field, bound, count_pair_downs)
    real: set[int] = set()
    while True:
        attempt = Construction(meter, structure, real, count_pair_downs)
        again: set[int] = set()
        if attempt.choose_members() and count_pair_downs:
            again = attempt.groups_paired_down_again() - real
        if sum(len(field.groups[group]) for group in real | again) > PAIR_DOWNS_PROVEN:
            again = set()
        if not attempt.failed and not again and attempt.pair_groups():
            break
        real |= add_small_neighbors(field, attempt.failed | again)
        cheapest = intervals.cheapest_structure(real)
        if cheapest is None:
            raise no_pairing(field)
        structure = cheapest
    if not structure.size:
        proof = Proof("bound")
    elif len(real) == len(field.groups):
        proof = Proof("whole_graph")
    else:
        proof = Proof("kernel", structure.size)
    proofs = dict.fromkeys(MAIN, proof)
    if pair_downs_next and (
        not count_pair_downs or attempt.pair_down_cost() == structure.pair_down_cost(field)
    ):
        proofs["pair_downs"] = proof
    solution = Solution(*attempt.round_parts(), proofs)
    if proofs.keys() >= set(meter.order):
        return solution
    return refine_components(meter, solution, undivided_runs(field, bound, intervals.intervals))


def attains_bounds(meter: Meter, pairs: Pairs, unpaired: Unpaired) -> bool:
    """Whether these target pairs are allowed and cost nothing except for the bye and the score difference."""
    field = meter.field
    if any(j in field.barred[i] for i, j in pairs + unpaired):
        return False
    totals = zip(meter.names, meter.total_costs(pairs, unpaired), strict=True)
    return not any(total for name, total in totals if name not in ("bye", "score_difference"))


def whole_round(field: Field, solution: Solution) -> tuple[Pairs, int | None]:
    placed = solution.unpaired + field.locked
    byes = [i for i, j in placed if j is None]
    return solution.pairs + [(i, j) for i, j in placed if j is not None], byes[0] if byes else None


def table_order(field: Field, pairs: Pairs) -> Pairs:
    """Sort pairs by highest points, then seed rank if it counts, then at random; house games last."""
    points, house, rank = field.points, field.house, field.seed_rank
    ranked = field.policy.within != "random"
    standing: list = points
    if ranked or any(house):
        by_rank = list(map(neg, rank)) if ranked else [0] * len(rank)
        standing = list(zip(map(not_, house), points, by_rank, strict=True))
    tables = []
    locked = set(field.locked)
    for a, b in field.rng.permutation(pairs):
        tied = standing[a] == standing[b] and (a, b) not in locked
        if standing[a] < standing[b] or (tied and field.rng.randbelow(2)):
            a, b = b, a
        tables.append((a, b))
    if ranked:
        tables.sort(key=lambda ends: rank[ends[0]])
    tables.sort(key=lambda ends: points[ends[1]], reverse=True)  # sorting keeps the order of equals
    tables.sort(key=lambda ends: points[ends[0]], reverse=True)
    tables.sort(key=lambda ends: house[ends[1]])
    return tables
