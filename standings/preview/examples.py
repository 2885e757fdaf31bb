"""Worked examples: computed with any profile, compared with the document's numbers, and put in words."""

from collections import defaultdict
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from standings.conformance.library import (
    Document,
    Example,
    ExampleCheck,
    build_example_field,
    documents,
    list_documents,
)
from standings.engine.explanation import explain_value
from standings.engine.field import Field
from standings.engine.metrics import METRICS, UnknownMetric
from standings.engine.metrics.percentages import round_half_up
from standings.engine.ranking import RankingStep, parse_steps
from standings.engine.scoring import UnknownScoring
from standings.words.metrics import step_title
from tournament.event.formats import format_number, format_rounded

CUTS = ("cut", "cut_low", "cut_high")
FEW = 40  # numbers of a document that are shown at once
# The source of a document's numbers, and how many of its examples agree.
BASES = {
    "official": (
        _("printed by the publisher"),
        ngettext_lazy(
            "%(agree)s of %(of)s official example agrees",
            "%(agree)s of %(of)s official examples agree",
            "of",
        ),
    ),
    "published": (
        _("published by others"),
        ngettext_lazy(
            "%(agree)s of %(of)s example published by others agrees",
            "%(agree)s of %(of)s examples published by others agree",
            "of",
        ),
    ),
    "by hand": (
        _("worked by hand from the publisher's words"),
        ngettext_lazy(
            "%(agree)s of %(of)s example worked by hand from the publisher's words agrees",
            "%(agree)s of %(of)s examples worked by hand from the publisher's words agree",
            "of",
        ),
    ),
}


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
    # (words, exact value) for each single change.
    variants: list[tuple[str, Fraction]] = field(default_factory=list)
    trouble: str = ""  # why the profile cannot compute it

    @property
    def title(self) -> str:
        return step_title(self.step)

    @property
    def exact(self) -> str:
        return "" if self.ours is None else str(self.ours)

    @property
    def rounded(self) -> str:
        return "" if self.ours is None else self._format_example_value(self.ours)

    @property
    def also(self) -> list[tuple[str, str, str]]:
        """Return (words, value, exact value) for each single change."""
        return [(words, self._format_example_value(value), str(value)) for words, value in self.variants]

    @property
    def sum(self) -> str:
        """Return our computation: 1/2 + 33/100 (raised from 4/15) = 83/100; ÷ 2 = 83/200."""
        if self.source is None or self.ours is None:
            return ""
        how = explain_value(self.source, self.player, self.step)
        if not how.lines:
            return ""
        counted = [(line.value, line.changed_from) for line in how.lines if line.value is not None]
        terms = [_value_in_words(value, before) for value, before in counted]
        text = " + ".join(terms)
        if how.total is not None and len(terms) > 1:
            text += f" = {how.total}"
        if how.divided_by:
            text += f"; ÷ {how.divided_by} = {_value_in_words(how.result, how.changed_from)}"
        return text

    def _format_example_value(self, value: Fraction) -> str:
        """Format shares with four decimal places, because documents differ in the third; anything else as a number."""
        is_share = METRICS[self.step.key].unit == "share"
        return format_rounded(value, 4) if is_share else format_number(value)


def worked_examples(profile: dict[str, Any], documents: Iterable[Document]) -> list[ExampleNumber]:
    """Compute every number of the documents as `profile` would; if it cannot, the number's `trouble` says why."""
    numbers: list[ExampleNumber] = []
    fields: dict[int, Field] = {}  # by event: examples may share one
    for document in documents:
        for example in document.examples:
            for check in example.checks:
                step = _find_checked_step(check, profile)
                for player, theirs in check.values.items():
                    number = ExampleNumber(document, example, player, step, theirs)
                    try:
                        _compute(number, check, profile, fields)
                    except (UnknownMetric, UnknownScoring) as error:
                        number.trouble = str(error)
                    numbers.append(number)
    return numbers


def find_origin_key(profile: dict[str, Any]) -> str:
    """Return the key of the ruleset whose worked examples apply: the one copied from, else the profile's own."""
    return str(profile.get("based_on") or profile.get("key") or "")


def _compute(
    number: ExampleNumber, check: ExampleCheck, profile: dict[str, Any], fields: dict[int, Field]
) -> None:
    event, step = number.example.event, number.step
    if id(event) not in fields:
        fields[id(event)] = build_example_field(event, profile)
    number.source = fields[id(event)]
    number.ours = Fraction(number.source.value(step.key, number.player, step.params))
    number.agrees = matches_printed(number.ours, number.theirs, check.rounded)
    for variant in check.also:
        other = with_changes(profile, variant.change)
        step = _find_checked_step(check, other)
        params = {**step.params, **variant.params}
        value = build_example_field(event, other).value(step.key, number.player, params)
        number.variants.append((variant.words, Fraction(value)))


def _find_checked_step(check: ExampleCheck, profile: dict[str, Any]) -> RankingStep:
    """Return the profile's matching step, else one with the settings of its first step and the check's."""
    for step in parse_steps(profile["tiebreaks"], profile):
        cuts = {name for name in CUTS if step.params.get(name)}
        same = all(step.params.get(name) == value for name, value in check.params.items())
        if step.key == check.metric and cuts <= set(check.params) and same:
            return step
    same_metric = (entry for entry in profile["tiebreaks"] if entry["metric"] == check.metric)
    nearest: dict[str, Any] = next(same_metric, {})
    settings = {name: value for name, value in (nearest.get("params") or {}).items() if name not in CUTS}
    params = {**settings, **check.params}
    return parse_steps([{"metric": check.metric, "params": params}], profile)[0]


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


class ExampleSheet(NamedTuple):
    document: Document
    own: bool  # they belong to that ruleset
    lines: list[ExampleNumber]

    @property
    def basis(self) -> str:
        return str(BASES[self.document.basis][0])

    @property
    def few(self) -> bool:
        return len(self.lines) <= FEW

    @property
    def differing(self) -> int:
        return sum(not line.agrees for line in self.lines)


def examples_context(profile: dict[str, Any]) -> dict[str, Any]:
    own = list_documents(find_origin_key(profile))
    others = [document for document in documents() if document.for_all and document not in own]
    sheets = [
        ExampleSheet(document, document in own, worked_examples(profile, [document]))
        for document in [*own, *others]
    ]
    lines = [line for sheet in sheets if sheet.own for line in sheet.lines]
    notes = dict.fromkeys(line.document.note for line in lines if line.document.note and not line.agrees)
    return {"verdicts": summarize_agreement(lines), "notes": list(notes), "sheets": sheets}


def summarize_agreement(numbers: Iterable[ExampleNumber]) -> list[tuple[bool, str]]:
    """Return (all agree, sentence) per basis, such as "14 of 14 official examples agree, each with all its numbers"."""
    examples: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    for number in numbers:
        agreeing = examples[number.document.basis]
        name = (number.document.title, number.example.id)
        agreeing[name] = agreeing.get(name, True) and number.agrees
    verdicts = []
    for basis, agreeing in examples.items():
        counts = {"agree": sum(agreeing.values()), "of": len(agreeing)}
        verdicts.append((all(agreeing.values()), str(BASES[basis][1] % counts)))
    return verdicts


def _value_in_words(value: Fraction, before: Fraction | None) -> str:
    if before is None:
        return str(value)
    words = _t("%(value)s (lowered from %(before)s)")
    if value > before:
        words = _t("%(value)s (raised from %(before)s)")
    return words % {"value": value, "before": before}
