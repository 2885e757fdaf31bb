"""Worked examples under a ruleset in words, and how many of them agree."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from standings.conformance.library import Document, documents, documents_of
from standings.engine.explanation.explain import explain_value
from standings.engine.metrics import METRICS
from standings.preview.examples import ExampleNumber, origin_of, worked_examples
from standings.words.metrics import title_of_step
from tournament.event.numbers import format_number, format_rounded

FEW = 40  # numbers of a document that are shown at once
# What a document's numbers are, and how many of its examples agree.
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


class ExampleLine(NamedTuple):
    number: ExampleNumber

    @property
    def title(self) -> str:
        return title_of_step(self.number.step)

    @property
    def exact(self) -> str:
        return "" if self.number.ours is None else str(self.number.ours)

    @property
    def rounded(self) -> str:
        return "" if self.number.ours is None else self._text_of(self.number.ours)

    @property
    def also(self) -> list[tuple[str, str, str]]:
        """(words, value, exact value) under one change each."""
        return [(words, self._text_of(value), str(value)) for words, value in self.number.variants]

    @property
    def sum(self) -> str:
        """The exact computation of our number: 1/2 + 33/100 (raised from 4/15) = 83/100; ÷ 2 = 83/200."""
        if self.number.source is None or self.number.ours is None:
            return ""
        how = explain_value(self.number.source, self.number.player, self.number.step)
        if not how.lines:
            return ""
        terms = [
            _value_in_words(line.value, line.changed_from) for line in how.lines if line.value is not None
        ]
        text = " + ".join(terms)
        if how.total is not None and len(terms) > 1:
            text += f" = {how.total}"
        if how.divided_by:
            text += f"; ÷ {how.divided_by} = {_value_in_words(how.result, how.changed_from)}"
        return text

    def _text_of(self, value: Fraction) -> str:
        """A share with four decimal places, because documents differ in the third; anything else as a number."""
        is_share = METRICS[self.number.step.key].unit == "share"
        return format_rounded(value, 4) if is_share else format_number(value)


class ExampleSheet(NamedTuple):
    """The examples of one document under a ruleset."""

    document: Document
    own: bool  # they belong to that ruleset
    lines: list[ExampleLine]

    @property
    def basis(self) -> str:
        return str(BASES[self.document.basis][0])

    @property
    def few(self) -> bool:
        return len(self.lines) <= FEW

    @property
    def differing(self) -> int:
        return sum(not line.number.agrees for line in self.lines)


def examples_context(profile: dict[str, Any]) -> dict[str, Any]:
    """Return the context of `_conformance.html` and `_examples.html` for a profile.

    `notes`: remarks on documents whose numbers differ.
    """
    own = documents_of(origin_of(profile))
    others = [document for document in documents() if document.for_all and document not in own]
    sheets = [
        ExampleSheet(document, document in own, [*map(ExampleLine, worked_examples(profile, [document]))])
        for document in [*own, *others]
    ]
    lines = [line for sheet in sheets if sheet.own for line in sheet.lines]
    differing = [line for line in lines if not line.number.agrees]
    return {
        "differing": differing,
        "verdicts": verdicts_of(line.number for line in lines),
        "notes": list(dict.fromkeys(filter(None, (line.number.document.note for line in differing)))),
        "sheets": sheets,
    }


def verdicts_of(numbers: Iterable[ExampleNumber]) -> list[tuple[bool, str]]:
    """(all agree, sentence) for each basis: 14 of 14 official examples agree, each with all its numbers."""
    examples: dict[str, dict[tuple[str, str], bool]] = defaultdict(dict)
    for number in numbers:
        agreeing = examples[number.document.basis]
        name = (number.document.title, number.example.id)
        agreeing[name] = agreeing.get(name, True) and number.agrees
    return [
        (
            all(agreeing.values()),
            str(BASES[basis][1] % {"agree": sum(agreeing.values()), "of": len(agreeing)}),
        )
        for basis, agreeing in examples.items()
    ]


def _value_in_words(value: Fraction, before: Fraction | None) -> str:
    if before is None:
        return str(value)
    words = (
        _t("%(value)s (raised from %(before)s)")
        if value > before
        else _t("%(value)s (lowered from %(before)s)")
    )
    return words % {"value": value, "before": before}
