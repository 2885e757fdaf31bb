"""The standings engine: records, metrics, ranking, explanation, cut, bracket and places.

No Django, no clock, no hidden randomness, exact numbers only. `rank` orders records, `explain` explains a value.
"""

from standings.engine.explanation.explain import Explanation, explain
from standings.engine.metrics import METRICS, Metric, Param, UnknownMetric
from standings.engine.ranking.rank import (
    Ranking,
    RankingRow,
    RankingStep,
    build_chain,
    build_step,
    list_skipped_steps,
    parse_steps,
    rank,
)
from standings.engine.ranking.validate import validate_chain
from standings.engine.records import Record, Result, RoundRecord, tally
from standings.engine.scoring import Scoring, UnknownScoring

__all__ = [
    "METRICS",
    "Explanation",
    "Metric",
    "Param",
    "Ranking",
    "RankingRow",
    "RankingStep",
    "Record",
    "Result",
    "RoundRecord",
    "Scoring",
    "UnknownMetric",
    "UnknownScoring",
    "build_chain",
    "build_step",
    "explain",
    "list_skipped_steps",
    "parse_steps",
    "rank",
    "tally",
    "validate_chain",
]
