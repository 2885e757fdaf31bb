"""Worked examples recomputed under any profile: their number, ours, and how ours came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from standings.conformance.library import Document, Example, ExampleCheck, Variant, documents, documents_of
from standings.conformance.notation import field_of
from standings.engine.explanation.explain import Explanation, explain_value
from standings.engine.field import Field
from standings.engine.metrics import UnknownMetric, metric_of
from standings.engine.metrics.percentages import round_half_up
from standings.engine.ranking.chain import RankingStep, steps_of
from standings.engine.scoring import UnknownScoring


@dataclass(slots=True)
class Number:
    """One number of an example. `theirs` as printed; `ours` exact, None where the profile cannot compute it.

    `source`: where it was read. `also`: (words, exact value) of what one change would make of it.
    """

    example: Example
    document: Document
    player: str
    step: RankingStep
    unit: str
    theirs: str
    ours: Fraction | None
    agrees: bool
    source: Field | None = None
    also: list[tuple[str, Fraction]] = field(default_factory=list)
    trouble: str = ""

    @property
    def how(self) -> Explanation | None:
        """The terms ours was added up from; None where there is no number."""
        if self.source is None or self.ours is None:
            return None
        return explain_value(self.source, self.player, self.step)


@dataclass(slots=True)
class Tally:
    """How many examples of one basis agree, of how many."""

    agree: int = 0
    of: int = 0


@dataclass(slots=True)
class Conformance:
    """What the examples that belong to a ruleset say. `differing`: the numbers that do not agree."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    numbers: int = 0
    differing: list[Number] = field(default_factory=list)

    @property
    def examples(self) -> int:
        return sum(tally.of for tally in self.tallies.values())

    @property
    def clean(self) -> bool:
        return not self.differing


def worked_examples(profile: dict, sources: Iterable[Document] | None = None) -> list[Number]:
    """Every number of the documents (all of them by default), recomputed as `profile` would.

    The facts stay the document's; points, byes, minimums and the metrics' params are the profile's. What a
    profile cannot compute is said in `trouble`, never raised.
    """
    found: list[Number] = []
    for document in documents() if sources is None else sources:
        fields: dict[int, Field | str] = {}
        for example in document.examples:
            for check in example.checks:
                found += _numbers(profile, document, example, check, fields)
    return found


def conformance_of(profile: dict, key: str | None = None) -> Conformance:
    """How many of the examples that belong to the ruleset `key` agree under `profile`.

    `key`: the ruleset whose examples these are; by default what the profile was copied from, else its own.
    Without examples of its own nothing is claimed: `examples` is 0.
    """
    return counted(worked_examples(profile, documents_of(key or origin_of(profile))))


def counted(numbers: Iterable[Number]) -> Conformance:
    """The numbers counted by example and basis; an example agrees if all its numbers do."""
    found = Conformance()
    agreeing: dict[tuple[str, str], tuple[str, bool]] = {}
    for number in numbers:
        name = (number.document.title, number.example.id)
        agreeing[name] = (number.document.basis, agreeing.get(name, ("", True))[1] and number.agrees)
        found.numbers += 1
        if not number.agrees:
            found.differing.append(number)
    for basis, agrees_here in agreeing.values():
        tally = found.tallies.setdefault(basis, Tally())
        tally.of += 1
        tally.agree += agrees_here
    return found


def origin_of(profile: dict) -> str:
    """The key of the ruleset whose examples are a profile's: of what it was copied from, else its own."""
    return str(profile.get("based_on") or profile.get("key") or "")


def _numbers(
    profile: dict, document: Document, example: Example, check: ExampleCheck, fields: dict[int, Field | str]
) -> Iterator[Number]:
    unit = metric_of(check.metric).unit
    step = step_for(check, profile)
    if id(example.event) not in fields:
        fields[id(example.event)] = _field(example.event, profile)
    source = fields[id(example.event)]
    for player, theirs in check.values.items():
        number = Number(example, document, player, step, unit, theirs, None, False)
        try:
            if isinstance(source, str):
                raise UnknownScoring(source)
            number.source = source
            number.ours = Fraction(source.value(step.key, player, step.params))
            number.agrees = agrees(number.ours, theirs, check.rounded)
            number.also = [(also.words, _under(profile, example, check, also, player)) for also in check.also]
        except (UnknownMetric, UnknownScoring) as error:
            number.trouble = str(error)
        yield number


def step_for(check: ExampleCheck, profile: dict) -> RankingStep:
    """The step as the profile's order has it, told apart by the check's params; else one like its nearest."""
    for step in steps_of(profile["tiebreaks"], profile):
        cuts = all(
            not step.params.get(name) or name in check.params for name in ("cut", "cut_low", "cut_high")
        )
        same = all(step.params.get(name) == value for name, value in check.params.items())
        if step.key == check.metric and cuts and same:
            return step
    near: dict[str, Any] = next(
        (entry for entry in profile["tiebreaks"] if entry["metric"] == check.metric), {}
    )
    params = {**(near.get("params") or {}), **check.params}
    return steps_of([{"metric": check.metric, "params": params}], profile)[0]


def agrees(ours: Fraction, theirs: str, is_rounded: bool) -> bool:
    """Whether an exact value is the printed one: exactly, or rounded half up to the places printed."""
    digits = theirs.rstrip("%")
    value = Fraction(digits)
    share = 100 if theirs.endswith("%") else 1
    if not is_rounded:
        return ours == value / share
    return round_half_up(ours * share, len(digits.partition(".")[2])) == value


def changed(profile: dict, change: dict[str, Any]) -> dict:
    """The profile with some fields changed, objects merged by key."""
    new = deepcopy(profile)
    for key, value in change.items():
        new[key] = {**new[key], **value} if isinstance(value, dict) else value
    return new


def _under(profile: dict, example: Example, check: ExampleCheck, also: Variant, player: str) -> Fraction:
    other = changed(profile, also.change)
    step = step_for(check, other)
    params = {**step.params, **also.params}
    source = field_of(example.event, other)
    return Fraction(source.value(step.key, player, params))


def _field(event: dict, profile: dict) -> Field | str:
    """The example's field under the profile; the reason where there can be none."""
    try:
        return field_of(event, profile)
    except UnknownScoring as error:
        return str(error)
