"""Explainers of sums over an entry's own rounds, of attributes and of orders.

An explainer is `function(explanation, field, entry, params)`, params prepared; it fills the explanation. None
of them computes a rule: the terms come from the functions beside the metric.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation.inner_values import inner_steps, inner_value_of
from standings.engine.explanation.types import LAST, ExplanationLine, InnerValue, Note, fraction_of
from standings.engine.field import Field
from standings.engine.metrics import counts, go, means, scores, sonneborn, sums
from standings.engine.metrics.registry import OF_ROUND
from standings.engine.ranking.chain import RankingStep
from standings.engine.records import RoundRecord


def of_rounds(explanation, field, entry, params):
    """Explain a sum over the player's own rounds, from the metric's per-round function."""
    key, step = explanation.metric, explanation.step
    of_round, notes_on = OF_ROUND[key], NOTES.get(key, lambda field, line, params: None)
    for line in field.records[entry].rounds:
        value = of_round(field, entry, line, **params)
        added = explanation.add(field, line, value)
        if note := notes_on(field, line, params):
            added.notes.append(note)
        added.inner = inner_value_of(step, line.opponent) if value is not None else None
        if key == "sodos" and value is not None:
            added.times = (go.PART[line.outcome], field.value("mms", line.opponent, params))
        if key == "spread" and line.kind == "played" and scores.margin(line) != value:
            added.changed_from, added.notes = fraction_of(scores.margin(line)), [Note("capped")]
    if key == "koya":
        explanation.note("koya_limit", limit=sonneborn.koya_limit(field, params.get("limit")))
    explanation.sum_up()


def _koya_note(field, line, params) -> Note | None:
    if line.opponent is None or OF_ROUND["koya"](field, None, line, **params) is not None:
        return None
    return Note("below_limit", {"points": field.value("match_points", line.opponent)})


def _sos_note(field, line, params) -> Note | None:
    return Note("own_start") if not line.opponent and params.get("unpaired") == "start" else None


def _square_note(field, line, params) -> Note | None:
    return Note("square", {"number": line.number}) if line.outcome == "L" and not line.is_bye else None


NOTES: dict[str, Callable[[Field, RoundRecord, dict], Note | None]] = {
    "koya": _koya_note,
    "sos": _sos_note,
    "loss_round_squares": _square_note,
}


def cumulative(explanation, field, entry, params):
    rules = {name: params[name] for name in ("cut", "bye_as") if name in params}
    for share in sums.running_shares(field, entry, **rules):
        explanation.add(field, share.round, share.value, share.left_out)
    unplayed = sums.unplayed_wins(field, entry, params.get("bye_as"))
    if params.get("deduct_unplayed_wins") and unplayed:
        explanation.lines.append(ExplanationLine(None, None, fraction_of(-unplayed), label="unplayed_wins"))
    explanation.sum_up()


def mms(explanation, field, entry, params):
    start = go.start_of(field, entry, **params)
    explanation.lines.append(ExplanationLine(None, None, fraction_of(start), label="start"))
    for line in field.records[entry].rounds:
        explanation.add(field, line, field.scoring.match_points(line))
    explanation.sum_up()


def recency_cumulative(explanation, field, entry, params):
    by_number = {line.number: line for line in field.records[entry].rounds}
    rules = {name: params[name] for name in ("decay", "byes") if name in params}
    steps = means.recency_steps(field, entry, **rules)
    for step in steps:
        line = by_number.get(step.number)
        if line is None:
            explanation.lines.append(
                ExplanationLine(step.number, None, fraction_of(step.value), [Note("not_in_round")])
            )
        else:
            explanation.add(field, line, step.value)
        explanation.lines[-1].running = fraction_of(step.running)
    if not steps:
        return
    decay = params.get("decay", Fraction(1, 4))
    explanation.how, explanation.total = LAST, fraction_of(steps[-1].value)
    if params.get("normalise"):
        explanation.divided_by = fraction_of(means.recency_best(field, decay))
        explanation.note("divided_by_best", value=explanation.divided_by)
    explanation.note("recency_rule", decay=decay)


def kts_number(explanation, field, entry, params):
    steps = {step.key: step for step in inner_steps(RankingStep("kts_number"))}
    for key, value, adds in counts.kts_blocks(field, entry, **params):
        notes = [] if key == "match_points" else [Note("thousandths")]
        explanation.lines.append(
            ExplanationLine(None, None, fraction_of(adds), notes, changed_from=fraction_of(value), label=key,
                            inner=InnerValue(entry, steps[key]))
        )  # fmt: skip
    explanation.sum_up()


def attribute(explanation, field, entry, params):
    explanation.note(explanation.metric)


def external_value(explanation, field, entry, params):
    explanation.note("external_value")
    name, missing = params.get("name", ""), params.get("missing")
    if name in field.records[entry].external:
        return
    if missing is None:
        explanation.note("external_value_missing", name=name)
    else:
        explanation.note("external_value_instead", name=name, value=fraction_of(missing))


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
