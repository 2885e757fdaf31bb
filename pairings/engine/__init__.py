"""The pairing engine: who meets whom next, proved best. Plain Python; no clock, no hidden chance.

>>> from pairings.engine import Entrant, Policy, pair
>>> pair([Entrant(id=n, points=0) for n in range(4)], Policy(), seed=7).bye is None
True
"""

from pairings.engine.ahead import feasible_rounds, too_many_rounds
from pairings.engine.swiss import pair
from pairings.engine.types import ENGINE, Criterion, Entrant, NoPairing, Pairing, Policy, Problem
from pairings.engine.verify import cost_of, verify

__all__ = [
    "ENGINE", "Criterion", "Entrant", "NoPairing", "Pairing", "Policy", "Problem",
    "cost_of", "feasible_rounds", "pair", "too_many_rounds", "verify",
]  # fmt: skip
