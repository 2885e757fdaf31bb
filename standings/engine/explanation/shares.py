"""Explainers of percentages and other quotients: own ones, and means over the opponents."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation.inner_values import inner_value_of
from standings.engine.explanation.types import Explanation, Note, fraction_of
from standings.engine.field import Field
from standings.engine.metrics import means, percentages, scores
from standings.engine.metrics.percentages import Ratios

RULES = ("mode", "include_byes", "count_no_show_tables")
OWN_RATIOS: dict[str, Callable[..., Ratios]] = {
    "match_win_pct": percentages.match_ratios,
    "game_win_pct": percentages.game_ratios,
    "match_loss_pct": means.loss_ratios,
}


def own_ratios(field: Field, entry: str, key: str, params: dict) -> Ratios:
    """The rounds that count in an own percentage, as parts of a whole. Raises KeyError for other metrics."""
    return OWN_RATIOS[key](field, entry, **{name: params[name] for name in RULES if name in params})


def own_share(explanation: Explanation, field: Field, entry: str, params: dict) -> None:
    """Rounds as parts of a whole; a floor or cap may change the quotient."""
    ratios = own_ratios(field, entry, explanation.metric, params)
    _add_ratios(explanation, field, entry, ratios, "left_out")
    if not explanation.divided_by:
        explanation.note("minimum_unplayed" if explanation.result else "unplayed")
    elif explanation.computed is not None and explanation.computed != explanation.result:
        explanation.changed_from = explanation.computed
        explanation.change = change_code(field, entry, explanation.computed, explanation.result, params)


def change_code(field: Field, entry: str, before: Fraction, after: Fraction, params: dict) -> str:
    """Which correction changed a share."""
    if after > before:
        return "raised"
    dropped = field.records[entry].left and after == params.get("cap_dropped")
    return "capped_dropped" if dropped else "capped"


def _add_ratios(explanation, field, entry, ratios: Ratios, code: str, inner: bool = False) -> None:
    """Add a line a round; one without a ratio is left out with a note of that code."""
    by_round = dict(ratios)
    for line in field.records[entry].rounds:
        ratio = by_round.get(line)
        if ratio is None:
            explanation.add(field, line, None, code)
            continue
        added = explanation.add(field, line, ratio.part, of=fraction_of(ratio.whole))
        added.inner = inner_value_of(explanation.step, line.opponent) if inner else None
    explanation.sum_up(sum(ratio.whole for _, ratio in ratios))


def points_per_round(explanation, field, entry, params):
    _add_ratios(explanation, field, entry, means.point_ratios(field, entry), "not_counted")
    _note_nothing(explanation)


def score_quotient(explanation, field, entry, params):
    _add_ratios(explanation, field, entry, scores.score_ratios(field, entry), "no_score")
    if not explanation.divided_by:
        explanation.note("nothing_conceded")


def mov_share(explanation, field, entry, params):
    average = params.get("bye", "average") == "average"
    for line in field.records[entry].rounds:
        value = scores.match_share(line, **params)
        code = "as_average" if line.kind in scores.GIVEN and average else "left_out"
        explanation.add(field, line, value, code if value is None else "")
    explanation.sum_up(explanation.counting)
    _note_nothing(explanation)


def pooled_opp_points_pct(explanation, field, entry, params):
    ratios = scores.pooled_ratios(field, entry, **params)
    _add_ratios(explanation, field, entry, ratios, "no_opponent", inner=True)
    possible = sum(ratio.whole for _, ratio in ratios)
    explanation.sum_up(possible * len(ratios))
    if explanation.divided_by:
        explanation.note("divided_by_maximum", number=len(ratios), points=possible)
    _note_nothing(explanation)


def _note_nothing(explanation: Explanation) -> None:
    if not explanation.divided_by:
        explanation.note("nothing_measured")


def opponents(explanation: Explanation, field: Field, entry: str, params: dict) -> None:
    """A mean over opponents, each with what changed its own value."""
    base = percentages.base_column(field, explanation.metric, params)
    for term in percentages.terms_of(field, entry, explanation.metric, params):
        line = explanation.add(field, term.round, term.value)
        if line.opponent is None:
            line.notes = [Note(term.left_out)] if term.left_out else [*line.notes, Note("as_opponent")]
        elif term.left_out:
            line.notes.append(Note(term.left_out))
        elif field.records[line.opponent].house and field.scoring.house_contribution != "own":
            line.notes = [Note("house_as_this")]
        else:
            line.inner = inner_value_of(explanation.step, line.opponent)
            _note_changes(line, field, base, params)
    explanation.sum_up(explanation.counting)
    if not explanation.divided_by:
        explanation.note("minimum_alone" if explanation.result else "alone")


def _note_changes(line, field: Field, base, params: dict) -> None:
    """Note what the opponent's own share was before floor, cap and rounding."""
    value = Fraction(base[line.opponent])
    if base.metric.key in OWN_RATIOS:
        ratios = own_ratios(field, line.opponent, base.metric.key, base.params)
        part, whole = percentages.sum_ratios(ratios)
        share = Fraction(part, whole) if whole else None
        if share is None:
            line.notes = [Note("unplayed")]
        elif share != value:
            line.changed_from = share
            line.notes = [Note(change_code(field, line.opponent, share, value, base.params))]
    if value != line.value:
        line.changed_from = value if line.changed_from is None else line.changed_from
        line.notes.append(Note("rounded", {"places": params["round_each"]}))


def explainer_of(key: str) -> Callable | None:
    """The explainer of a quotient or mean, None for other metrics."""
    return opponents if key in percentages.BASES else QUOTIENTS.get(key)


QUOTIENTS: dict[str, Callable] = dict.fromkeys(OWN_RATIOS, own_share) | {
    "points_per_round": points_per_round,
    "score_quotient": score_quotient,
    "mov_share": mov_share,
    "pooled_opp_points_pct": pooled_opp_points_pct,
}
