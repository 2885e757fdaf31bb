"""A solution of a round, the slow exact way to find it, and the criteria after the score difference.

The field falls into components: no cheapest round has a pair across the end of an interval, nor across a boundary
outside them that no pair of the bound crosses. Each is improved by itself: first by swaps of partners, which quickly
remove shared labels and the like, then by an exact matching over all criteria. Components too large for that are
matched in parts, a few neighboring pairs at a time; the certificate does not call those proven.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import rustworkx

from pairings.engine.criteria import NEW_TABLES, Costs, Meter, add_costs
from pairings.engine.field import Field
from pairings.engine.lookahead import Feasibility
from pairings.engine.matching import Edge, Pairs, Unpaired, cheapest_perfect_matching
from pairings.engine.types import KNOWN_CRITERIA, NoPairing, Proof

EXPLAINED = 400  # players up to whom it is worked out who is left over where no round is complete


@dataclass(slots=True)
class Solution:
    """A complete round by index, with the proofs of its criteria."""

    pairs: Pairs  # free players who meet
    unpaired: Unpaired  # (player, dummy)
    proofs: dict[str, Proof]  # {criterion: how it is known that the round is best in it}
    feasibility: Feasibility | None = None  # what the look-ahead kept, where one was needed


def proofs_of_all(proof: Proof) -> dict[str, Proof]:
    return dict.fromkeys((*KNOWN_CRITERIA, NEW_TABLES), proof)


@dataclass(frozen=True, slots=True)
class Component:
    """Players to be paired among themselves, and the dummies that go to some of them."""

    players: Sequence[int]
    dummies: Sequence[int | None]

    def split_matching(self, matching: Pairs) -> tuple[Pairs, Unpaired]:
        players, size = self.players, len(self.players)
        pairs = [(players[u], players[v]) for u, v in matching if v < size]
        return pairs, [(players[u], self.dummies[v - size]) for u, v in matching if v >= size]


def match_whole_field(meter: Meter) -> Solution:
    """Optimize every criterion in order by one exact matching over everyone. Raises NoPairing."""
    matched = match_component(meter, Component(meter.field.players, meter.field.dummies))
    if matched is None:
        raise no_pairing(meter.field)
    return Solution(*matched, proofs_of_all(Proof("whole_graph")))


def match_component(meter: Meter, component: Component) -> tuple[Pairs, Unpaired] | None:
    size = len(component.players) + len(component.dummies)
    matching = cheapest_perfect_matching(size, component_edges(meter, component), meter.field.rng)
    return None if matching is None else component.split_matching(matching)


def component_edges(meter: Meter, component: Component) -> list[Edge]:
    """Return all allowed pairs, and every player with every dummy, as positions in the component."""
    field = meter.field
    never = field.policy.repeats == "never"
    players = component.players
    at = meter.names.index("score_difference")
    no_difference = (0,) * field.difference_count

    def split(costs: tuple[int, ...], difference: tuple[int, ...]) -> tuple[int, ...]:
        return (*costs[:at], *difference, *costs[at + 1 :])

    edges: list[Edge] = []
    for u, i in enumerate(players):
        excluded = set(field.barred[i] if never else field.prohibited[i])
        for v in range(u + 1, len(players)):
            if players[v] not in excluded:
                costs = meter.pair_costs(i, players[v])
                edges.append((u, v, split(costs, field.difference_levels(i, players[v]))))
        for place, house in enumerate(component.dummies, start=len(players)):
            if house is None or house not in excluded:
                edges.append((u, place, split(meter.unpaired_costs(i, house), no_difference)))
    return edges


def no_pairing(field: Field) -> NoPairing:
    rematches = field.policy.repeats != "never"
    excluded = field.prohibited if rematches else field.barred
    alone = [i for i in field.players if not has_partner(field, excluded[i])]
    if alone:
        return NoPairing("no_opponent", [field.ids[i] for i in alone], rematches)
    if len(field.players) > EXPLAINED:
        return NoPairing("left_over", (), rematches)
    graph = rustworkx.PyGraph(multigraph=False)
    vertices = [*field.players, *field.dummies]
    graph.add_nodes_from(range(len(vertices)))
    for u, i in enumerate(field.players):
        free = [v for v, j in enumerate(vertices) if v > u and (j is None or j not in excluded[i])]
        graph.add_edges_from_no_data([(u, v) for v in free])
    paired = set(chain.from_iterable(rustworkx.max_weight_matching(graph, max_cardinality=True)))
    left = [field.ids[i] for u, i in enumerate(field.players) if u not in paired]
    return NoPairing("left_over", left, rematches)


def has_partner(field: Field, excluded: list[int]) -> bool:
    """Whether a player who may not meet the `excluded` has anyone left, including a house entrant or the bye."""
    if None in field.dummies:
        return True
    others = len(field.players) - 1 + len(field.dummies)
    free = {*field.players, *field.dummies}
    return len(free.intersection(excluded)) < others


# Of all components matched exactly, the smallest first: one of 490 players, or many small ones.
EDGES = 120_000
EDGES_IN_PARTS = 60_000  # of all parts of larger components, in one pass
EDGES_IN_PASSES = 240_000  # of all parts, in all passes
SMALLEST_PART = 12  # pairs


def refine_components(meter: Meter, solution: Solution, runs: Sequence[range]) -> Solution:
    """Improve each component by the later criteria; `runs` are the components' score groups."""
    better = Solution([], [], dict(solution.proofs))
    left, unproven = EDGES, set()
    for component, pairs, unpaired in sorted(
        split_components(meter.field, solution, runs), key=lambda part: len(part[0].players)
    ):
        costly = costly_criteria(meter, pairs, unpaired) - solution.proofs.keys()
        if costly and not meter.targets:
            pairs = swap_partners(meter, pairs, costly)
            costly = costly_criteria(meter, pairs, unpaired) - solution.proofs.keys()
        edges = len(component.players) ** 2 // 2
        if costly and edges <= left:
            left -= edges
            pairs, unpaired = match_component(meter, component) or (pairs, unpaired)
        elif costly - {NEW_TABLES}:  # of published tables, parts would keep few
            pairs = improve_component(meter, pairs)
            unproven |= costly_criteria(meter, pairs, unpaired) - solution.proofs.keys()
        else:
            unproven |= costly
        better.pairs += pairs
        better.unpaired += unpaired
    better.proofs |= {
        name: Proof("blocks") for name in meter.order if name not in solution.proofs and name not in unproven
    }
    return better


def split_components(
    field: Field, solution: Solution, runs: Sequence[range]
) -> Iterable[tuple[Component, Pairs, Unpaired]]:
    """Yield each component with its pairs and byes, in the order of the round."""
    component_of = {group: number for number, run in enumerate(runs) for group in run}
    pairs: list[Pairs] = [[] for _ in runs]
    unpaired: list[Unpaired] = [[] for _ in runs]
    for a, b in solution.pairs:
        pairs[component_of[field.group_of[a]]].append((a, b))
    for i, dummy in solution.unpaired:
        unpaired[component_of[field.group_of[i]]].append((i, dummy))
    for run, its_pairs, its_byes in zip(runs, pairs, unpaired, strict=True):
        players = [i for group in run for i in field.groups[group]]
        yield Component(players, [dummy for _, dummy in its_byes]), its_pairs, its_byes


def costly_criteria(meter: Meter, pairs: Pairs, unpaired: Unpaired) -> set[str]:
    totals = meter.total_costs(pairs, unpaired)
    return {name for name, total in zip(meter.names, totals, strict=True) if total}


def improve_component(meter: Meter, pairs: Pairs) -> Pairs:
    """Match parts of a large component exactly: neighbors by seed rank if fold or adjacent count, else random parts."""
    field, target = meter.field, meter.target
    players = len(field.players)
    size = max(SMALLEST_PART, EDGES_IN_PARTS // players)
    for number in range(max(1, EDGES_IN_PASSES // (size * players))):
        if target is None:
            pairs = field.rng.permutation(pairs)
            pairs.sort(key=lambda both: min(field.group_of[i] for i in both))
        else:
            pairs.sort(key=lambda both: min((field.group_of[i], target.place[i]) for i in both))
        starts = [0, *range(number % 2 * size // 2 or size, len(pairs), size), len(pairs)]
        parts = [pairs[start:end] for start, end in pairwise(starts)]
        before = meter.total_costs(pairs, [])
        pairs = [both for part in parts for both in match_part(meter, part)]
        if meter.total_costs(pairs, []) == before:
            break
    return pairs


def match_part(meter: Meter, pairs: Pairs) -> Pairs:
    """Pair the same players again by one exact matching, unless they cost nothing."""
    if not costly_criteria(meter, pairs, []):
        return pairs
    players = sorted(i for both in pairs for i in both)
    matched = match_component(meter, Component(players, ()))
    return matched[0] if matched else pairs


TRIES_PER_PAIR = 400  # other pairs tried for one that costs something
TRIES = 20_000  # in one round, and four more for each pair


def swap_partners(meter: Meter, pairs: Pairs, costly: set[str]) -> Pairs:
    """Make every swap that helps, starting from pairs that cost something in the `costly` criteria."""
    pairs, field = list(pairs), meter.field
    soft = [k for k, name in enumerate(meter.names) if name in costly]
    costs = [meter.pair_costs(i, j) for i, j in pairs]
    near: dict[int, list[int]] = {}  # {points: positions of pairs in which someone has them}
    for position, both in enumerate(pairs):
        for points in {field.points[i] for i in both}:
            near.setdefault(points, []).append(position)
    tries = TRIES + 4 * len(pairs)
    for position in range(len(pairs)):
        for points in sorted({field.points[i] for i in pairs[position]}):
            others = near[points]
            for _ in range(min(TRIES_PER_PAIR, 4 * len(others))):
                if tries <= 0 or not any(costs[position][k] for k in soft):
                    break
                tries -= 1
                other = others[field.rng.randbelow(len(others))]
                if other == position:
                    continue
                if better := cheaper_pairs(
                    meter, pairs[position], pairs[other], costs[position], costs[other]
                ):
                    (pairs[position], costs[position]), (pairs[other], costs[other]) = better
    return pairs


def cheaper_pairs(
    meter: Meter, one: tuple[int, int], other: tuple[int, int], *costs: Costs
) -> list[tuple[tuple[int, int], Costs]] | None:
    """Return two other pairs of these four players that together cost less, with their costs, or None."""
    least = add_costs(*costs)
    (a, b), (c, d) = one, other
    best = None
    for pairs in ([(a, c), (b, d)], [(a, d), (b, c)]):
        if any(j in meter.field.prohibited[i] for i, j in pairs):
            continue
        priced = [(both, meter.pair_costs(*both)) for both in pairs]
        price = add_costs(priced[0][1], priced[1][1])
        if price < least:
            least, best = price, priced
    return best
