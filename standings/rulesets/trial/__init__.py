"""A ruleset tried before it is relied on: worked examples, an order on real events, a change's effect on ranks.

Plain Python, no Django: profiles and events in, comparisons out.
"""

from standings.rulesets.trial.examples import Conformance, Number, conformance_of, worked_examples
from standings.rulesets.trial.orders import Comparison, compared, cut_size, missing_for, under

__all__ = [
    "Comparison",
    "Conformance",
    "Number",
    "compared",
    "conformance_of",
    "cut_size",
    "missing_for",
    "under",
    "worked_examples",
]
