"""One explainer a metric: the very terms its function adds and divides, put into lines.

`tell(told, field, entry, params)`, params prepared. None of them computes a rule: the terms come from the
functions beside the metric.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from standings.engine.explanation.parts import inner_steps, part_of
from standings.engine.explanation.types import GIVEN, LAST, Line, Part, exactly
from standings.engine.field import Field
from standings.engine.metrics import counts, go, means, scores, sonneborn, sums
from standings.engine.metrics.registry import METRICS, OF_ROUND
from standings.engine.ranking.chain import Step
from standings.engine.records import RoundRecord


def of_rounds(told, field, entry, params):
    """Explain a sum over the player's own rounds, from the metric's per-round function."""
    of_round, step = OF_ROUND[told.metric], Step(told.metric, params)
    note = NOTES.get(told.metric, lambda field, line, params: "")
    for line in field.records[entry].rounds:
        value = of_round(field, entry, line, **params)
        added = told.add(field, line, value, note(field, line, params))
        added.part = part_of(step, line.opponent) if value is not None else None
        if told.metric == "sodos" and value is not None:
            added.times = (go.PART[line.outcome], field.value("mms", line.opponent, params))
        if told.metric == "spread" and line.kind == "played" and scores.margin(line) != value:
            added.changed_from, added.note = exactly(scores.margin(line)), "capped"
    if told.metric == "koya":
        limit = sonneborn.koya_limit(field, params.get("limit"))
        told.notes.append(f"opponents count from {limit} points up")
    told.sum_up()


def _koya_note(field, line, params) -> str:
    if line.opponent is None or OF_ROUND["koya"](field, None, line, **params) is not None:
        return ""
    return f"opponent has {field.value('match_points', line.opponent)} points: left out"


def _sos_note(field, line, params) -> str:
    return "own starting score" if not line.opponent and params.get("unpaired") == "start" else ""


def _square_note(field, line, params) -> str:
    return f"{line.number} × {line.number}" if line.outcome == "L" and not line.is_bye else ""


NOTES: dict[str, Callable[[Field, RoundRecord, dict], str]] = {
    "koya": _koya_note,
    "sos": _sos_note,
    "loss_round_squares": _square_note,
}


def cumulative(told, field, entry, params):
    kept = {name: params[name] for name in ("cut", "bye_as") if name in params}
    for share in sums.running_shares(field, entry, **kept):
        told.add(field, share.round, share.value, f"{share.left_out}: left out" if share.left_out else "")
    unplayed = sums.unplayed_wins(field, entry, params.get("bye_as"))
    if params.get("deduct_unplayed_wins") and unplayed:
        told.lines.append(Line(None, None, exactly(-unplayed), label="deducted for unplayed wins"))
    told.sum_up()


def mms(told, field, entry, params):
    start = go.start_of(field, entry, **params)
    told.lines.append(Line(None, None, exactly(start), label="starting score"))
    for line in field.records[entry].rounds:
        told.add(field, line, field.scoring.match_points(line))
    told.sum_up()


def recency_cumulative(told, field, entry, params):
    by_number = {line.number: line for line in field.records[entry].rounds}
    kept = {name: params[name] for name in ("decay", "byes") if name in params}
    steps = means.recency_steps(field, entry, **kept)
    for step in steps:
        line = by_number.get(step.number)
        if line is None:
            told.lines.append(Line(step.number, None, exactly(step.value), "player not in this round"))
        else:
            told.add(field, line, step.value)
        told.lines[-1].running = exactly(step.running)
    if not steps:
        return
    told.how, told.total = LAST, exactly(steps[-1].value)
    if params.get("normalise"):
        decay = {name: params[name] for name in ("decay",) if name in params}
        told.divided_by = exactly(means.recency_best(field, **decay))
        told.notes.append(f"divided by {told.divided_by}, the value of winning every round")
    told.notes.append(
        f"each round: the value before × {params.get('decay', Fraction(1, 4))} + the points so far"
    )


def kts_number(told, field, entry, params):
    steps = {step.key: step for step in inner_steps(Step("kts_number"))}
    for key, value, adds in counts.kts_blocks(field, entry, **params):
        label = METRICS[key].title
        per_mille = "" if key == "match_points" else "in thousandths, by wins, without a minimum"
        told.lines.append(
            Line(None, None, exactly(adds), per_mille, changed_from=exactly(value), label=label,
                 part=Part(entry, steps[key]))
        )  # fmt: skip
    told.sum_up()


ATTRIBUTES = {
    "rating": "rating at registration; 0 if none",
    "seed": "seeding before the event",
    "late_flag": "1 for players who arrived late, 0 for players who were on time",
    "external_value": "measured outside the matches",
}


def attribute(told, field, entry, params):
    told.how = GIVEN
    told.notes.append(ATTRIBUTES[told.metric])
    name = params.get("name", "")
    if told.metric == "external_value" and name not in field.records[entry].external:
        counted = "more than anyone else has" if params.get("missing") is None else exactly(params["missing"])
        told.notes.append(f'this player has no label "{name}=…" with a number: counted as {counted}')


def random(told, field, entry, params):
    told.how = GIVEN
    stored = field.records[entry].lot
    told.notes.append(
        f"place {field.lots[entry]} of {len(field.lots)} in the event's random order, lowest first"
    )
    if stored is not None:
        told.notes.append(f"random number {stored} is stored with this player; stored numbers come first")
    else:
        told.notes.append(
            "anyone can recompute it: SHA-256 of the event's seed, the word lot and the player's "
            f"code ({entry}), in ascending order"
        )


def manual(told, field, entry, params):
    told.how = GIVEN
    given = field.records[entry].manual
    told.notes.append(
        "no manual order was set for this player: ranked after everyone who has one" if given is None
        else f"set manually by staff: place {given}"
    )  # fmt: skip
