"""Swiss events for the pairing benchmarks, and other people's engines asked for the same round.

Each peer gets the same field in the form it wants and gives back (pairs, bye, seconds).
"""

import random
import time

import networkx
import rustworkx

from pairings.engine.pair import pair
from pairings.engine.types import Entrant, Policy

Round = tuple[list[tuple[int, int]], int | None, float]


class Event:
    """An event of so many players and rounds, paired by the engine; 5 % draws, 3/1/0, strengths of a normal law."""

    def __init__(self, players: int, rounds: int, seed: int = 1):
        dice = random.Random(f"swiss {players} {rounds} {seed}")
        strengths = [dice.gauss(0, 1) for _ in range(players)]
        self.players = players
        self.points, self.byes = [0] * players, [0] * players
        self.down, self.up = [0] * players, [0] * players
        self.matches: list[tuple[int, int]] = []
        for number in range(1, rounds + 1):
            self._play(
                pair(self.entrants(), Policy(round=number), seed=seed * 1000 + number), dice, strengths
            )

    def _play(self, pairing, dice: random.Random, strengths: list[float]) -> None:
        before = list(self.points)
        for a, b in pairing.pairs:
            chance = 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 2))
            drawn, won = dice.random() < 0.05, dice.random() < chance
            made = (1, 1) if drawn else (3, 0) if won else (0, 3)
            self.matches.append((a, b))
            for i, other, points in ((a, b, made[0]), (b, a, made[1])):
                self.points[i] += points
                self.down[i] += before[i] > before[other]
                self.up[i] += before[i] < before[other]
        if pairing.bye is not None:
            self.points[pairing.bye] += 3
            self.byes[pairing.bye] += 1

    def opponents(self) -> list[set[int]]:
        met: list[set[int]] = [set() for _ in range(self.players)]
        for a, b in self.matches:
            met[a].add(b)
            met[b].add(a)
        return met

    def entrants(self) -> list[Entrant]:
        met = self.opponents()
        return [
            Entrant(i, self.points[i], frozenset(met[i]), self.byes[i], self.down[i], self.up[i])
            for i in range(self.players)
        ]


def full_graph(entrants: list[Entrant]) -> list[tuple[int, int, int]]:
    """Every pair that has not met, and the bye, as (u, v, weight): the least squared differences weigh most."""
    lowest = min(entrant.points for entrant in entrants)
    highest = max(entrant.points for entrant in entrants)
    ceiling = (highest - lowest) ** 2 * len(entrants) + 1
    edges = []
    for u, a in enumerate(entrants):
        for v in range(u):
            if v not in a.opponents:
                edges.append((u, v, ceiling - (a.points - entrants[v].points) ** 2))
        if len(entrants) % 2:
            edges.append((u, len(entrants), ceiling - ceiling * a.byes - (a.points - lowest) * len(entrants)))
    return edges


def by_networkx(entrants: list[Entrant]) -> Round:
    """One matching over the full graph; building it is not counted."""
    graph = networkx.Graph()
    graph.add_weighted_edges_from(full_graph(entrants))
    start = time.process_time()
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return as_round(matching, len(entrants), time.process_time() - start)


def by_rustworkx(entrants: list[Entrant]) -> Round:
    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(len(entrants) + len(entrants) % 2))
    graph.add_edges_from(full_graph(entrants))
    start = time.process_time()
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return as_round(matching, len(entrants), time.process_time() - start)


def as_round(matching, size: int, seconds: float) -> Round:
    pairs = [(a, b) for a, b in matching if size not in (a, b)]
    alone = [min(a, b) for a, b in matching if size in (a, b)]
    return pairs, alone[0] if alone else None, seconds


def by_swisspair(entrants: list[Entrant]) -> Round:
    """swisspair (C++): exact below 200 players, greedy above."""
    import swisspair

    ranked = sorted(entrants, key=lambda entrant: -entrant.points)
    players = [
        swisspair.Player(str(e.id), e.points, rank, not e.byes, {str(other) for other in e.opponents})
        for rank, e in enumerate(ranked, start=1)
    ]
    start = time.process_time()
    matches = swisspair.create_matches(players)
    seconds = time.process_time() - start
    pairs = [(int(match.p1.id), int(match.p2.id)) for match in matches if match.p2 is not None]
    alone = [int(match.p1.id) for match in matches if match.p2 is None]
    return pairs, alone[0] if alone else None, seconds
