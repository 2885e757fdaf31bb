"""What an explanation is made of: its lines, their sum, what divides it, and the exact result."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from standings.engine.field import Field
from standings.engine.ranking.chain import Step
from standings.engine.records import Record, RoundRecord
from standings.engine.scoring import Number

# How a value follows from the lines.
SUM, LAST, GIVEN, PLACE = "sum", "last", "given", "place"

UNPLAYED = {
    "bye": "bye",
    "awarded": "awarded bye",
    "half": "half-point bye (requested)",
    "zero": "zero-point bye (requested)",
    "full": "full-point bye (requested)",
    "missed": "missed round",
    "forfeit_win": "won by forfeit",
    "forfeit_loss": "lost by forfeit",
    "no_show": "double no-show",
    "double_loss": "double loss",
}


class Part(NamedTuple):
    """A value a line is made of: that step's value of that entry, with an explanation of its own."""

    entry: str
    step: Step


@dataclass(slots=True)
class Line:
    """What one round gives. `value` None: left out, `note` says why.

    `record`: the opponent's wins, losses, draws. `changed_from`: the value before a floor, cap or rounding
    changed it. `of`: what the line adds to the divisor. `times`: (own result in parts of a win, opponent's
    score) the value is the product of. `running`: the points so far. `label`: what the line is where it is no
    round. `part`: whose value it shows.
    """

    round: int | None
    opponent: str | None
    value: Fraction | None
    note: str = ""
    record: tuple[int, int, int] | None = None
    changed_from: Fraction | None = None
    of: Fraction | None = None
    times: tuple[Fraction, Fraction] | None = None
    running: Fraction | None = None
    label: str = ""
    part: Part | None = None


class Member(NamedTuple):
    """One of a tied group: points made and wins − losses in `met` meetings inside it, and its `part` (1 best)."""

    entry: str
    points: Fraction
    balance: int
    met: int
    part: int


class Split(NamedTuple):
    """One application of head-to-head: the group, best part first, pairs that never met, and what it said."""

    members: list[Member]
    missing: list[tuple[str, str]]
    note: str


@dataclass(slots=True)
class Explanation:
    """A value of one entry: the lines, their `total`, what it is `divided_by` (or None), the exact `result`.

    `how` the result follows: "sum" of the lines (over the divisor), "last" line's value (over the divisor),
    "given" (nothing is added up; `notes` say where it is from) or "place" in a tied group (`splits`).
    `changed_from`: the value before a floor or cap changed it; `change` names which. `notes` are plain
    sentences.
    """

    entry: str
    metric: str
    title: str
    formula: str
    unit: str
    lines: list[Line] = field(default_factory=list)
    total: Fraction | None = None
    divided_by: Fraction | None = None
    changed_from: Fraction | None = None
    change: str = ""
    result: Fraction = Fraction(0)
    notes: list[str] = field(default_factory=list)
    how: str = GIVEN
    splits: list[Split] = field(default_factory=list)

    @property
    def computed(self) -> Fraction | None:
        """What the lines come to before a floor or cap; None where nothing is added up."""
        if self.total is None:
            return None
        return self.total / self.divided_by if self.divided_by else self.total

    def add(self, source: Field, line: RoundRecord, value: Number | None, note: str = "", **more) -> Line:
        """Add what a round gives."""
        record = None if line.opponent is None else wins_losses_draws(source.records[line.opponent])
        notes = [text for text in (UNPLAYED.get(line.kind, ""), note) if text]
        self.lines.append(Line(line.number, line.opponent, exactly(value), ", ".join(notes), record, **more))
        return self.lines[-1]

    def sum_up(self, divided_by: Number | None = None) -> None:
        """The total of the lines is the result, over the divisor if there is one."""
        self.how = SUM
        self.total = sum((line.value for line in self.lines if line.value is not None), Fraction(0))
        self.divided_by = exactly(divided_by) or None

    @property
    def counting(self) -> int:
        """How many lines are not left out."""
        return sum(line.value is not None for line in self.lines)


def wins_losses_draws(record: Record) -> tuple[int, int, int]:
    """An entry's rounds won, lost and drawn, byes included."""
    outcomes = [line.outcome for line in record.rounds]
    return outcomes.count("W"), outcomes.count("L"), outcomes.count("D")


def exactly(value: Number | None) -> Fraction | None:
    """The number as a fraction; None stays None."""
    return None if value is None else Fraction(value)
