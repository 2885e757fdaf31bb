"""Events played by chance, of the two kinds that break pairing programs; every round is judged by an oracle.

`events` are of 9 to 64 players over about log2(players) + 1 rounds. `tight` ones have 5 to 14 players and go on
until no round without a repeat is left, which the engine is not told.
"""

import random
from dataclasses import dataclass, fields

from pairings.engine import Entrant, NoPairing, Policy, pair, verify
from tests.pairings.engine.oracles import cheapest_by_networkx, cost_key


@dataclass
class Tally:
    """Rounds played, and in how many of them each thing went wrong. All but the first are to be 0."""

    rounds: int = 0
    refused: int = 0
    left_out: int = 0
    avoidable_rematch: int = 0
    second_bye: int = 0
    bye_too_high: int = 0
    differences_not_minimal: int = 0

    def add(self, other: "Tally") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def failures(self) -> dict[str, int]:
        return {each.name: getattr(self, each.name) for each in fields(self)[1:]}


def event(seed, smallest=9, largest=64):
    """One event of the first kind."""
    dice = random.Random(f"event {seed}")
    size = dice.randint(smallest, largest)
    return played(dice, size, size.bit_length() + dice.randint(0, 2), drops=0.03)


def tight_event(seed):
    """One event of the second kind."""
    dice = random.Random(f"tight {seed}")
    return played(dice, dice.randint(5, 14), 14, drops=0.02, until_stuck=True)


def played(dice, size, rounds, drops, until_stuck=False):
    """The tally of one event: draws, byes worth a win, now and then a drop."""
    tally = Tally()
    met = {i: frozenset() for i in range(size)}
    points, byes = dict.fromkeys(met, 0), dict.fromkeys(met, 0)
    here = list(met)
    policy = Policy()
    for _ in range(rounds):
        entrants = [Entrant(i, points[i], met[i], byes[i]) for i in here]
        best = cheapest_by_networkx(entrants, policy)
        if until_stuck and best[0]:
            break
        pairing = judged(entrants, policy, dice.randrange(1 << 64), best, tally)
        if pairing is None:
            break
        for a, b in pairing.pairs:
            met[a], met[b] = met[a] | {b}, met[b] | {a}
            luck = dice.random()
            points[a] += 3 * (luck < 0.55) + (luck > 0.95)
            points[b] += 3 * (0.55 <= luck <= 0.95) + (luck > 0.95)
        if pairing.bye is not None:
            byes[pairing.bye] += 1
            points[pairing.bye] += 3
        here = [i for i in here if len(here) <= 5 or dice.random() >= drops]
    return tally


def judged(entrants, policy, seed, best, tally):
    """Pair one round and note what is wrong with it, the most important thing only."""
    tally.rounds += 1
    try:
        pairing = pair(entrants, policy, seed=seed)
    except NoPairing:
        tally.refused += 1
        return None
    if any(problem.severity == "error" for problem in verify(entrants, pairing, policy)):
        tally.left_out += 1
        return pairing
    names = ("avoidable_rematch", "second_bye", "bye_too_high", "differences_not_minimal")
    for name, cost, optimum in zip(names, cost_key(entrants, pairing, policy), best, strict=True):
        if cost != optimum:
            setattr(tally, name, getattr(tally, name) + 1)
            break
    return pairing
