"""Pair a round: the bound first, an exact matching where the bound is out of reach, and a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import neg, not_

from pairings.engine.criteria.fold_target import Places
from pairings.engine.criteria.order import KEPT, MAIN, PLACES, Meter, ordered
from pairings.engine.field import Field, digest
from pairings.engine.gc_pause import uncollected
from pairings.engine.lookahead.rounds_ahead import Calendar
from pairings.engine.lower_bound import unhindered
from pairings.engine.proof.certificate import certify
from pairings.engine.proof.outcome import outcome
from pairings.engine.proof.reasons import reasons_of
from pairings.engine.rng import Chance
from pairings.engine.solver.blocks import refined
from pairings.engine.solver.keep_future import keeping
from pairings.engine.solver.realize import Realization
from pairings.engine.solver.whole_field import Round, everything, impossible, on_whole_graph
from pairings.engine.solver.windows import Departures, undivided, with_small_neighbours
from pairings.engine.types import Entrant, Pairing, Policy, Proof

WHOLE_BELOW = (
    700  # players up to whom another order than repeats, bye, score difference is matched as a whole
)
SPARED_WITHIN = 200  # players in real groups up to whom repeated pair-downs are to be proved, too


def pair(
    entrants: Iterable[Entrant],
    policy: Policy,
    *,
    seed: int,
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
    waived: Sequence[tuple] = (),
) -> Pairing:
    """The best round under the policy's criteria, with a certificate.

    `locked` pairs stand as given ((a, None) is a bye); the rest is best around them. `forbidden` pairs never
    meet. A locked pair that is forbidden or has met before is refused unless it is among the `waived`. The
    seed decides what the criteria leave open; the order of `entrants` never matters. Raises NoPairing where
    the prohibitions leave no complete round, ValueError for input that makes no sense.
    """
    return solved(entrants, policy, seed, locked, forbidden, waived)[0]


@uncollected()
def solved(
    entrants: Iterable[Entrant],
    policy: Policy,
    seed: int,
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
    waived: Sequence[tuple] = (),
    published: Sequence[tuple] | None = None,
    not_now: Sequence[tuple] = (),
) -> tuple[Pairing, bool]:
    """As `pair`; where tables were `published`, the best round that keeps most of them.

    And whether it is proved that no best round keeps more. The pairs `not_now` do not meet in this round.
    """
    field = Field(entrants, policy, locked, forbidden, waived, not_now)
    chance = Chance(seed)
    order = ordered(policy)
    places = {name: Places(field, chance, name == "adjacent") for name in order if name in PLACES}
    if published is None:
        meter = Meter(field, order, places)
    else:
        tables = [
            frozenset(field.index.get(name, -1) for name in both if name is not None) for both in published
        ]
        meter = Meter(field, (*order, KEPT), places, frozenset(tables))
    found = search(field, chance, meter)
    pairs, bye = assembled(field, found)
    round_ = outcome(field, in_table_order(field, pairs, chance), bye)
    first = meter.sides.first_moves(round_.pairs, chance) if policy.sides else ()
    ids = field.ids
    pairing = Pairing(
        pairs=tuple([(ids[a], ids[b]) for a, b in round_.pairs]),
        bye=None if bye is None else ids[bye],
        first=first,
        certificate=certify(field, meter, round_, found),
        reasons=reasons_of(field, meter, round_, found),
        seed=seed,
        digest=digest(field, seed, published),
    )
    return pairing, KEPT in found.proofs


def search(field: Field, chance: Chance, meter: Meter) -> Round:
    """The free players paired; in small fields so that later planned rounds stay possible."""
    found = this_round(field, chance, meter)
    calendar = Calendar(field)
    if not calendar.later or meter.order[0] != "repeats":
        return found
    houses = [(i, field.slots[position]) for position, i in found.slots]
    if any(j in field.met[i] for i, j in found.pairs + houses):
        return found  # no round without a repeat is left already now
    return keeping(field, chance, meter, calendar, found)


def this_round(field: Field, chance: Chance, meter: Meter) -> Round:
    """The free players paired, later rounds left aside."""
    if meter.places and not meter.published and meter.order[:3] == MAIN:
        pairs, slots = next(iter(meter.places.values())).ideal()
        if attains_bounds(field, meter, pairs, slots):
            return Round(pairs, slots, everything(Proof("bound")))
    if meter.order[:3] == MAIN:
        return by_structure(field, chance, meter)
    if len(field.players) <= WHOLE_BELOW:
        return on_whole_graph(field, chance, meter)
    return replace(
        by_structure(field, chance, meter), proofs={}
    )  # best in another order: good, and not proved


def by_structure(field: Field, chance: Chance, meter: Meter) -> Round:
    """Repeats, bye and score difference proved best; within groups drawn, or near the ideal of the meter's places.

    Where repeated pair-downs come next they are proved best as well, unless that would take many real groups. What
    else counts is decided block by block.
    """
    places = next(iter(meter.places.values()), None)
    sparing = meter.order[3:4] == ("pair_downs",) and (any(field.down) or any(field.up))
    structure = bound = unhindered(field, sparing)
    departures = Departures(field, bound, chance, sparing)
    real: set[int] = set()
    while True:
        attempt = Realization(field, structure, real, chance, places, sparing, meter.partner)
        again = attempt.floating() - real if attempt.choose() and sparing else set()
        if sum(len(field.groups[group]) for group in real | again) > SPARED_WITHIN:
            again = set()
        if not attempt.failed and not again and attempt.settle():
            break
        real |= with_small_neighbours(field, attempt.failed | again)
        found = departures.cheapest(real)
        if found is None:
            raise impossible(field)
        structure = found
    if not structure.size:
        proof = Proof("bound")
    elif len(real) == len(field.groups):
        proof = Proof("whole_graph")
    else:
        proof = Proof("kernel", structure.size)
    proofs = dict.fromkeys(MAIN, proof)
    if meter.order[3:4] == ("pair_downs",) and (not sparing or attempt.floats() == structure.floats(field)):
        proofs["pair_downs"] = proof
    best = Round(*attempt.round(), proofs)
    if proofs.keys() >= set(meter.order):
        return best
    return refined(field, chance, meter, best, undivided(field, bound, departures.windows))


def attains_bounds(field: Field, meter: Meter, pairs, slots) -> bool:
    """Whether these pairs of the ideal are allowed and cost nothing that could be saved.

    The ideal has the cheapest structure, so its bye and score difference are at their bounds already.
    """
    if any(j in field.barred[i] for i, j in pairs):
        return False
    for position, i in slots:
        house = field.slots[position]
        if house is not None and house in field.barred[i]:
            return False
    totals = zip(meter.names, meter.total(pairs, slots), strict=True)
    return not any(total for name, total in totals if name not in ("bye", "score_difference"))


def assembled(field: Field, found: Round) -> tuple[list[tuple[int, int]], int | None]:
    """Free pairs, house pairs and locked pairs together, and who has the bye."""
    pairs = list(found.pairs)
    bye = None
    for position, i in found.slots:
        house = field.slots[position]
        if house is None:
            bye = i
        else:
            pairs.append((i, house))
    for a, b in field.locked:
        if b is None:
            bye = a
        else:
            pairs.append((a, b))
    return pairs, bye


def in_table_order(field: Field, pairs, chance: Chance) -> list[tuple[int, int]]:
    """Highest points first, then by seed rank where the policy folds by it, then drawn; house games last.

    The higher player of each pair comes first, of equals the one drawn or named first by the organizer; a house
    entrant second.
    """
    points, house, rank = field.points, field.house, field.seed_rank
    ranked = field.policy.within != "random"
    standing: list = points
    if ranked or any(house):
        first = list(map(neg, rank)) if ranked else [0] * len(rank)
        standing = list(zip(map(not_, house), points, first, strict=True))
    tables = []
    set_by_hand = set(field.locked)
    for a, b in chance.shuffled(pairs):
        level = standing[a] == standing[b] and (a, b) not in set_by_hand
        if standing[a] < standing[b] or (level and chance.below(2)):
            a, b = b, a
        tables.append((a, b))
    if ranked:
        tables.sort(key=lambda ends: rank[ends[0]])
    tables.sort(key=lambda ends: points[ends[1]], reverse=True)  # sorting keeps the order of equals
    tables.sort(key=lambda ends: points[ends[0]], reverse=True)
    tables.sort(key=lambda ends: house[ends[1]])
    return tables
