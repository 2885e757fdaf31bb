"""Rankings as people read them: rounded by the ruleset, columns by the publisher's names, records in words.

Everything is compared exactly before it gets here; what is printed is never compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import ngettext

from standings.engine import METRICS, Ranking, Record
from standings.engine.chain import Step
from standings.engine.explain import Explanation, explain, wins_losses_draws
from standings.event import standings_of
from tournament.archive.types import Event


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the standings. `slug` stands in addresses; `index` is its place in the ranking's values."""

    index: int
    slug: str
    title: str
    formula: str
    unit: str


@dataclass(slots=True)
class Line:
    """A row of the standings. `cells`: (column's slug, text); `decided_by`: title of what put it here."""

    rank: int
    code: str
    name: str
    record: str
    cells: list[tuple[str, str]]
    decided_by: str
    gone: bool


@dataclass(slots=True)
class Sheet:
    """The standings `after` a round (0: before the first)."""

    after: int
    columns: list[Column]
    lines: list[Line]


@dataclass(slots=True)
class Term:
    """A line of a derivation. `before`: the share before a minimum changed it."""

    round: int
    opponent: str
    record: str
    value: str
    before: str
    note: str


@dataclass(slots=True)
class Derivation:
    """How a number came about: its terms, their total, what it is divided by, and the exact result."""

    column: Column
    shown: str
    exact: str
    terms: list[Term]
    total: str
    divided_by: str
    before: str
    notes: list[str]


def rounded(value: Fraction, places: int, mode: str = "half_up") -> str:
    """A number with so many places, half up or cut off, in exact arithmetic."""
    scaled = abs(value) * 10**places
    if mode == "truncate":
        digits = scaled.numerator // scaled.denominator
    else:
        digits = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    text = str(digits).rjust(places + 1, "0")
    sign = "-" if value < 0 and digits else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"


def number(value: Fraction) -> str:
    """Points: 7, 2.5, or rounded to three places where no short decimal says it."""
    text = rounded(value, 3)
    return text.rstrip("0").rstrip(".")


def shown(value: Fraction, unit: str, display: Mapping[str, Any]) -> str:
    """A value as the ruleset prints it: shares in per cent with its places, everything else as a number."""
    if unit == "share":
        return rounded(value * 100, display.get("percent_places", 2), display.get("mode", "half_up"))
    return number(value)


def record(record_: Record) -> str:
    """Wins, losses and draws: 4–1–1."""
    return "–".join(map(str, wins_losses_draws(record_)))


def record_in_words(text: str) -> str:
    """A record as nobody can misread it: 4 wins, 1 loss, 1 draw."""
    won, lost, drawn = map(int, text.split("–"))
    said = [
        ngettext("%(n)s win", "%(n)s wins", won) % {"n": won},
        ngettext("%(n)s loss", "%(n)s losses", lost) % {"n": lost},
    ]
    if drawn:
        said.append(ngettext("%(n)s draw", "%(n)s draws", drawn) % {"n": drawn})
    return ", ".join(said)


def points_in_words(text: str) -> str:
    """1 point, 2.5 points."""
    return ngettext("%(n)s point", "%(n)s points", 1 if text == "1" else 2) % {"n": text}


def columns_of(ranking: Ranking, *, all_of_them: bool = False) -> list[Column]:
    """The ranking's columns; the draw of lots and orders by hand only where they decided a place."""
    decisive = {row.decided_by for row in ranking}
    columns: list[Column] = []
    for index, step in enumerate(ranking.steps):
        metric = METRICS[step.key]
        times = sum(earlier.key == step.key for earlier in ranking.steps[:index])
        slug = f"{step.key}-{times + 1}" if times else step.key
        if all_of_them or metric.unit != "order" or step.key in decisive:
            columns.append(Column(index, slug, step.title, metric.formula, metric.unit))
    return columns


def last_swiss_round(event: Event) -> int:
    """The number of the last complete Swiss round; 0 before there is one."""
    swiss = {stage.number for stage in event.stages if stage.kind == "swiss"}
    return max((r.number for r in event.rounds if r.status == "complete" and r.stage in swiss), default=0)


def count_open_rounds(event: Event) -> Event:
    """The same event with results of published rounds counted too: standings as they are now, for staff."""
    for round_ in event.rounds:
        if round_.status in ("published", "repairing"):
            round_.status = "complete"
    return event


def sheet_of(event: Event, names: Mapping[str, str]) -> Sheet:
    """The standings of an event's complete rounds. Raises UnknownMetric and UnknownScoring."""
    ranking = standings_of(event)
    columns = columns_of(ranking)
    display = event.profile.get("display") or {}
    titles = {step.key: step.title for step in ranking.steps}
    lines = []
    for row in ranking:
        played = ranking.views[row.entry].now.records.get(row.entry, Record(row.entry))
        cells = [(c.slug, shown(row.values[c.index], c.unit, display)) for c in columns]
        gone = event.entries[row.entry].status != "playing"
        decided_by = titles.get(row.decided_by or "", "")
        lines.append(Line(row.rank, row.entry, names[row.entry], record(played), cells, decided_by, gone))
    return Sheet(last_swiss_round(event), columns, lines)


def derivation_of(
    event: Event, ranking: Ranking, code: str, slug: str, names: Mapping[str, str]
) -> Derivation | None:
    """The derivation of one number; None where the entry or the column is not there."""
    column = next((c for c in columns_of(ranking, all_of_them=True) if c.slug == slug), None)
    if column is None or code not in ranking:
        return None
    display = event.profile.get("display") or {}
    told = explain(ranking, code, column.index)
    unit = "share" if told.metric.startswith("opp_") else "points"
    terms = [
        Term(
            round=line.round,
            opponent=names.get(line.opponent or "", ""),
            record="–".join(map(str, line.record)) if line.record else "",
            value="" if line.value is None else shown(line.value, unit, display),
            before="" if line.changed_from is None else shown(line.changed_from, unit, display),
            note=line.note,
        )
        for line in told.lines
    ]
    return Derivation(
        column=column,
        shown=shown(told.result, told.unit, display),
        exact=str(told.result),
        terms=terms,
        total="" if told.total is None else shown(told.total, unit, display),
        divided_by="" if told.divided_by is None else number(told.divided_by),
        before="" if told.changed_from is None else shown(told.changed_from, told.unit, display),
        notes=_notes(told, ranking.steps[column.index]),
    )


def _notes(told: Explanation, step: Step) -> list[str]:
    return [*told.notes, *(["lower is better"] if step.ascending else [])]
