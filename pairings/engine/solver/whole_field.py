"""A solution of a round, and the slow exact way to find it: one matching over everyone with all criteria."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import rustworkx

from pairings.engine.criteria.order import NEW_TABLES, Meter
from pairings.engine.field import Field
from pairings.engine.input_checks import KNOWN_CRITERIA
from pairings.engine.lookahead.feasible import Feasibility
from pairings.engine.matching import Edge, Pairs, Slots, cheapest_perfect_matching
from pairings.engine.types import NoPairing, Proof

EXPLAINED = 400  # players up to whom it is worked out who is left over where no round is complete


@dataclass(slots=True)
class Solution:
    """A complete round by index, and how good it is known to be."""

    pairs: Pairs  # free players who meet
    slots: Slots  # (player, slot)
    proofs: dict[str, Proof]  # {criterion: how it is known that the round is best in it}
    feasibility: Feasibility | None = None  # what the look-ahead kept, where one was needed


def proofs_of_all(proof: Proof) -> dict[str, Proof]:
    return dict.fromkeys((*KNOWN_CRITERIA, NEW_TABLES), proof)


@dataclass(frozen=True, slots=True)
class Block:
    """Players to be paired among themselves, and the slots some of them take."""

    players: Sequence[int]
    slots: Sequence[int | None]

    def split_matching(self, matching: Pairs) -> tuple[Pairs, Slots]:
        players, size = self.players, len(self.players)
        pairs = [(players[u], players[v]) for u, v in matching if v < size]
        return pairs, [(players[u], self.slots[v - size]) for u, v in matching if v >= size]


def match_whole_field(meter: Meter) -> Solution:
    """Optimize every criterion in order by one exact matching over everyone. Raises NoPairing."""
    matched = match_block(meter, Block(meter.field.players, meter.field.slots))
    if matched is None:
        raise no_pairing(meter.field)
    return Solution(*matched, proofs_of_all(Proof("whole_graph")))


def match_block(meter: Meter, block: Block) -> tuple[Pairs, Slots] | None:
    size = len(block.players) + len(block.slots)
    matching = cheapest_perfect_matching(size, block_edges(meter, block), meter.field.rng)
    return None if matching is None else block.split_matching(matching)


def block_edges(meter: Meter, block: Block) -> list[Edge]:
    """Return every pair that may meet, and every player with every slot; vertices are positions in the block."""
    field = meter.field
    never = field.policy.repeats == "never"
    players = block.players
    edges: list[Edge] = []
    for u, i in enumerate(players):
        excluded = set(field.barred[i] if never else field.prohibited[i])
        for v in range(u + 1, len(players)):
            if players[v] not in excluded:
                edges.append((u, v, meter.pair_costs(i, players[v])))
        for place, house in enumerate(block.slots, start=len(players)):
            if house is None or house not in excluded:
                edges.append((u, place, meter.slot_costs(i, house)))
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
    graph.add_nodes_from(range(len(field.players) + len(field.slots)))
    graph.add_edges_from_no_data(
        [
            (u, v)
            for u, i in enumerate(field.players)
            for v, j in enumerate([*field.players, *field.slots])
            if v > u and (j is None or j not in excluded[i])
        ]
    )
    paired = set(chain.from_iterable(rustworkx.max_weight_matching(graph, max_cardinality=True)))
    left = [field.ids[i] for u, i in enumerate(field.players) if u not in paired]
    return NoPairing("left_over", left, rematches)


def has_partner(field: Field, excluded: list[int]) -> bool:
    """Whether a player who may not meet the `excluded` has anyone left, including a house entrant or the bye."""
    if None in field.slots:
        return True
    others = len(field.players) - 1 + len(field.slots)
    free = {*field.players, *field.slots}
    return len(free.intersection(excluded)) < others
