"""Worked examples recomputed under any profile: their number, ours, and how ours was calculated."""

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
class ExampleNumber:
    """One number of an example. `theirs` as printed; `ours` exact, None where the profile cannot compute it.

    `source`: the field it was computed in. `also`: (words, exact value) under one change each. `trouble`: why the
    profile cannot compute it.
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
        """How our number was calculated; None where there is none."""
        if self.source is None or self.ours is None:
            return None
        return explain_value(self.source, self.player, self.step)


@dataclass(slots=True)
class Tally:
    """How many examples of one basis agree, out of how many."""

    agree: int = 0
    of: int = 0


@dataclass(slots=True)
class Conformance:
    """How many examples of a ruleset agree, by basis. `differing`: the numbers that do not."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    numbers: int = 0
    differing: list[ExampleNumber] = field(default_factory=list)

    @property
    def examples(self) -> int:
        return sum(tally.of for tally in self.tallies.values())

    @property
    def clean(self) -> bool:
        return not self.differing


def worked_examples(profile: dict, sources: Iterable[Document] | None = None) -> list[ExampleNumber]:
    """Every number of the documents (all of them by default), recomputed as `profile` would.

    The results are the document's; points, byes, minimums and the settings of metrics are the profile's. Where a
    profile cannot compute a number, its `trouble` says why; nothing is raised.
    """
    numbers: list[ExampleNumber] = []
    for document in documents() if sources is None else sources:
        fields: dict[int, Field | str] = {}
        for example in document.examples:
            for check in example.checks:
                numbers += _numbers(profile, document, example, check, fields)
    return numbers


def conformance_of(profile: dict, key: str | None = None) -> Conformance:
    """How many of the examples of the ruleset `key` agree under `profile`; `examples` is 0 where it has none.

    `key`: by default the ruleset that the profile was copied from, else the profile's own.
    """
    return count_agreeing(worked_examples(profile, documents_of(key or origin_of(profile))))


def count_agreeing(numbers: Iterable[ExampleNumber]) -> Conformance:
    """Count numbers by example and basis; an example agrees if all its numbers do."""
    conformance = Conformance()
    agreeing: dict[tuple[str, str], tuple[str, bool]] = {}
    for number in numbers:
        name = (number.document.title, number.example.id)
        agreeing[name] = (number.document.basis, agreeing.get(name, ("", True))[1] and number.agrees)
        conformance.numbers += 1
        if not number.agrees:
            conformance.differing.append(number)
    for basis, agrees_here in agreeing.values():
        tally = conformance.tallies.setdefault(basis, Tally())
        tally.of += 1
        tally.agree += agrees_here
    return conformance


def origin_of(profile: dict) -> str:
    """The key of the ruleset whose examples hold for a profile: the one it was copied from, else its own."""
    return str(profile.get("based_on") or profile.get("key") or "")


def _numbers(
    profile: dict, document: Document, example: Example, check: ExampleCheck, fields: dict[int, Field | str]
) -> Iterator[ExampleNumber]:
    unit = metric_of(check.metric).unit
    step = step_of_check(check, profile)
    if id(example.event) not in fields:
        fields[id(example.event)] = _field(example.event, profile)
    source = fields[id(example.event)]
    for player, theirs in check.values.items():
        number = ExampleNumber(example, document, player, step, unit, theirs, None, False)
        try:
            if isinstance(source, str):
                raise UnknownScoring(source)
            number.source = source
            number.ours = Fraction(source.value(step.key, player, step.params))
            number.agrees = matches_printed(number.ours, theirs, check.rounded)
            number.also = [(also.words, _under(profile, example, check, also, player)) for also in check.also]
        except (UnknownMetric, UnknownScoring) as error:
            number.trouble = str(error)
        yield number


def step_of_check(check: ExampleCheck, profile: dict) -> RankingStep:
    """The step of the profile's order that the check is about, else one with the settings of the nearest step."""
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


def matches_printed(ours: Fraction, theirs: str, is_rounded: bool) -> bool:
    """Whether an exact value is the printed one, or rounds half up to it at the places printed."""
    digits = theirs.rstrip("%")
    value = Fraction(digits)
    share = 100 if theirs.endswith("%") else 1
    if not is_rounded:
        return ours == value / share
    return round_half_up(ours * share, len(digits.partition(".")[2])) == value


def with_changes(profile: dict, change: dict[str, Any]) -> dict:
    """A copy of the profile with some fields changed; objects are merged by key."""
    new = deepcopy(profile)
    for key, value in change.items():
        new[key] = {**new[key], **value} if isinstance(value, dict) else value
    return new


def _under(profile: dict, example: Example, check: ExampleCheck, also: Variant, player: str) -> Fraction:
    other = with_changes(profile, also.change)
    step = step_of_check(check, other)
    params = {**step.params, **also.params}
    source = field_of(example.event, other)
    return Fraction(source.value(step.key, player, params))


def _field(event: dict, profile: dict) -> Field | str:
    """The example's field under the profile; else the reason why there is none."""
    try:
        return field_of(event, profile)
    except UnknownScoring as error:
        return str(error)
