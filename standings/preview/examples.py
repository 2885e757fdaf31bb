"""Worked examples recomputed under any profile, compared with the document's numbers."""

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from standings.conformance.library import Document, Example, ExampleCheck, field_of
from standings.engine.field import Field
from standings.engine.metrics import UnknownMetric
from standings.engine.metrics.percentages import round_half_up
from standings.engine.ranking.rank import RankingStep, steps_of
from standings.engine.scoring import UnknownScoring

CUTS = ("cut", "cut_low", "cut_high")


@dataclass(slots=True)
class ExampleNumber:
    """One number of an example. `theirs` as printed; `ours` exact, None if the profile cannot compute it."""

    document: Document
    example: Example
    player: str
    step: RankingStep
    theirs: str
    ours: Fraction | None = None
    agrees: bool = False
    source: Field | None = None  # the field it was computed in
    # (words, exact value) under one change each.
    variants: list[tuple[str, Fraction]] = field(default_factory=list)
    trouble: str = ""  # why the profile cannot compute it


def worked_examples(profile: dict[str, Any], documents: Iterable[Document]) -> list[ExampleNumber]:
    """Recompute every number of the documents as `profile` would.

    Results are the document's; points, byes, minimums and metric settings are the profile's. If a profile cannot
    compute a number, its `trouble` says why; nothing is raised.
    """
    numbers: list[ExampleNumber] = []
    fields: dict[int, Field] = {}  # by event: examples may share one
    for document in documents:
        for example in document.examples:
            for check in example.checks:
                step = _step_of(check, profile)
                for player, theirs in check.values.items():
                    number = ExampleNumber(document, example, player, step, theirs)
                    try:
                        _compute(number, check, profile, fields)
                    except (UnknownMetric, UnknownScoring) as error:
                        number.trouble = str(error)
                    numbers.append(number)
    return numbers


def origin_of(profile: dict[str, Any]) -> str:
    """Return the key of the ruleset whose examples apply to a profile: the one it was copied from, else its own."""
    return str(profile.get("based_on") or profile.get("key") or "")


def _compute(
    number: ExampleNumber, check: ExampleCheck, profile: dict[str, Any], fields: dict[int, Field]
) -> None:
    """Compute our number, and its value under one change each. Raises UnknownMetric and UnknownScoring."""
    event, step = number.example.event, number.step
    if id(event) not in fields:
        fields[id(event)] = field_of(event, profile)
    number.source = fields[id(event)]
    number.ours = Fraction(number.source.value(step.key, number.player, step.params))
    number.agrees = matches_printed(number.ours, number.theirs, check.rounded)
    for variant in check.also:
        other = with_changes(profile, variant.change)
        step = _step_of(check, other)
        value = field_of(event, other).value(step.key, number.player, {**step.params, **variant.params})
        number.variants.append((variant.words, Fraction(value)))


def _step_of(check: ExampleCheck, profile: dict[str, Any]) -> RankingStep:
    """Return the step of the profile's order that the check is about, else the metric with its first step's settings.

    The number of values cut is the check's own.
    """
    for step in steps_of(profile["tiebreaks"], profile):
        cuts = {name for name in CUTS if step.params.get(name)}
        same = all(step.params.get(name) == value for name, value in check.params.items())
        if step.key == check.metric and cuts <= set(check.params) and same:
            return step
    same_metric = (entry for entry in profile["tiebreaks"] if entry["metric"] == check.metric)
    nearest: dict[str, Any] = next(same_metric, {})
    settings = {name: value for name, value in (nearest.get("params") or {}).items() if name not in CUTS}
    params = {**settings, **check.params}
    return steps_of([{"metric": check.metric, "params": params}], profile)[0]


def matches_printed(ours: Fraction, theirs: str, is_rounded: bool) -> bool:
    """Whether an exact value equals the printed one, or rounds half up to it."""
    digits = theirs.rstrip("%")
    value = Fraction(digits)
    share = 100 if theirs.endswith("%") else 1
    if not is_rounded:
        return ours == value / share
    return round_half_up(ours * share, len(digits.partition(".")[2])) == value


def with_changes(profile: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the profile with some fields changed; objects are merged by key."""
    new = deepcopy(profile)
    for key, value in change.items():
        new[key] = {**new[key], **value} if isinstance(value, dict) else value
    return new
