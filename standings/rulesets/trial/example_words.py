"""Worked examples under a ruleset, and how many of them agree, in words for pages."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from standings.conformance.library import Document, documents, documents_of
from standings.rulesets.trial.examples import (
    Conformance,
    ExampleNumber,
    count_agreeing,
    origin_of,
    worked_examples,
)
from standings.words.formats import format_number, format_rounded
from standings.words.metrics import title_of_step

FEW = 40  # numbers of a document that are shown at once
BASES = {
    "official": gettext_lazy("printed by the publisher"),
    "published": gettext_lazy("published by others"),
    "by hand": gettext_lazy("worked by hand from the publisher's words"),
}


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A number beside the document's. `says` and `note`: on the first line of an example; `sum`: how ours is made.

    `also`: (words, value, exact value) under one change each. `trouble`: why there is no number of ours.
    """

    example: str
    says: str
    note: str
    player: str
    title: str
    theirs: str
    ours: str
    exact: str
    agrees: bool
    sum: str
    also: list[tuple[str, str, str]]
    trouble: str


@dataclass(frozen=True, slots=True)
class ExampleSheet:
    """The examples of one document under a ruleset. `own`: they belong to that ruleset."""

    document: Document
    basis: str
    own: bool
    lines: list[ExampleLine]
    differing: int

    @property
    def few(self) -> bool:
        """Whether all of its numbers are shown at once."""
        return len(self.lines) <= FEW


def examples_context(profile: dict[str, Any]) -> dict[str, Any]:
    """What `_conformance.html` and `_examples.html` show for a profile.

    `notes`: what is known of the documents whose numbers differ.
    """
    own = documents_of(origin_of(profile))
    others = [document for document in documents() if document.for_all and document not in own]
    numbers = {document: worked_examples(profile, [document]) for document in [*own, *others]}
    conformance = count_agreeing(number for document in own for number in numbers[document])
    differing = conformance.differing
    return {
        "differing": [(number, title_of_step(number.step)) for number in differing],
        "verdicts": verdicts_of(conformance),
        "notes": list(dict.fromkeys(n.document.note for n in differing if n.document.note)),
        "sheets": [_sheet(document, mine, document in own) for document, mine in numbers.items()],
    }


def verdicts_of(conformance: Conformance) -> list[tuple[bool, str]]:
    """(all agree, sentence) for each basis: 14 of 14 official examples agree."""
    verdicts = []
    for basis, tally in conformance.tallies.items():
        if basis == "official":
            words = ngettext(
                "%(agree)s of %(of)s official example agrees",
                "%(agree)s of %(of)s official examples agree",
                tally.of,
            )
        elif basis == "published":
            words = ngettext(
                "%(agree)s of %(of)s example published by others agrees",
                "%(agree)s of %(of)s examples published by others agree",
                tally.of,
            )
        else:
            words = ngettext(
                "%(agree)s of %(of)s example worked by hand from the publisher's words agrees",
                "%(agree)s of %(of)s examples worked by hand from the publisher's words agree",
                tally.of,
            )
        verdicts.append((tally.agree == tally.of, words % {"agree": tally.agree, "of": tally.of}))
    return verdicts


def _sheet(document: Document, numbers: list[ExampleNumber], own: bool) -> ExampleSheet:
    lines = []
    previous = None
    for number in numbers:
        with_sum = len(numbers) <= FEW or not number.agrees
        lines.append(_line(number, first=number.example is not previous, with_sum=with_sum))
        previous = number.example
    differing = sum(not number.agrees for number in numbers)
    return ExampleSheet(document, str(BASES[document.basis]), own, lines, differing)


def _line(number: ExampleNumber, *, first: bool, with_sum: bool) -> ExampleLine:
    """`first`: of its example. `with_sum`: in a long document only numbers that differ have their sums."""
    ours = number.ours
    return ExampleLine(
        example=number.example.id,
        says=number.example.says if first else "",
        note=number.example.note if first else "",
        player=number.player,
        title=title_of_step(number.step),
        theirs=number.theirs,
        ours="" if ours is None else number_text(ours, number.unit),
        exact="" if ours is None else str(ours),
        agrees=number.agrees,
        sum=sum_in_words(number) if with_sum else "",
        also=[(words, number_text(value, number.unit), str(value)) for words, value in number.also],
        trouble=number.trouble,
    )


def number_text(value: Fraction, unit: str) -> str:
    """A share with four places, because documents differ in the third; anything else as a number."""
    return format_rounded(value, 4) if unit == "share" else format_number(value)


def sum_in_words(number: ExampleNumber) -> str:
    """How a number is made, exactly: 1/2 + 33/100 (raised from 4/15) = 83/100; ÷ 2 = 83/200."""
    how = number.how
    if how is None or not how.lines:
        return ""
    terms = [_value_in_words(line.value, line.changed_from) for line in how.lines if line.value is not None]
    text = " + ".join(terms)
    if how.total is not None and len(terms) > 1:
        text += f" = {how.total}"
    if how.divided_by:
        text += f"; ÷ {how.divided_by} = {_value_in_words(how.result, how.changed_from)}"
    return text


def _value_in_words(value: Fraction, before: Fraction | None) -> str:
    """A value, with what it was before a minimum or a maximum changed it."""
    if before is None:
        return str(value)
    words = (
        _("%(value)s (raised from %(before)s)")
        if value > before
        else _("%(value)s (lowered from %(before)s)")
    )
    return words % {"value": value, "before": before}
