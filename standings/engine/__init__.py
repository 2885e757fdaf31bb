"""The standings engine: `rank` orders records, `explain` explains a value. No Django, no clock, exact numbers only."""

from standings.engine.explanation import explain
from standings.engine.ranking import rank

__all__ = ["explain", "rank"]
