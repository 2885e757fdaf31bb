"""Every metric, one small function each, found by its key.

A metric is `function(field, entry, **params) -> exact number`; `field` holds the records it is computed from.
"""

# Importing a module registers its metrics.
from standings.engine.metrics import buchholz, counts, head_to_head, percentages, scores
from standings.engine.metrics.registry import METRICS, Metric, Param, UnknownMetric, find_metric

__all__ = ["METRICS", "Metric", "Param", "UnknownMetric", "find_metric"]
