"""A round found, and the slow exact way to one: every criterion at once, by one matching over everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import rustworkx

from pairings.engine.criteria.order import KEPT, KNOWN, Meter
from pairings.engine.field import Field
from pairings.engine.lookahead.rounds_ahead import Ahead
from pairings.engine.matching.exact import Edge, cheapest_perfect_matching
from pairings.engine.rng import Chance
from pairings.engine.types import NoPairing, Proof

EXPLAINED = 400  # players up to whom it is worked out who is left over where no round is complete


@dataclass(slots=True)
class Round:
    """A complete round by index: free pairs, (slot position, player), and how good it is known to be.

    proofs  for each criterion in which it is known to be best, how
    ahead   what the look-ahead kept, where one was needed
    """

    pairs: list[tuple[int, int]]
    slots: list[tuple[int, int]]
    proofs: dict[str, Proof]
    ahead: Ahead | None = None


def everything(proof: Proof) -> dict[str, Proof]:
    """The same proof for every criterion."""
    return dict.fromkeys((*KNOWN, KEPT), proof)


@dataclass(frozen=True, slots=True)
class Block:
    """Players to be paired among themselves, and the positions of the slots some of them take."""

    players: Sequence[int]
    slots: Sequence[int]


def on_whole_graph(field: Field, chance: Chance, meter: Meter) -> Round:
    """Every criterion in its order, by one exact matching over everybody."""
    matched = matched_exactly(field, chance, meter, Block(field.players, range(len(field.slots))))
    if matched is None:
        raise impossible(field)
    return Round(*matched, everything(Proof("whole_graph")))


def matched_exactly(
    field: Field, chance: Chance, meter: Meter, block: Block
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
    """The best pairs and (slot position, player) of a block by every criterion; None where there are none."""
    size = len(block.players) + len(block.slots)
    matching = cheapest_perfect_matching(size, whole_graph(field, meter, block), chance)
    return None if matching is None else told(block, matching)


def whole_graph(field: Field, meter: Meter, block: Block) -> list[Edge]:
    """Every pair that may be, and every player with every slot; vertices are places in the block."""
    never = field.policy.repeats == "never"
    players = block.players
    edges: list[Edge] = []
    for u, i in enumerate(players):
        excluded = set(field.barred[i] if never else field.hard[i])
        for v in range(u + 1, len(players)):
            if players[v] not in excluded:
                edges.append((u, v, meter.pair(i, players[v])))
        for place, position in enumerate(block.slots, start=len(players)):
            house = field.slots[position]
            if house is None or house not in excluded:
                edges.append((u, place, meter.slot(position, i)))
    return edges


def told(block: Block, matching) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The pairs and (slot position, player) of a matching of the whole graph."""
    players, slots = block.players, block.slots
    pairs = [(players[u], players[v]) for u, v in matching if v < len(players)]
    taken = [(slots[v - len(players)], players[u]) for u, v in matching if v >= len(players)]
    return pairs, taken


def impossible(field: Field) -> NoPairing:
    """Why no round is complete, and whom that concerns."""
    rematches = field.policy.repeats != "never"
    excluded = field.hard if rematches else field.barred
    nobody = [i for i in field.players if not may_meet(field, i, excluded[i])]
    if nobody:
        return NoPairing("no_opponent", [field.ids[i] for i in nobody], rematches)
    if len(field.players) > EXPLAINED:
        return NoPairing("left_over", (), rematches)
    size = len(field.players) + len(field.slots)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size))
    graph.add_edges_from_no_data(
        [
            (u, v)
            for u, i in enumerate(field.players)
            for v, j in enumerate([*field.players, *field.slots])
            if v > u and (j is None or j not in excluded[i])
        ]
    )
    paired = set(chain.from_iterable(rustworkx.max_weight_matching(graph, max_cardinality=True)))
    left = [i for u, i in enumerate(field.players) if u not in paired]
    return NoPairing("left_over", [field.ids[i] for i in left], rematches)


def may_meet(field: Field, i: int, excluded: list[int]) -> bool:
    """Whether anybody is left for this player to meet, a house entrant or the bye included."""
    if None in field.slots:
        return True
    others = len(field.players) - 1 + len(field.slots)
    free = {*field.players, *field.slots}
    return len(free.intersection(excluded)) < others
