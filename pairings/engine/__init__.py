"""The pairing engine: who meets whom next, proven best. Plain Python: no clock, no files, no hidden randomness.

>>> from pairings.engine import Entrant, Policy, pair
>>> pair([Entrant(id=n, points=0) for n in range(4)], Policy(), seed=7).bye is None
True
"""

from pairings.engine.cost import Change, Delta, swap_delta
from pairings.engine.lookahead.feasible import feasible_rounds
from pairings.engine.pair import pair
from pairings.engine.repair import Option, repair
from pairings.engine.types import (
    ENGINE,
    Criterion,
    Entrant,
    NoPairing,
    Pairing,
    Policy,
    Problem,
    Proof,
    Reason,
)
from pairings.engine.verify import cost_of, verify
from pairings.engine.why_not import WhyNot, why_not

__all__ = [
    "ENGINE", "Change", "Criterion", "Delta", "Entrant", "NoPairing", "Option", "Pairing", "Policy", "Problem",
    "Proof", "Reason", "WhyNot", "cost_of", "feasible_rounds", "pair", "repair", "swap_delta", "verify", "why_not",
]  # fmt: skip
