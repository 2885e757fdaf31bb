"""Pair a round: the bound first, an exact matching where the bound is out of reach, and a certificate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pairings.engine import field as fields
from pairings.engine.ahead import Ahead, Calendar, TooLong, cheapest_keeping
from pairings.engine.certificate import certify, reasons
from pairings.engine.chance import Chance
from pairings.engine.criteria import KEPT, PLACES, Meter, ordered, plain
from pairings.engine.exact import Edge, cheapest_perfect_matching
from pairings.engine.field import Field
from pairings.engine.labels import drawn_apart, share
from pairings.engine.places import Places
from pairings.engine.realize import Realization
from pairings.engine.sides import Sides
from pairings.engine.structure import on_kernel, unhindered
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy

WHOLE_BELOW = 400  # up to this many players, criteria after the score difference are matched exactly too


@dataclass(slots=True)
class Round:
    """A complete round by index: free pairs, (slot position, player), and how good it is known to be.

    proof  of repeats, bye and score difference; exact: the criteria after them are proved best as well
    ahead  what the look-ahead kept, where one was needed
    """

    pairs: list[tuple[int, int]]
    slots: list[tuple[int, int]]
    proof: str
    exact: bool
    ahead: Ahead | None = None


def pair(
    entrants: Iterable[Entrant],
    policy: Policy,
    *,
    seed: int,
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
) -> Pairing:
    """The best round under the policy's criteria, with a certificate.

    `locked` pairs stand as given ((a, None) is a bye); the rest is best around them. `forbidden` pairs never
    meet unless locked. The seed decides what the criteria leave open; the order of `entrants` never matters.
    Raises NoPairing where the prohibitions leave no complete round, ValueError for input that makes no sense.
    """
    return solved(entrants, policy, seed, locked, forbidden)


def solved(
    entrants: Iterable[Entrant],
    policy: Policy,
    seed: int,
    locked: Sequence[tuple] = (),
    forbidden: Sequence[tuple] = (),
    published: Sequence[tuple] | None = None,
) -> Pairing:
    """As `pair`; where tables were `published`, the best round that keeps most of them."""
    field = Field(entrants, policy, locked, forbidden)
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
    pairs = in_table_order(field, pairs, chance)
    first = Sides(field.entrants, policy).first_moves(pairs, chance) if policy.sides else ()
    ids = [entrant.id for entrant in field.entrants]
    return Pairing(
        pairs=tuple((ids[a], ids[b]) for a, b in pairs),
        bye=None if bye is None else ids[bye],
        first=first,
        certificate=certify(field, meter, pairs, bye, found),
        reasons=reasons(field, meter, pairs, bye, found),
        seed=seed,
        digest=fields.digest(field.entrants, policy, seed, locked, forbidden),
    )


def search(field: Field, chance: Chance, meter: Meter) -> Round:
    """The free players paired; in small fields so that later planned rounds stay possible."""
    found = this_round(field, chance, meter)
    calendar = Calendar(field)
    if not calendar.later or meter.order[0] != "repeats":
        return found
    if any(j in field.met[i] for i, j in found.pairs) or repeats_house(field, found.slots):
        return found  # no round without a repeat is left already now
    return keeping(field, chance, meter, calendar, found)


def repeats_house(field: Field, slots) -> bool:
    """Whether somebody meets a house entrant again."""
    return any(field.slots[position] in field.met[i] for position, i in slots)


def keeping(field: Field, chance: Chance, meter: Meter, calendar: Calendar, found: Round) -> Round:
    """The round found if it keeps the later rounds that can be kept; else the best one that does."""
    calendar.price = lambda whole: meter.total(*unlocked(field, calendar, whole))
    ahead = calendar.best()
    taken = [(i, field.slots[position]) for position, i in found.slots]
    now = found.pairs + [(i, calendar.size if house is None else house) for i, house in taken]
    if not ahead.kept or calendar.keeps(now, ahead):
        return replace(found, ahead=ahead)
    try:
        return keeping_best(field, chance, meter, calendar, ahead)
    except TooLong:
        pairs, slots = unlocked(field, calendar, calendar.witness)
        return Round(pairs, slots, "not proved", exact=False, ahead=replace(ahead, proved=False))


def unlocked(field: Field, calendar: Calendar, whole):
    """The free pairs and (slot position, player) of a whole round of the calendar's vertices."""
    slot_of = {calendar.size if house is None else house: k for k, house in enumerate(field.slots)}
    free = set(field.players)
    pairs = [(a, b) for a, b in whole if a in free and b in free]
    slots = [(slot_of[b], a) for a, b in whole if a in free and b in slot_of]
    slots += [(slot_of[a], b) for a, b in whole if b in free and a in slot_of]
    return pairs, slots


def keeping_best(field: Field, chance: Chance, meter: Meter, calendar: Calendar, ahead: Ahead) -> Round:
    """Branch and bound over whole rounds; see `ahead`."""
    players, edges = field.players, whole_graph(field, meter)
    size = len(players) + len(field.slots)
    costs = {edge[:2]: edge[2] for edge in edges}

    def called(vertex: int) -> int:
        if vertex < len(players):
            return players[vertex]
        house = field.slots[vertex - len(players)]
        return calendar.size if house is None else house

    def solve(some):
        matching = cheapest_perfect_matching(size, some, chance)
        if matching is None:
            return None
        return tuple(map(sum, zip(*(costs[pair] for pair in matching), strict=True))), matching

    matching, proved = cheapest_keeping(calendar, ahead, edges, solve, called)
    pairs, slots = told(field, matching)
    ahead = replace(ahead, proved=ahead.proved and proved)
    return Round(
        pairs, slots, "exact search that keeps later rounds possible", exact=ahead.proved, ahead=ahead
    )


def this_round(field: Field, chance: Chance, meter: Meter) -> Round:
    """The free players paired, later rounds left aside."""
    if plain(meter.order):
        found = by_structure(field, chance)
        if not meter.labels:
            return found
        found = replace(found, pairs=drawn_apart(field, found.pairs, chance))
        if len(field.players) > WHOLE_BELOW or not together(field, found):
            return found
        return on_whole_graph(field, chance, meter)
    if meter.places and not meter.published:
        pairs, slots = next(iter(meter.places.values())).ideal()
        if attains_bounds(field, meter, pairs, slots):
            return Round(pairs, slots, "bound reached", exact=True)
    if len(field.players) <= WHOLE_BELOW or meter.order[:3] != ("repeats", "bye", "score_difference"):
        return on_whole_graph(field, chance, meter)
    found = by_structure(field, chance, next(iter(meter.places.values()), None))
    return replace(found, pairs=drawn_apart(field, found.pairs, chance)) if meter.labels else found


def together(field: Field, found: Round) -> int:
    """Pairs, those with a house entrant included, that share a label."""
    housed = [(i, field.slots[position]) for position, i in found.slots]
    return sum(share(field, i, j) for i, j in found.pairs + housed if j is not None)


def by_structure(field: Field, chance: Chance, places: Places | None = None) -> Round:
    """Repeats, bye and score difference proved best; within groups drawn, or near the ideal of `places`."""
    structure = unhindered(field)
    real: set[int] = set()
    while True:
        attempt = Realization(field, structure, real, chance, places)
        if attempt.run():
            break
        real |= attempt.failed
        found = on_kernel(field, real, chance)
        if found is None:
            raise impossible(field)
        structure = found
    if not structure.size:
        proof = "bound reached"
    elif len(real) == len(field.groups):
        proof = "exact matching on the whole graph"
    else:
        proof = f"exact matching on a kernel of {structure.size}"
    return Round(attempt.pairs, attempt.taken_slots, proof, exact=False)


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
    free = {"bye", "score_difference"}
    totals = dict(zip(level_names(field, meter.order), meter.total(pairs, slots) or (), strict=False))
    return not any(total for name, total in totals.items() if name not in free)


def level_names(field: Field, order: tuple[str, ...]) -> list[str]:
    """The criterion of each place in a meter's costs."""
    names: list[str] = []
    for name in order:
        names += [name] * (field.slot_levels if name == "bye" else 1)
    return names


def on_whole_graph(field: Field, chance: Chance, meter: Meter) -> Round:
    """Every criterion in its order, by one exact matching over everybody."""
    size = len(field.players) + len(field.slots)
    matching = cheapest_perfect_matching(size, whole_graph(field, meter), chance)
    if matching is None:
        raise impossible(field)
    pairs, slots = told(field, matching)
    return Round(pairs, slots, "exact matching on the whole graph", exact=True)


def whole_graph(field: Field, meter: Meter) -> list[Edge]:
    """Every pair that may be, and every player with every slot; vertices are places in `field.players`."""
    never = field.policy.repeats == "never"
    players = field.players
    edges: list[Edge] = []
    for u, i in enumerate(players):
        excluded = field.barred[i] if never else field.hard[i]
        for v in range(u + 1, len(players)):
            if players[v] not in excluded:
                edges.append((u, v, meter.pair(i, players[v])))
        for position, house in enumerate(field.slots):
            if house is None or house not in excluded:
                edges.append((u, len(players) + position, meter.slot(position, i)))
    return edges


def told(field: Field, matching) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The pairs and (slot position, player) of a matching of the whole graph."""
    players = field.players
    pairs = [(players[u], players[v]) for u, v in matching if v < len(players)]
    slots = [(v - len(players), players[u]) for u, v in matching if v >= len(players)]
    return pairs, slots


def impossible(field: Field) -> NoPairing:
    """The reason in words."""
    if field.policy.repeats == "never":
        return NoPairing("every complete pairing has a repeat or a forbidden pair, and neither is allowed")
    return NoPairing("the forbidden pairs leave somebody without an opponent")


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

    The higher player of each pair comes first.
    """
    drawn = {i: k for k, i in enumerate(chance.shuffled(range(len(field.entrants))))}
    by_rank = field.policy.within != "random"

    def standing(i: int):
        entrant = field.entrants[i]
        return (entrant.house, -entrant.points, entrant.seed_rank if by_rank else 0, drawn[i])

    def table(ends: tuple[int, int]):
        better, other = standing(ends[0]), standing(ends[1])
        return (other[0], better[1], other[1], better[2:])

    return sorted(((a, b) if standing(a) < standing(b) else (b, a) for a, b in pairs), key=table)
