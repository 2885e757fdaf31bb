"""The values of an explanation: its lines, their sum, what divides it, and the exact result.

Remarks are codes with the numbers they name; their sentences are in `standings.words.explanation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from standings.engine.field import Field
from standings.engine.metrics import metric_of
from standings.engine.ranking.chain import RankingStep
from standings.engine.records import RoundRecord, wins_losses_draws
from standings.engine.scoring import Number

# How a value follows from the lines.
SUM, LAST, GIVEN, PLACE = "sum", "last", "given", "place"


class Note(NamedTuple):
    """A remark: its code, and the numbers and names its sentence holds."""

    code: str
    values: Mapping[str, Any] = MappingProxyType({})


class InnerValue(NamedTuple):
    """A value a line is computed from: that step's value of that entry, with an explanation of its own."""

    entry: str
    step: RankingStep


@dataclass(slots=True)
class ExplanationLine:
    """What one round adds. `value` None: left out, and `notes` name the reason.

    `record`: the opponent's wins, losses, draws. `changed_from`: the value before a floor, cap or rounding
    changed it. `of`: what the line adds to the divisor. `times`: (own result in parts of a win, opponent's
    score) the value is the product of. `running`: the points so far. `label`: what the line is where it is no
    round: "start", "unplayed_wins" or a metric's key. `inner`: whose value it shows.
    """

    round: int | None
    opponent: str | None
    value: Fraction | None
    notes: list[Note] = field(default_factory=list)
    record: tuple[int, int, int] | None = None
    changed_from: Fraction | None = None
    of: Fraction | None = None
    times: tuple[Fraction, Fraction] | None = None
    running: Fraction | None = None
    label: str = ""
    inner: InnerValue | None = None


class Member(NamedTuple):
    """One of a tied group: points and wins − losses in `met` meetings inside it, and its `part` (1 best)."""

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

    `how` the result follows: "sum" of the lines (over the divisor), "last" line's value (over the divisor),
    "given" (nothing is added up; `notes` tell where it is from) or "place" in a tied group (`groups`).
    `changed_from`: the value before a floor or cap changed it; `change` is its code.
    """

    entry: str
    step: RankingStep
    lines: list[ExplanationLine] = field(default_factory=list)
    total: Fraction | None = None
    divided_by: Fraction | None = None
    changed_from: Fraction | None = None
    change: str = ""
    result: Fraction = Fraction(0)
    notes: list[Note] = field(default_factory=list)
    how: str = GIVEN
    groups: list[HeadToHead] = field(default_factory=list)

    @property
    def metric(self) -> str:
        """The metric's key."""
        return self.step.key

    @property
    def unit(self) -> str:
        """The metric's unit."""
        return metric_of(self.metric).unit

    @property
    def computed(self) -> Fraction | None:
        """What the lines come to before a floor or cap; None where nothing is added up."""
        if self.total is None:
            return None
        return self.total / self.divided_by if self.divided_by else self.total

    def add(
        self, source: Field, line: RoundRecord, value: Number | None, *codes: str, **more: Any
    ) -> ExplanationLine:
        """Add what a round gives, with notes of these codes (empty ones are passed over)."""
        record = None if line.opponent is None else wins_losses_draws(source.records[line.opponent])
        kind = "" if line.kind == "played" else line.kind
        notes = [Note(code) for code in (kind, *codes) if code]
        self.lines.append(
            ExplanationLine(line.number, line.opponent, fraction_of(value), notes, record, **more)
        )
        return self.lines[-1]

    def note(self, code: str, **values: Any) -> None:
        """Add a remark on the whole."""
        self.notes.append(Note(code, values))

    def sum_up(self, divided_by: Number | None = None) -> None:
        """The total of the lines is the result, over the divisor if there is one."""
        self.how = SUM
        self.total = sum((line.value for line in self.lines if line.value is not None), Fraction(0))
        self.divided_by = fraction_of(divided_by) or None

    @property
    def counting(self) -> int:
        """How many lines are not left out."""
        return sum(line.value is not None for line in self.lines)


def fraction_of(value: Number | None) -> Fraction | None:
    """The number as a fraction; None stays None."""
    return None if value is None else Fraction(value)
