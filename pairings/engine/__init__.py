"""The pairing engine: who meets whom next, proven best. Plain Python: no clock, no files, no hidden randomness.

>>> from pairings.engine import Entrant, Policy, pair
>>> pair([Entrant(id=n, points=0) for n in range(4)], Policy(), seed=7).bye is None
True
"""

from pairings.engine.pair import pair
from pairings.engine.types import Entrant, NoPairing, Pairing, Policy
from pairings.engine.verify import verify

__all__ = ["Entrant", "NoPairing", "Pairing", "Policy", "pair", "verify"]
