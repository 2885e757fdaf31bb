"""Explanations as people read them: names instead of codes, the ruleset's places."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from django.utils.translation import gettext as _

from standings.engine import METRICS, UnknownMetric, explain, step_of
from standings.engine.explanation.adjustments import OWN, counted_elsewhere, differences
from standings.engine.explanation.explain import explain_value, step_inside
from standings.engine.explanation.types import Explanation
from standings.engine.explanation.types import Line as Told
from standings.engine.field import Field
from standings.engine.metrics.percentages import BASES
from standings.table.cache import Reading
from standings.table.neighbours import Neighbour, steps_of
from standings.table.sheet import Column, columns_of
from standings.words.formats import format_number


@dataclass(slots=True)
class Term:
    """A line of a derivation in words. `before`: the value before something changed it; `of`: of how much;
    `times`: the product it is; `running`: points so far; `inside`: (metric, code) of the value it leads to."""

    round: int | None
    opponent: str
    code: str
    record: str
    value: str
    before: str = ""
    note: str = ""
    of: str = ""
    times: str = ""
    running: str = ""
    inside: tuple[str, str] | None = None


@dataclass(slots=True)
class League:
    """One application of head-to-head: (name, code, points, wins − losses, met, part) rows, and what it said."""

    rows: list[tuple[str, str, str, int, int, int]]
    missing: list[tuple[str, str]]
    note: str


@dataclass(slots=True)
class Derivation:
    """How a number came about: its terms, their total, what it is divided by, and the exact result.

    `told`: the same in exact numbers; `last`: the last line's value is the result, nothing is added up.
    """

    column: Column
    code: str
    name: str
    shown: str
    exact: str
    told: Explanation
    terms: list[Term]
    total: str = ""
    divided_by: str = ""
    before: str = ""
    change: str = ""
    last: bool = False
    notes: list[str] = field(default_factory=list)
    leagues: list[League] = field(default_factory=list)
    steps: list[Neighbour] = field(default_factory=list)

    def has(self, what: str) -> bool:
        """Whether any term has it: a column of the table is shown only then."""
        return any(getattr(term, what) for term in self.terms)

    @property
    def is_whole(self) -> bool:
        """Whether the exact result is no fraction."""
        return self.told.result.denominator == 1

    @property
    def with_record(self) -> bool:
        return self.has("record")

    @property
    def with_running(self) -> bool:
        return self.has("running")


def column_of(reading: Reading, slug: str) -> Column | None:
    """The column of that slug, shown or not."""
    return next((c for c in columns_of(reading.ranking, all_of_them=True) if c.slug == slug), None)


def derivation_of(reading: Reading, code: str, slug: str) -> Derivation | None:
    """The derivation of one number of the standings; None where the entry or the column is not there."""
    column = column_of(reading, slug)
    if column is None or code not in reading.ranking:
        return None
    told = explain(reading.ranking, code, column.index)
    view, step = reading.ranking.views[code], reading.ranking.steps[column.index]
    made = _derivation(reading, column, told, view.then if column.index else view.now)
    made.notes += _elsewhere(reading, code, column.index, step)
    if step.ascending and column.unit != "order":
        made.notes.append(_("Lower is better."))
    made.steps = steps_of(reading, code)
    return made


def inside_of(reading: Reading, code: str, slug: str, key: str, other: str) -> Derivation | None:
    """The derivation of another entry's value, as it counts in that number; None where it does not."""
    column = column_of(reading, slug)
    if column is None or code not in reading.ranking:
        return None
    try:
        step, source = step_inside(reading.ranking, code, column.index, key)
        told = explain_value(source, other, step)
    except (KeyError, UnknownMetric):
        return None
    metric = METRICS[key]
    inside = Column(column.index, key, told.title, metric.formula, metric.unit)
    made = _derivation(reading, inside, told, source)
    own = step_of(key, reading.event.profile)
    value = Fraction(source.value(key, other, own.params))
    if key in BASES.values() and value != told.result:
        about = {"own": reading.say(value, metric.unit), "here": made.shown}
        said = _("Own value %(own)s; counted as %(here)s here: %(why)s.")
        made.notes.append(said % {**about, "why": ", ".join(differences(own, step))})
    return made


def _elsewhere(reading: Reading, code: str, index: int, step) -> list[str]:
    if step.key not in BASES.values():
        return []
    view = reading.ranking.views[code]
    own = step_of(step.key, reading.event.profile)
    said = []
    for other in counted_elsewhere(view.then if index else view.now, code, step, own, reading.ranking.steps):
        value = reading.say(other.value, METRICS[step.key].unit)
        words = _("Own value %(value)s: %(why)s.")
        if other.where != OWN:
            words = _("Counted for opponents: %(value)s, %(why)s.")
        said.append(words % {"value": value, "why": ", ".join(other.why)})
    return said


def _derivation(reading: Reading, column: Column, told: Explanation, source: Field) -> Derivation:
    unit = line_unit(told.metric)
    whole = METRICS[told.metric].unit
    return Derivation(
        column=column,
        code=told.entry,
        name=reading.names.get(told.entry, told.entry),
        shown=reading.say(told.result, whole),
        exact=str(told.result),
        told=told,
        terms=[_term(reading, line, unit, source) for line in told.lines],
        total=reading.say(told.total, unit) if told.lines else "",
        divided_by="" if told.divided_by is None else format_number(told.divided_by),
        before=reading.say(told.changed_from, whole),
        change=told.change,
        last=told.how == "last",
        notes=[note[:1].upper() + note[1:] + "." for note in told.notes],
        leagues=[_league(reading, split) for split in told.splits],
    )


def line_unit(key: str) -> str:
    """The unit of a metric's lines: a mean's are those of what it is the mean of."""
    if key in BASES:
        return METRICS[BASES[key]].unit
    return "share" if key == "mov_share" else "points"


def _own(reading: Reading, line: Told, source: Field) -> str:
    """The own percentage of an opponent, where it differs from the one counted here."""
    if line.part is None or line.part.step.key not in BASES.values():
        return ""
    key, entry, counted = line.part.step.key, line.part.entry, line.part.step
    own = source.value(key, entry, step_of(key, reading.event.profile).params)
    if own == source.value(key, entry, counted.params):
        return ""
    return _("own value %(value)s") % {"value": reading.say(Fraction(own), METRICS[key].unit)}


def _term(reading: Reading, line: Told, unit: str, source: Field) -> Term:
    part = line.part
    before = METRICS[part.step.key].unit if line.label and part else unit
    times = "" if line.times is None else f"{format_number(line.times[0])} × {format_number(line.times[1])}"
    return Term(
        round=line.round,
        opponent=line.label or reading.names.get(line.opponent or "", line.opponent or ""),
        code=line.opponent or "",
        record="–".join(map(str, line.record)) if line.record else "",
        value=reading.say(line.value, unit),
        before=reading.say(line.changed_from, before),
        note=", ".join(text for text in (line.note, _own(reading, line, source)) if text),
        of="" if line.of is None else format_number(line.of),
        times=times,
        running="" if line.running is None else format_number(line.running),
        inside=(part.step.key, part.entry) if part else None,
    )


def _league(reading: Reading, split) -> League:
    rows = [
        (reading.names.get(m.entry, m.entry), m.entry, format_number(m.points), m.balance, m.met, m.part)
        for m in split.members
    ]
    missing = [(reading.names.get(a, a), reading.names.get(b, b)) for a, b in split.missing]
    return League(rows, missing, split.note)
