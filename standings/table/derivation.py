"""Explanations of numbers, with names, rounded values and notes in words or as JSON; and the history of a rank."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from standings.engine import explanation as engine
from standings.engine.field import Field
from standings.engine.metrics import METRICS, UnknownMetric
from standings.engine.metrics.percentages import BASES
from standings.engine.ranking import SHARED, STEP, DecidingStep, RankingStep, build_step, find_deciding_steps
from standings.engine.records import Outcomes
from standings.table.sheet import RankedEvent, SheetColumn
from standings.words import explanation as words
from standings.words.metrics import metric_formula, step_title
from tournament.event.formats import format_number


@dataclass(frozen=True, slots=True)
class Neighbour:
    code: str  # of the neighbour
    name: str
    below: bool  # the row is below this neighbour
    reason: str = ""  # if no column decided
    slug: str = ""
    column: str = ""
    mine: str = ""  # the values in the deciding column
    theirs: str = ""

    @property
    def text(self) -> str:
        words = _("Above %(name)s on %(column)s: %(mine)s vs. %(theirs)s.")
        if self.below:
            words = _("Below %(name)s on %(column)s: %(mine)s vs. %(theirs)s.")
        values = {"name": self.name, "column": self.column, "mine": self.mine, "theirs": self.theirs}
        return self.reason or words % values


def compare_with_neighbours(ranked: RankedEvent, code: str) -> list[Neighbour]:
    """Return the rows above and below, and in words what decides between them and this row."""
    upper, lower = find_deciding_steps(ranked.ranking, code)
    above = [_neighbour(ranked, upper, upper.above, below=True)] if upper else []
    return above + ([_neighbour(ranked, lower, lower.below, below=False)] if lower else [])


def _neighbour(ranked: RankedEvent, step: DecidingStep, code: str, *, below: bool) -> Neighbour:
    name = ranked.names[code]
    if step.why == SHARED:
        words = _("Tied with %(name)s on everything: the rank is shared.")
    elif below:
        words = _("Below %(name)s: only one of the two is in the later stage.")
    else:
        words = _("Above %(name)s: only one of the two is in the later stage.")
    if step.why != STEP:
        return Neighbour(code, name, below, words % {"name": name})
    column = ranked.list_columns(all_of_them=True)[step.step]
    values = step.values[::-1] if below else step.values
    mine, theirs = (ranked.format(value, column.unit) for value in values)
    if mine == theirs:
        mine, theirs = (f"{text} ({value})" for text, value in zip((mine, theirs), values, strict=True))
    return Neighbour(code, name, below, "", column.slug, column.title, mine, theirs)


@dataclass(slots=True)
class DerivationLine:
    round: int | None
    opponent: str
    record: Outcomes | None
    value: str
    before: str = ""  # the value before something changed it
    note: str = ""
    of: str = ""  # what the value is a part of
    times: str = ""  # the product it is
    running: str = ""  # points so far
    inside: tuple[str, str] | None = None  # (metric, code) of the value it leads to


class League(NamedTuple):
    """One application of head-to-head: (name, code, points, wins − losses, met, part) rows, and its outcome."""

    rows: list[tuple[str, str, str, int, int, int]]
    missing: list[tuple[str, str]]
    note: str


@dataclass(slots=True)
class Derivation:
    """The computation of a number: its terms, their total, and the divisor."""

    column: SheetColumn
    name: str
    shown: str
    explanation: engine.Explanation  # in exact numbers
    terms: list[DerivationLine]
    total: str = ""
    divided_by: str = ""
    before: str = ""
    change: str = ""
    notes: list[str] = field(default_factory=list)
    leagues: list[League] = field(default_factory=list)
    neighbours: list[Neighbour] = field(default_factory=list)

    @property
    def with_record(self) -> bool:
        return any(term.record for term in self.terms)

    @property
    def with_running(self) -> bool:
        return any(term.running for term in self.terms)


def _find_column(ranked: RankedEvent, code: str, slug: str) -> SheetColumn | None:
    """Return the column of an entry's number; None for an unknown entry or column."""
    columns = ranked.list_columns(all_of_them=True) if code in ranked.ranking else []
    return next((column for column in columns if column.slug == slug), None)


def build_derivation(ranked: RankedEvent, code: str, slug: str) -> Derivation | None:
    """Return the derivation of one number of the standings; None for an unknown entry or column."""
    column = _find_column(ranked, code, slug)
    if column is None:
        return None
    view, step = ranked.ranking.views[code], ranked.ranking.steps[column.index]
    source = view.then if column.index else view.now
    derivation = _derivation(ranked, column, engine.explain(ranked.ranking, code, column.index), source)
    derivation.notes += _values_elsewhere(ranked, code, source, step)
    if step.ascending and column.unit != "order":
        derivation.notes.append(_("Lower is better."))
    derivation.neighbours = compare_with_neighbours(ranked, code)
    return derivation


def build_inner_derivation(
    ranked: RankedEvent, code: str, slug: str, key: str, other: str
) -> Derivation | None:
    """Return the derivation of another entry's value used in that number; None if it is not used."""
    column = _find_column(ranked, code, slug)
    if column is None:
        return None
    try:
        step, source = engine.find_inner_step(ranked.ranking, code, column.index, key)
        explanation = engine.explain_value(source, other, step)
    except (KeyError, UnknownMetric):
        return None
    unit, title = METRICS[key].unit, step_title(step)
    inside = SheetColumn(column.index, key, title, title, metric_formula(key), unit)
    derivation = _derivation(ranked, inside, explanation, source)
    own = build_step(key, ranked.event.profile)
    value = Fraction(source.value(key, other, own.params))
    if key in BASES.values() and value != explanation.result:
        reasons = engine.differences(own, step)
        derivation.notes.append(words.own_value_inside(ranked.format(value, unit), derivation.shown, reasons))
    return derivation


def _values_elsewhere(ranked: RankedEvent, code: str, source: Field, step: RankingStep) -> list[str]:
    if step.key not in BASES.values():
        return []
    own = build_step(step.key, ranked.event.profile)
    unit = METRICS[step.key].unit
    return [
        words.value_elsewhere(other.where, ranked.format(other.value, unit), other.reasons)
        for other in engine.other_values(source, code, step, own, ranked.ranking.steps)
    ]


def _derivation(
    ranked: RankedEvent, column: SheetColumn, explanation: engine.Explanation, source: Field
) -> Derivation:
    key, divisor = explanation.metric, explanation.divided_by
    unit = METRICS[BASES[key]].unit if key in BASES else "share" if key == "mov_share" else "points"
    return Derivation(
        column=column,
        name=ranked.names[explanation.entry],
        shown=ranked.format(explanation.result, explanation.unit),
        explanation=explanation,
        terms=[_term(ranked, line, unit, source) for line in explanation.lines],
        total=ranked.format(explanation.total, unit) if explanation.lines else "",
        divided_by=_number(divisor),
        before=ranked.format(explanation.changed_from, explanation.unit),
        change=words.change_in_words(explanation.change),
        notes=words.notes_in_words(explanation),
        leagues=[_league(ranked, group) for group in explanation.groups],
    )


def _own_value(ranked: RankedEvent, line: engine.ExplanationLine, source: Field) -> str:
    """Return the opponent's real percentage if it differs from the adjusted one used here."""
    if line.inner is None or line.inner.step.key not in BASES.values():
        return ""
    entry, step = line.inner
    own = source.value(step.key, entry, build_step(step.key, ranked.event.profile).params)
    if own == source.value(step.key, entry, step.params):
        return ""
    return _("own value %(value)s") % {"value": ranked.format(Fraction(own), METRICS[step.key].unit)}


def _term(ranked: RankedEvent, line: engine.ExplanationLine, unit: str, source: Field) -> DerivationLine:
    inner = line.inner
    unit_before = METRICS[inner.step.key].unit if line.label and inner else unit
    notes = (words.line_notes_in_words(line), _own_value(ranked, line, source))
    return DerivationLine(
        round=line.round,
        opponent=words.line_label_in_words(line) or ranked.names.get(line.opponent or "", ""),
        record=line.record,
        value=ranked.format(line.value, unit),
        before=ranked.format(line.changed_from, unit_before),
        note=", ".join(filter(None, notes)),
        of=_number(line.of),
        times=" × ".join(map(format_number, line.times)) if line.times else "",
        running=_number(line.running),
        inside=(inner.step.key, inner.entry) if inner else None,
    )


def _number(value: Fraction | None) -> str:
    return "" if value is None else format_number(value)


def _league(ranked: RankedEvent, group: engine.HeadToHead) -> League:
    names = ranked.names
    rows = [
        (names[m.entry], m.entry, format_number(m.points), m.balance, m.met, m.part) for m in group.members
    ]
    return League(rows, [(names[a], names[b]) for a, b in group.missing], words.outcome_in_words(group.note))


def derivation_document(derivation: Derivation) -> dict[str, Any]:
    explanation, column = derivation.explanation, derivation.column
    return {
        "entry": explanation.entry,
        "name": derivation.name,
        "metric": column.slug,
        "title": column.title,
        "formula": column.formula,
        "unit": column.unit,
        "shown": derivation.shown,
        "exact": str(explanation.result),
        "lines": [_line_document(line) for line in explanation.lines],
        "how": explanation.how,
        "sum": _exact(explanation.total),
        "divided_by": _exact(explanation.divided_by),
        "before": _exact(explanation.changed_from),
        "change": derivation.change,
        "notes": derivation.notes,
        "groups": [
            {
                "members": [
                    {"entry": code, "points": points, "balance": balance, "met": met, "part": part}
                    for _name, code, points, balance, met, part in league.rows
                ],
                "note": league.note,
            }
            for league in derivation.leagues
        ],
        "neighbours": [
            {"text": step.text, "entry": step.code, "metric": step.slug} for step in derivation.neighbours
        ],
    }


def _line_document(line: engine.ExplanationLine) -> dict[str, Any]:
    document = {
        "round": line.round,
        "opponent": line.opponent,
        "record": line.record and line.record[:3],
        "not_played": (line.record and line.record.not_played) or None,
        "value": _exact(line.value),
        "before": _exact(line.changed_from),
        "of": _exact(line.of),
        "times": list(map(str, line.times)) if line.times else None,
        "running": _exact(line.running),
        "label": words.line_label_in_words(line) or None,
        "note": words.line_notes_in_words(line) or None,
        "metric": line.inner.step.key if line.inner else None,
    }
    always = ("round", "value")
    return {name: value for name, value in document.items() if value is not None or name in always}


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


FEWEST = 2  # rounds that make a line


class Tick(NamedTuple):
    at: str
    label: str


class RankPicture(NamedTuple):
    """A player's ranks as a line chart, the best rank at the top."""

    summary: str
    points: str  # in a box of 1000 by 1000
    across: list[Tick]
    up: list[Tick]
    now: tuple[str, str]  # the position of the latest rank, in percent
    numbers: list[tuple[int, int]]  # (round, rank)


def draw_rank_picture(ranks: Sequence[int | None]) -> RankPicture | None:
    """Return the chart of these ranks after round 1, 2, …; None if there are too few ranks."""
    numbers = [(number, rank) for number, rank in enumerate(ranks, start=1) if rank is not None]
    if len(numbers) < FEWEST:
        return None
    best, worst = min(rank for _n, rank in numbers), max(rank for _n, rank in numbers)
    first, last = numbers[0][0], numbers[-1][0]
    across = [((number - first) / (last - first), number) for number, _rank in numbers]

    def down(rank: int) -> float:
        return (rank - best) / (worst - best) if worst > best else 0.5

    line = [(x, down(rank)) for (x, _number), (_n, rank) in zip(across, numbers, strict=True)]
    return RankPicture(
        _("Rank after each round: %(ranks)s.") % {"ranks": ", ".join(str(rank) for _n, rank in numbers)},
        " ".join(f"{1000 * x:.1f},{1000 * y:.1f}" for x, y in line),
        [Tick(f"{x:.2%}", str(number)) for x, number in across],
        [Tick(f"{down(rank):.2%}", str(rank)) for rank in sorted({best, (best + worst) // 2, worst})],
        (f"{line[-1][0]:.2%}", f"{line[-1][1]:.2%}"),
        numbers,
    )
