"""Every metric, one small function each, found by its key.

A metric is `function(field, entry, **params) -> exact number`; `field` holds the records it is computed from.
"""

from standings.engine.metrics import (  # importing a module registers its metrics
    attributes,
    buchholz,
    counts,
    go,
    head_to_head,
    means,
    percentages,
    scores,
    sonneborn,
    sums,
)
from standings.engine.metrics.params import Param
from standings.engine.metrics.registry import METRICS, Metric, UnknownMetric, find_metric

__all__ = ["METRICS", "Metric", "Param", "UnknownMetric", "find_metric"]
