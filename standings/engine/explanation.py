"""Explanations of values, from the same terms that the values were computed from; nothing is recomputed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple

from standings.engine.field import Column, Field
from standings.engine.metrics import METRICS, UnknownMetric, buchholz, counts, find_metric, percentages
from standings.engine.metrics.head_to_head import Split, Table, list_splits, worth_on
from standings.engine.metrics.registry import (
    NO_ROUND,
    Note,
    Term,
    divide_terms,
    read_params,
    sum_wholes,
    term_divisor,
    total_of,
)
from standings.engine.ranking import Ranking, RankingStep, Tied
from standings.engine.records import FORFEIT_KINDS, Outcomes, count_outcomes
from standings.engine.scoring import Number

# How a value follows from its lines.
SUM, LAST, GIVEN, PLACE = "sum", "last", "given", "place"


class InnerValue(NamedTuple):
    """Another entry's value that a line uses; it can be explained in turn."""

    entry: str
    step: RankingStep


def inner_steps(step: RankingStep) -> list[RankingStep]:
    if step.key == "kts_number":
        shares = ("opp_match_win_pct", "opp_opp_match_win_pct")
        return [RankingStep("match_points"), *(RankingStep(key, counts.KTS_SHARES) for key in shares)]
    inner = METRICS[step.key].inner
    if not inner:
        return []
    params = {"rule": "uscf"} if step.key in ("solkoff", "modified_median") else step.params
    return [RankingStep(inner, {name: params[name] for name in params if name in METRICS[inner].params})]


def find_inner_field(step: RankingStep, field: Field) -> Field:
    return field.fore if step.key == "fore_buchholz" else field


@dataclass(slots=True)
class ExplanationLine:
    """One round's contribution. If `value` is None it does not count, and `notes` say why."""

    round: int | None
    opponent: str | None
    value: Fraction | None
    notes: list[Note] = field(default_factory=list)
    record: Outcomes | None = None  # of the opponent
    changed_from: Fraction | None = None  # the value before a floor, cap or rounding
    of: Fraction | None = None  # the contribution to the divisor
    # (own result as part of a win, opponent's score); the value is their product.
    times: tuple[Fraction, Fraction] | None = None
    running: Fraction | None = None  # the points so far
    label: str = ""  # the line's kind if it is not a round: "start", "unplayed_wins" or a metric's key
    inner: InnerValue | None = None  # the explanation of the value shown


class Member(NamedTuple):
    """A member of a tied group. Points and wins − losses are from its `met` meetings inside the group."""

    entry: str
    points: Fraction
    balance: int
    met: int
    part: int


class HeadToHead(NamedTuple):
    """One application of head-to-head: the group, best part first, the pairs that never met, and the outcome."""

    members: list[Member]
    missing: list[tuple[str, str]]
    note: Note


@dataclass(slots=True)
class Explanation:
    """One entry's value: the lines, their `total`, what it is `divided_by` (or None), the exact `result`.

    `how`: the "sum" of the lines or the "last" one (over the divisor), "given" (see `notes`), or "place" in a group.
    """

    entry: str
    step: RankingStep
    lines: list[ExplanationLine] = field(default_factory=list)
    total: Fraction | None = None
    divided_by: Fraction | None = None
    changed_from: Fraction | None = None  # the value before a floor or cap changed it; `change` is its code
    change: str = ""
    result: Fraction = Fraction(0)
    notes: list[Note] = field(default_factory=list)
    how: str = GIVEN
    groups: list[HeadToHead] = field(default_factory=list)

    @property
    def metric(self) -> str:
        return self.step.key

    @property
    def unit(self) -> str:
        return find_metric(self.metric).unit

    def add(self, source: Field, term: Term) -> None:
        line, inner, steps = term.round, None, inner_steps(self.step)
        if term.label:
            inner = next((InnerValue(self.entry, step) for step in steps if step.key == term.label), None)
        elif line.opponent and steps and not term.note and (term.value is not None or term.cut):
            inner = InnerValue(line.opponent, steps[0])
        number = None if line is NO_ROUND else line.number
        explained = ExplanationLine(
            number, line.opponent, to_fraction(term.value), label=term.label, inner=inner
        )
        remarks = ("" if line.kind == "played" else line.kind, term.note, term.cut)
        explained.notes = [note if isinstance(note, Note) else Note(note) for note in remarks if note]
        explained.record = count_outcomes(source.records[line.opponent]) if line.opponent else None
        explained.changed_from, explained.of = to_fraction(term.before), to_fraction(term.of)
        explained.times = (Fraction(term.times[0]), Fraction(term.times[1])) if term.times else None
        explained.running = to_fraction(term.running)
        self.lines.append(explained)

    def note(self, code: str, **values: Any) -> None:
        self.notes.append(Note(code, values))


def to_fraction(value: Number | None) -> Fraction | None:
    return None if value is None else Fraction(value)


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
        share = Fraction(divide_terms(terms, base.metric.divisor))
        if not sum_wholes(terms):
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
    score, half = field.scoring.points(field.records[entry]), buchholz.half_of_maximum(field)
    code = "median_lowest" if score > half else "median_highest" if score < half else "median_both"
    cuts = buchholz.median_cuts(field, score, half, **params)
    explanation.note(code, score=score, half=half, number=max(cuts.values()))


def fore_buchholz(explanation, field, entry, params):
    explanation.note("last_round_drawn", round=field.rounds)


def koya(explanation, field, entry, params):
    explanation.note("koya_limit", limit=params.get("limit", buchholz.half_of_maximum(field)))


def loss_round_squares(explanation, field, entry, params):
    for line in explanation.lines:
        if line.value:
            line.notes.append(Note("square", {"number": line.round}))


def recency_cumulative(explanation, field, entry, params):
    if not explanation.lines:
        explanation.how, explanation.total = GIVEN, None
        return
    decay = params.get("decay", percentages.QUARTER)
    explanation.how, explanation.total = LAST, explanation.lines[-1].value
    if params.get("normalise"):
        explanation.divided_by = Fraction(percentages.recency_best(field, decay))
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


def find_tied_group(ranking: Ranking, entry: str, index: int) -> list[str]:
    """List all entries tied with this one on all earlier steps, itself included, best first."""

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
    group = find_tied_group(ranking, entry, index)
    if len(group) == 1:
        explanation.note("not_tied")
        return explanation
    explanation.note("place_among", number=len(group))
    field, params = Tied(ranking.views, group), read_params(find_metric(step.key), step.params)
    mode, on = params.get("mode", "minileague"), params.get("on", "match_points")
    for split in list_splits(field, group, mode, on):
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


# {mode: (code if it decided, code if it did not)}.
OUTCOMES = {
    "two_only": ("two_decided", "two_even"),
    "beat_all": ("beat_all", "beat_all_nobody"),
    "minileague": ("all_met_decided", "all_met_even"),
    "minileague_missing": ("", "not_all_met"),
    "fide": ("all_met_decided", "all_met_even"),
    "fide_missing": ("fide_first", "fide_uncertain"),
    "plus_minus": ("plus_minus_decided", "plus_minus_even"),
}


def explain(ranking: Ranking, entry: str, metric: str | int) -> Explanation:
    """Explain one value. `metric`: a column's key (its first column) or position. Raises KeyError, UnknownMetric."""
    index = _index(ranking, metric)
    row, view, step = ranking.row(entry), ranking.views[entry], ranking.steps[index]
    if find_metric(step.key).group:
        return explain_head_to_head(ranking, entry, index)
    explanation = explain_value((view.then if index else view.now).field_at_drop(entry), entry, step)
    assert explanation.result == row.values[index]
    if index and view.then is not view.now:
        at_drop = view.now.field_at_drop(entry) is not view.now
        explanation.note("frozen_at_drop" if at_drop else "frozen", round=view.then.rounds)
    return explanation


def find_inner_step(ranking: Ranking, entry: str, metric: str | int, key: str) -> tuple[RankingStep, Field]:
    """Find metric `key` among those that an entry's value is computed from. Return its step and field.

    Raises UnknownMetric if the value is not computed from it.
    """
    index = _index(ranking, metric)
    view = ranking.views[entry]
    open_steps = [(ranking.steps[index], view.then if index else view.now)]
    for step, source in open_steps:
        for inner in inner_steps(step):
            inside = find_inner_field(step, source)
            if inner.key == key:
                return inner, inside
            open_steps.append((inner, inside))
    raise UnknownMetric(f"{ranking.columns[index]!r} is not computed from {key!r}.")


def explain_value(source: Field, entry: str, step: RankingStep) -> Explanation:
    """Explain one value; a value frozen at the player's drop is explained as of then, without links."""
    if (at_drop := source.field_at_drop(entry)) is not source:
        explanation = explain_value(at_drop, entry, step)
        for line in explanation.lines:
            line.inner = None
        explanation.note("frozen_at_drop", round=at_drop.rounds)
        return explanation
    metric = find_metric(step.key)
    explanation = Explanation(entry, step, result=Fraction(source.value(step.key, entry, step.params)))
    params = read_params(metric, step.params)
    if metric.terms is not None:
        terms = metric.terms(source, entry, **params)
        inside = find_inner_field(step, source)
        for term in terms:
            explanation.add(inside, term)
        explanation.how, explanation.total = SUM, Fraction(total_of(terms))
        explanation.divided_by = to_fraction(term_divisor(terms, metric.divisor)) or None
    if step.key in EXPLAINERS:
        EXPLAINERS[step.key](explanation, source, entry, params)
    return explanation


def _index(ranking: Ranking, metric: str | int) -> int:
    if isinstance(metric, int):
        return metric
    if metric not in ranking.columns:
        raise UnknownMetric(f"{metric!r} is not a column of these standings.")
    return ranking.columns.index(metric)


FOR_OPPONENTS, OWN = "opponents", "own"

# Notes by value, if they need no number.
CODES = {
    ("include_byes", False): "byes_left_out",
    ("include_byes", True): "byes_counted",
    ("count_no_show_tables", False): "no_shows_left_out",
    ("count_no_show_tables", True): "no_shows_counted",
    ("count_missed_rounds", False): "missed_left_out",
    ("count_missed_rounds", True): "missed_counted",
    ("floor", None): "no_minimum",
    ("cap", None): "no_maximum",
}


class OtherValue(NamedTuple):
    """Another value of the same metric: where it is used, the exact value, and why it differs."""

    where: str
    value: Fraction
    reasons: list[Note]


def other_values(
    field: Field, entry: str, step: RankingStep, own: RankingStep, chain: Sequence[RankingStep]
) -> list[OtherValue]:
    """List other values of the step's metric: by the entry's `own` settings, and in the `chain` of the standings."""
    mine = field.value(step.key, entry, step.params)
    inside = [inner for outer in chain for inner in _inside(outer) if inner.key == step.key]
    values: list[OtherValue] = []
    for where, other in [(OWN, own), *((FOR_OPPONENTS, inner) for inner in inside)]:
        value = field.value(other.key, entry, other.params)
        if value != mine and all(value != known.value for known in values):
            values.append(OtherValue(where, Fraction(value), differences(step, other)))
    return values


def _inside(step: RankingStep) -> list[RankingStep]:
    steps = inner_steps(step)
    return steps + [deeper for inner in steps for deeper in _inside(inner)]


def differences(step: RankingStep, other: RankingStep) -> list[Note]:
    mine, theirs = _params(step), _params(other)
    return [
        Note(CODES[name, value])
        if (name, value) in CODES
        else Note("counted_with", {"metric": step.key, "name": name, "value": value})
        for name, value in theirs.items()
        if mine[name] != value
    ]


def _params(step: RankingStep) -> dict[str, Any]:
    metric = find_metric(step.key)
    return {name: param.default for name, param in metric.params.items()} | read_params(metric, step.params)
