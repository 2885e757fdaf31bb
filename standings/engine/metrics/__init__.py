"""Every metric, one small function each, found by its key.

A metric is `function(field, entry, **params) -> exact number`; `field` is the session it is computed in.
"""

from standings.engine.metrics import (
    attributes,
    buchholz,
    counts,
    go,
    means,
    meetings,
    orders,
    percentages,
    points,
    scores,
    sonneborn,
    sums,
)

# Last, because it adds to what the others have registered.
from standings.engine.metrics.bulk import own, opponents  # noqa: F401  # isort: skip
from standings.engine.metrics.params import Param
from standings.engine.metrics.registry import METRICS, Metric, UnknownMetric, metric_of

__all__ = [
    "METRICS",
    "Metric",
    "Param",
    "UnknownMetric",
    "attributes",
    "buchholz",
    "bulk",
    "bulk_scores",
    "counts",
    "go",
    "means",
    "meetings",
    "metric_of",
    "orders",
    "percentages",
    "points",
    "scores",
    "sonneborn",
    "sums",
]
