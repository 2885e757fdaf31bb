"""Explainers of percentages and other quotients: own ones, and means over the opponents."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation.parts import part_of
from standings.engine.explanation.types import Explanation, exactly
from standings.engine.field import Field
from standings.engine.metrics import means, percentages, scores
from standings.engine.metrics.percentages import Ratio
from standings.engine.ranking.chain import Step
from standings.engine.records import RoundRecord

Parts = list[tuple[RoundRecord, Ratio]]
OWN_RULES = ("mode", "include_byes", "count_no_show_tables")


def own_parts(field: Field, entry: str, key: str, params: dict) -> Parts | None:
    """What every counted round gives to an own percentage: so much of so much. None for other metrics."""
    if key in ("match_win_pct", "game_win_pct"):
        rules = (params.get("include_byes", True), params.get("count_no_show_tables", True))
        part = percentages.match_part if key == "match_win_pct" else percentages.game_part
        rounds = percentages.counted(field, entry, *rules)
        return [(line, part(field, line, params.get("mode", "points"))) for line in rounds]
    if key == "match_loss_pct":
        return means.losses(field, entry, params.get("count_no_show_tables", True))
    return None


def own_share(told: Explanation, field: Field, entry: str, params: dict) -> None:
    """Rounds of so much of so much; a floor or cap may change the quotient."""
    _quotient(told, field, entry, own_parts(field, entry, told.metric, params) or [], "left out")
    if not told.divided_by:
        told.notes.append("nothing played yet" + (": the minimum" if told.result else ""))
    elif told.computed != told.result:
        told.changed_from = told.computed
        told.change = change(field, entry, told.computed, told.result, params)


def change(field: Field, entry: str, before, after, params: dict) -> str:
    """Which correction changed a share."""
    if after > before:
        return "raised to the minimum"
    dropped = field.records[entry].left and after == params.get("cap_dropped")
    return "capped (dropped)" if dropped else "capped"


def _quotient(told, field, entry, parts: Parts, note: str) -> None:
    by_round = dict(parts)
    for line in field.records[entry].rounds:
        part = by_round.get(line)
        if part is None:
            told.add(field, line, None, note)
        else:
            told.add(field, line, part.part, of=exactly(part.whole))
    told.sum_up(sum(part.whole for _, part in parts))


def points_per_round(told, field, entry, params):
    _quotient(told, field, entry, means.points_a_round(field, entry), "not counted")
    _nothing(told)


def score_quotient(told, field, entry, params):
    _quotient(told, field, entry, scores.made_and_conceded(field, entry), "no score: left out")
    if not told.divided_by:
        told.notes.append("nothing conceded, so the points scored stand as they are")


def mov_share(told, field, entry, params):
    average = params.get("bye", "average") == "average"
    for line in field.records[entry].rounds:
        value = scores.match_share(line, **params)
        as_others = line.kind in scores.GIVEN and average
        note = "counts as the average of the others" if as_others else "left out"
        told.add(field, line, value, note if value is None else "")
    told.sum_up(told.counting)
    _nothing(told)


def pooled_opp_points_pct(told, field, entry, params):
    step = Step(told.metric, params)
    parts = scores.pooled_parts(field, entry, **params)
    by_round = dict(parts)
    for line in field.records[entry].rounds:
        part = by_round.get(line)
        if part is None:
            told.add(field, line, None, "no opponent: left out")
        else:
            told.add(field, line, part.part, of=exactly(part.whole), part=part_of(step, line.opponent))
    possible = sum(part.whole for _, part in parts)
    told.sum_up(possible * len(parts))
    if told.divided_by:
        told.notes.append(f"divided by {len(parts)} opponents and by their maximum of {possible} points")
    _nothing(told)


def _nothing(told: Explanation) -> None:
    if not told.divided_by:
        told.notes.append("nothing to measure yet")


def opponents(told: Explanation, field: Field, entry: str, params: dict) -> None:
    """A mean over opponents, each with what changed its own value."""
    step = Step(told.metric, params)
    base = percentages.base_column(field, told.metric, params)
    for term in percentages.terms_of(field, entry, told.metric, params):
        note = f"{term.left_out}: left out" if term.left_out else ""
        line = told.add(field, term.round, term.value, note)
        if line.opponent is None:
            line.note = note or f"{line.note}, counts as an opponent"
            continue
        if line.value is None:
            continue
        if field.records[line.opponent].house and field.scoring.house_contribution != "own":
            line.note = "house opponent, counts as this"
            continue
        line.part = part_of(step, line.opponent)
        _changed(line, field, base, params)
    told.sum_up(told.counting)
    if not told.divided_by:
        told.notes.append("no opponent yet" + (": the minimum" if told.result else ""))


def _changed(line, field: Field, base, params: dict) -> None:
    """What the opponent's own share was before floor, cap and rounding."""
    value = Fraction(base[line.opponent])
    parts = own_parts(field, line.opponent, base.metric.key, base.params)
    if parts is not None:
        part, whole = percentages.together(ratio for _, ratio in parts)
        raw = Fraction(part, whole) if whole else None
        if raw is None:
            line.note = "nothing played yet"
        elif raw != value:
            line.changed_from, line.note = raw, change(field, line.opponent, raw, value, base.params)
    if value != line.value:
        line.changed_from = value if line.changed_from is None else line.changed_from
        line.note = f"{line.note + ', ' if line.note else ''}rounded to {params['round_each']} places"


def default_of(key: str) -> Callable | None:
    """The explainer of a quotient or mean, None for other metrics."""
    return opponents if key in percentages.BASES else QUOTIENTS.get(key)


QUOTIENTS: dict[str, Callable] = {
    "match_win_pct": own_share,
    "game_win_pct": own_share,
    "match_loss_pct": own_share,
    "points_per_round": points_per_round,
    "score_quotient": score_quotient,
    "mov_share": mov_share,
    "pooled_opp_points_pct": pooled_opp_points_pct,
}
