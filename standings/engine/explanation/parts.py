"""Which values of others a value is made of, so that each of them can be opened in turn."""

from __future__ import annotations

from standings.engine.explanation.types import Part
from standings.engine.field import Field
from standings.engine.metrics import METRICS, counts
from standings.engine.metrics.percentages import BASES
from standings.engine.ranking.chain import Step


def inner_steps(step: Step) -> list[Step]:
    """The metrics whose values of others (or of the entry itself) a value is made of."""
    if step.key == "kts_number":
        shares = [Step(key, counts.KTS_SHARES) for key in ("opp_match_win_pct", "opp_opp_match_win_pct")]
        return [Step("match_points"), *shares]
    if step.key in BASES:
        return [_inner(step, BASES[step.key])]
    if step.key in ("solkoff", "modified_median"):
        return [Step("adjusted_score", {"rule": "uscf"})]
    return [_inner(step, INNER[step.key])] if step.key in INNER else []


def _inner(step: Step, key: str) -> Step:
    return Step(key, {name: value for name, value in step.params.items() if name in METRICS[key].params})


INNER = {
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


def field_inside(step: Step, field: Field) -> Field:
    """The field the inner values of a step are read in."""
    return field.fore if step.key == "fore_buchholz" else field


def part_of(step: Step, entry: str | None) -> Part | None:
    """The value of an entry a line of that step is made of."""
    inner = inner_steps(step)
    return Part(entry, inner[0]) if inner and entry is not None else None
