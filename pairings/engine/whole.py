"""A round found, and the slow exact way to one: every criterion at once, by one matching over everybody."""

from __future__ import annotations

from dataclasses import dataclass

from pairings.engine.ahead import Ahead
from pairings.engine.chance import Chance
from pairings.engine.criteria import KNOWN, Meter
from pairings.engine.exact import Edge, cheapest_perfect_matching
from pairings.engine.field import Field
from pairings.engine.types import NoPairing

EVERYTHING = frozenset(KNOWN)


@dataclass(slots=True)
class Round:
    """A complete round by index: free pairs, (slot position, player), and how good it is known to be.

    proof   how it is known; proved: the criteria it holds for
    ahead   what the look-ahead kept, where one was needed
    """

    pairs: list[tuple[int, int]]
    slots: list[tuple[int, int]]
    proof: str
    proved: frozenset[str]
    ahead: Ahead | None = None


def on_whole_graph(field: Field, chance: Chance, meter: Meter) -> Round:
    """Every criterion in its order, by one exact matching over everybody."""
    size = len(field.players) + len(field.slots)
    matching = cheapest_perfect_matching(size, whole_graph(field, meter), chance)
    if matching is None:
        raise impossible(field)
    pairs, slots = told(field, matching)
    return Round(pairs, slots, "exact matching on the whole graph", EVERYTHING)


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
