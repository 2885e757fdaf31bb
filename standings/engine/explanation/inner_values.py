"""Which values of others a value is computed from, so that each of them can be opened in turn."""

from __future__ import annotations

from standings.engine.field import Field
from standings.engine.metrics import METRICS, counts
from standings.engine.ranking.chain import RankingStep


def inner_steps(step: RankingStep) -> list[RankingStep]:
    """The metrics whose values of others (or of the entry itself) a value is computed from."""
    if step.key == "kts_number":
        shares = ("opp_match_win_pct", "opp_opp_match_win_pct")
        return [RankingStep("match_points"), *(RankingStep(key, counts.KTS_SHARES) for key in shares)]
    inner = METRICS[step.key].inner
    if not inner:
        return []
    params = {"rule": "uscf"} if step.key in ("solkoff", "modified_median") else step.params
    return [RankingStep(inner, {name: params[name] for name in params if name in METRICS[inner].params})]


def inner_field_of(step: RankingStep, field: Field) -> Field:
    """The field in which the inner values of a step are read."""
    return field.fore if step.key == "fore_buchholz" else field
