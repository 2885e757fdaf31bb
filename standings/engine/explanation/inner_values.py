"""Which values of others a value is computed from, so that each of them can be opened in turn."""

from __future__ import annotations

from standings.engine.explanation.types import InnerValue
from standings.engine.field import Field
from standings.engine.metrics import METRICS, counts
from standings.engine.metrics.percentages import BASES
from standings.engine.ranking.chain import RankingStep

# Metric -> the metric of others it is computed from; means over opponents are in `BASES`.
INNER = BASES | {
    "opp_match_wins_sum": "match_wins",
    "sos": "mms",
    "sosos": "sos",
    "sodos": "mms",
    "koya": "match_points",
    "buchholz": "adjusted_score",
    "fore_buchholz": "adjusted_score",
    "sonneborn_berger": "adjusted_score",
    "avg_opp_buchholz": "buchholz",
    "cumulative_opposition": "cumulative",
    "pooled_opp_points_pct": "match_points",
}


def inner_steps(step: RankingStep) -> list[RankingStep]:
    """The metrics whose values of others (or of the entry itself) a value is computed from."""
    if step.key == "kts_number":
        shares = [
            RankingStep(key, counts.KTS_SHARES) for key in ("opp_match_win_pct", "opp_opp_match_win_pct")
        ]
        return [RankingStep("match_points"), *shares]
    if step.key in ("solkoff", "modified_median"):
        return [RankingStep("adjusted_score", {"rule": "uscf"})]
    if step.key not in INNER:
        return []
    key = INNER[step.key]
    return [
        RankingStep(key, {name: value for name, value in step.params.items() if name in METRICS[key].params})
    ]


def inner_field_of(step: RankingStep, field: Field) -> Field:
    """The field in which the inner values of a step are read."""
    return field.fore if step.key == "fore_buchholz" else field


def inner_value_of(step: RankingStep, entry: str | None) -> InnerValue | None:
    """The value of an entry that a line of that step is computed from."""
    steps = inner_steps(step)
    return InnerValue(entry, steps[0]) if steps and entry is not None else None
