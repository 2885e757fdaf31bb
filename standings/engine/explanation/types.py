"""The parts of an explanation: its lines, their sum, the divisor, and the exact result.

Remarks are codes with numbers; their sentences are in `standings.words.explanation`.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from standings.engine.field import Field
from standings.engine.metrics import METRICS, counts, metric_of
from standings.engine.metrics.terms import NO_ROUND, Note, Term
from standings.engine.ranking.chain import RankingStep
from standings.engine.records import Outcomes, count_outcomes
from standings.engine.scoring import Number

# How a value follows from the lines.
SUM, LAST, GIVEN, PLACE = "sum", "last", "given", "place"


class InnerValue(NamedTuple):
    """A value that a line is computed from: that entry's value of that step, which has its own explanation."""

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


def inner_field_of(step: RankingStep, field: Field) -> Field:
    return field.fore if step.key == "fore_buchholz" else field


@dataclass(slots=True)
class ExplanationLine:
    """One round's contribution. `value` None: not counted, and `notes` say why."""

    round: int | None
    opponent: str | None
    value: Fraction | None
    notes: list[Note] = field(default_factory=list)
    record: Outcomes | None = None  # of the opponent
    changed_from: Fraction | None = None  # the value before a floor, cap or rounding
    of: Fraction | None = None  # the contribution to the divisor
    # (own result in parts of a win, opponent's score), whose product is the value.
    times: tuple[Fraction, Fraction] | None = None
    running: Fraction | None = None  # the points so far
    label: str = ""  # the line's kind if it is not a round: "start", "unplayed_wins" or a metric's key
    inner: InnerValue | None = None  # the explanation of the value shown


class Member(NamedTuple):
    """A member of a tied group: points and wins − losses in `met` meetings inside it, and its `part` (1 best)."""

    entry: str
    points: Fraction
    balance: int
    met: int
    part: int


class HeadToHead(NamedTuple):
    """One application of head-to-head: the group, best part first, pairs that never met, and the outcome."""

    members: list[Member]
    missing: list[tuple[str, str]]
    note: Note


@dataclass(slots=True)
class Explanation:
    """A value of one entry: the lines, their `total`, what it is `divided_by` (or None), the exact `result`.

    `how` the result follows: "sum" of the lines (over the divisor), "last" line's value (over the divisor), "given"
    (nothing is added up; `notes` tell where it is from) or "place" in a tied group (`groups`).
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
        return metric_of(self.metric).unit

    def add(self, source: Field, term: Term) -> None:
        """Add a term as a line, with its round, the opponent's record in `source` and its inner value."""
        line, inner, steps = term.round, None, inner_steps(self.step)
        if term.label:
            inner = next((InnerValue(self.entry, step) for step in steps if step.key == term.label), None)
        elif line.opponent and steps and not term.note and (term.value is not None or term.cut):
            inner = InnerValue(line.opponent, steps[0])
        remarks = ("" if line.kind == "played" else line.kind, term.note, term.cut)
        self.lines.append(
            ExplanationLine(
                None if line is NO_ROUND else line.number,
                line.opponent,
                fraction_of(term.value),
                [note if isinstance(note, Note) else Note(note) for note in remarks if note],
                count_outcomes(source.records[line.opponent]) if line.opponent else None,
                fraction_of(term.before),
                fraction_of(term.of),
                (Fraction(term.times[0]), Fraction(term.times[1])) if term.times else None,
                fraction_of(term.running),
                term.label,
                inner,
            )
        )

    def note(self, code: str, **values: Any) -> None:
        self.notes.append(Note(code, values))


def fraction_of(value: Number | None) -> Fraction | None:
    return None if value is None else Fraction(value)
