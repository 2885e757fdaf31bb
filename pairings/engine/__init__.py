"""The pairing engine: who meets whom next, proven best. Plain Python: no clock, no files, no hidden randomness.

>>> from pairings.engine import Entrant, Policy, pair
>>> pair([Entrant(id=n, points=0) for n in range(4)], Policy(), seed=7).bye is None
True
"""

from pairings.engine.compare import (
    Change,
    Delta,
    Option,
    WhyNot,
    repair_options,
    swap_delta,
    verify_round,
    why_not,
)
from pairings.engine.lookahead import feasible_rounds
from pairings.engine.pair import pair
from pairings.engine.types import (
    ENGINE,
    Criterion,
    Entrant,
    NoPairing,
    Pairing,
    PairingRequest,
    Policy,
    Problem,
    Proof,
    Reason,
)
from pairings.engine.verify import round_cost, verify

__all__ = [
    "ENGINE",
    "Change",
    "Criterion",
    "Delta",
    "Entrant",
    "NoPairing",
    "Option",
    "Pairing",
    "PairingRequest",
    "Policy",
    "Problem",
    "Proof",
    "Reason",
    "WhyNot",
    "feasible_rounds",
    "pair",
    "repair_options",
    "round_cost",
    "swap_delta",
    "verify",
    "verify_round",
    "why_not",
]  # fmt: skip
