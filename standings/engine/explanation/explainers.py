"""Remarks and adjustments that some metrics add to their explanation.

An explainer is `function(explanation, field, entry, params)` with prepared params; it completes the explanation and
never computes a rule.
"""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import takewhile

from standings.engine.explanation.types import (
    GIVEN,
    LAST,
    PLACE,
    Explanation,
    ExplanationLine,
    HeadToHead,
    Member,
)
from standings.engine.field import Column, Field
from standings.engine.metrics import buchholz, means, metric_of, percentages, unplayed
from standings.engine.metrics.head_to_head import Split, Table, splits_of, worth_on
from standings.engine.metrics.registry import read_params
from standings.engine.metrics.terms import Note, Term, quotient_of, whole_of
from standings.engine.ranking.rank import Ranking, Tied
from standings.engine.records import FORFEIT_KINDS


def own_share(explanation: Explanation, field: Field, entry: str, params: dict) -> None:
    if not explanation.divided_by:
        explanation.note("minimum_unplayed" if explanation.result else "unplayed")
        return
    computed = (explanation.total or Fraction(0)) / explanation.divided_by
    if computed != explanation.result:
        explanation.changed_from = computed
        explanation.change = change_code(field, entry, computed, explanation.result, params)


def change_code(field: Field, entry: str, before: Fraction, after: Fraction, params: dict) -> str:
    if after > before:
        return "raised"
    dropped = field.records[entry].left_early and after == params.get("cap_dropped")
    return "capped_dropped" if dropped else "capped"


def mean_over_opponents(explanation: Explanation, field: Field, entry: str, params: dict) -> None:
    base = percentages.base_column(field, explanation.metric, params)
    for line in explanation.lines:
        if line.inner is not None:
            _note_changes(line, line.inner.entry, field, base, params)
    if not explanation.divided_by:
        explanation.note("minimum_alone" if explanation.result else "alone")


def _note_changes(line: ExplanationLine, opponent: str, field: Field, base: Column, params: dict) -> None:
    value = Fraction(base[opponent])
    if base.metric.key in OWN_SHARES:
        terms = base.metric.terms(field, opponent, **base.params)  # type: ignore[misc]
        share = Fraction(quotient_of(terms, base.metric.divisor))
        if not whole_of(terms):
            line.notes.append(Note("unplayed"))
        elif share != value:
            line.changed_from = share
            line.notes.append(Note(change_code(field, opponent, share, value, base.params)))
    if value != line.value:
        line.changed_from = value if line.changed_from is None else line.changed_from
        line.notes.append(Note("rounded", {"places": params["round_each"]}))


def remark(code: str, explanation: Explanation, field: Field, entry: str, params: dict) -> None:
    explanation.note(code)


def note_nothing(
    explanation: Explanation, field: Field, entry: str, params: dict, code: str = "nothing_measured"
) -> None:
    if not explanation.divided_by:
        explanation.note(code)


def pooled_opp_points_pct(explanation, field, entry, params):
    if possible := explanation.divided_by:
        number = sum(line.value is not None for line in explanation.lines)
        explanation.divided_by = possible * number
        explanation.note("divided_by_maximum", number=number, points=possible)
    note_nothing(explanation, field, entry, params)


def modified_median(explanation, field, entry, params):
    score, half = field.scoring.points(field.records[entry]), unplayed.half_of_maximum(field)
    code = "median_lowest" if score > half else "median_highest" if score < half else "median_both"
    cuts = buchholz.median_cuts(field, score, half, **params)
    explanation.note(code, score=score, half=half, number=max(cuts.values()))


def fore_buchholz(explanation, field, entry, params):
    explanation.note("last_round_drawn", round=field.rounds)


def koya(explanation, field, entry, params):
    explanation.note("koya_limit", limit=params.get("limit", unplayed.half_of_maximum(field)))


def loss_round_squares(explanation, field, entry, params):
    for line in explanation.lines:
        if line.value:
            line.notes.append(Note("square", {"number": line.round}))


def recency_cumulative(explanation, field, entry, params):
    if not explanation.lines:
        explanation.how, explanation.total = GIVEN, None
        return
    decay = params.get("decay", means.QUARTER)
    explanation.how, explanation.total = LAST, explanation.lines[-1].value
    if params.get("normalise"):
        explanation.divided_by = Fraction(means.recency_best(field, decay))
        explanation.note("divided_by_best", value=explanation.divided_by)
    explanation.note("recency_rule", decay=decay)


def external_value(explanation, field, entry, params):
    explanation.note("external_value")
    name, missing = params.get("name", ""), params.get("missing")
    if name in field.records[entry].external:
        return
    if missing is None:
        explanation.note("external_value_missing", name=name)
    else:
        explanation.note("external_value_instead", name=name, value=Fraction(missing))


def random(explanation, field, entry, params):
    explanation.note("lot_place", place=field.lots[entry], number=len(field.lots))
    stored = field.records[entry].lot
    if stored is None:
        explanation.note("lot_drawn", entry=entry)
    else:
        explanation.note("lot_stored", lot=stored)


def manual(explanation, field, entry, params):
    place = field.records[entry].manual
    if place is None:
        explanation.note("no_manual_place")
    else:
        explanation.note("manual_place", place=place)


OWN_SHARES = ("match_win_pct", "game_win_pct", "match_loss_pct")
EXPLAINERS: dict[str, Callable] = {
    **dict.fromkeys(OWN_SHARES, own_share),
    **dict.fromkeys(percentages.BASES, mean_over_opponents),
    **dict.fromkeys(("points_per_round", "mov_share"), note_nothing),
    **{key: partial(remark, key) for key in ("rating", "seed", "late_flag")},
    "score_quotient": partial(note_nothing, code="nothing_conceded"),
    "adjusted_score": partial(remark, "counts_for_opponents"),
    "pooled_opp_points_pct": pooled_opp_points_pct,
    "modified_median": modified_median,
    "fore_buchholz": fore_buchholz,
    "koya": koya,
    "loss_round_squares": loss_round_squares,
    "recency_cumulative": recency_cumulative,
    "external_value": external_value,
    "random": random,
    "manual": manual,
}


# --- head-to-head: the tied group as a table, who met whom, and what decided or why nothing did ----------------

FEW = 5  # the pairs that never met are listed for groups up to this size
ALL_MEET = ("minileague", "fide")  # modes that ask whether all of them met


def tied_group_of(ranking: Ranking, entry: str, index: int) -> list[str]:
    """List everyone tied with an entry on all earlier steps, including the entry, best first."""

    def is_tied(other: str) -> bool:
        values = ranking.row(other).values
        return ranking.views[other].tier == tier and all(values[step] == own[step] for step in range(index))

    own, tier, order = ranking.row(entry).values, ranking.views[entry].tier, ranking.order
    at = order.index(entry)
    above, below = takewhile(is_tied, reversed(order[:at])), takewhile(is_tied, order[at + 1 :])
    return [*reversed([*above]), entry, *below]


def explain_head_to_head(ranking: Ranking, entry: str, index: int) -> Explanation:
    """Explain the place of an entry in the group that was tied before the step at `index`."""
    step = ranking.steps[index]
    explanation = Explanation(entry, step, result=ranking.row(entry).values[index], how=PLACE)
    group = tied_group_of(ranking, entry, index)
    if len(group) == 1:
        explanation.note("not_tied")
        return explanation
    explanation.note("place_among", number=len(group))
    field, params = Tied(ranking.views, group), read_params(metric_of(step.key), step.params)
    mode, on = params.get("mode", "minileague"), params.get("on", "match_points")
    for split in splits_of(field, group, mode, on):
        if entry in split.table.points:
            explanation.groups.append(_group(split, mode))
    for line in field.records[entry].rounds:
        if line.opponent in group and line.kind not in FORFEIT_KINDS:
            explanation.add(ranking.views[entry].then, Term(line, worth_on(field, line, on)))
    return explanation


def _group(split: Split, mode: str) -> HeadToHead:
    table, parts = split
    met = Counter(entry for entry, _ in table.met)
    members = [
        Member(entry, Fraction(table.points[entry]), table.balance[entry], met[entry], place)
        for place, part in enumerate(parts, start=1)
        for entry in part
    ]
    missing = table.missing() if mode in ALL_MEET and len(members) <= FEW else []
    return HeadToHead(members, missing, _outcome(mode, table, decided=len(parts) > 1))


def _outcome(mode: str, table: Table, decided: bool) -> Note:
    if mode == "two_only" and len(table.points) != 2:
        return Note("not_two", {"number": len(table.points)})
    if mode == "two_only" and not table.met:
        return Note("two_not_met")
    if mode in ALL_MEET and table.missing():
        mode += "_missing"
    return Note(OUTCOMES[mode][0 if decided else 1])


# Mode: (what decided, why nothing did).
OUTCOMES = {
    "two_only": ("two_decided", "two_even"),
    "beat_all": ("beat_all", "beat_all_nobody"),
    "minileague": ("all_met_decided", "all_met_even"),
    "minileague_missing": ("", "not_all_met"),
    "fide": ("all_met_decided", "all_met_even"),
    "fide_missing": ("fide_first", "fide_uncertain"),
    "plus_minus": ("plus_minus_decided", "plus_minus_even"),
}
