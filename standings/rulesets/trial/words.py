"""Worked examples and conformance as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from standings.conformance.library import Document, documents, documents_of
from standings.rulesets.trial.examples import Conformance, Number, counted, origin_of, worked_examples
from standings.words.formats import format_number, format_rounded
from standings.words.metrics import title_of_step

FEW = 40  # numbers of a document that are shown at once
BASES = {
    "official": gettext_lazy("printed by the publisher"),
    "published": gettext_lazy("published by others"),
    "by hand": gettext_lazy("worked by hand from the publisher's words"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A number beside the document's. `says`: on the first line of its example; `sum`: how ours came about."""

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
class Sheet:
    """The examples of one document under a ruleset. `own`: they belong to that ruleset."""

    document: Document
    basis: str
    own: bool
    lines: list[Line]
    differing: int

    @property
    def few(self) -> bool:
        return len(self.lines) <= FEW


def context_of(profile: dict[str, Any]) -> dict[str, Any]:
    """What `_conformance.html` and `_examples.html` show for a profile.

    `why`: what is known of the documents whose numbers differ.
    """
    own = documents_of(origin_of(profile))
    others = [document for document in documents() if document.for_all and document not in own]
    numbers = {document: worked_examples(profile, [document]) for document in [*own, *others]}
    conformance = counted(number for document in own for number in numbers[document])
    return {
        "differing": [(number, title_of_step(number.step)) for number in conformance.differing],
        "verdicts": verdicts(conformance),
        "why": list(dict.fromkeys(n.document.note for n in conformance.differing if n.document.note)),
        "sheets": [_sheet(document, found, document in own) for document, found in numbers.items()],
    }


def verdicts(conformance: Conformance) -> list[tuple[bool, str]]:
    """(all agree, sentence) for each basis there is: 14 of 14 official examples agree."""
    said = []
    for basis, tally in conformance.tallies.items():
        counted = {"agree": tally.agree, "of": tally.of}
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
        said.append((tally.agree == tally.of, words % counted))
    return said


def _sheet(document: Document, numbers: list[Number], own: bool) -> Sheet:
    lines: list[Line] = []
    said = None
    for found in numbers:
        told = len(numbers) <= FEW or not found.agrees
        lines.append(_line(found, first=found.example is not said, told=told))
        said = found.example
    return Sheet(document, str(BASES[document.basis]), own, lines, sum(not found.agrees for found in numbers))


def _line(found: Number, *, first: bool, told: bool) -> Line:
    """`told`: with its sum; of a long document's numbers only those that differ have theirs."""
    return Line(
        example=found.example.id,
        says=found.example.says if first else "",
        note=found.example.note if first else "",
        player=found.player,
        title=title_of_step(found.step),
        theirs=found.theirs,
        ours="" if found.ours is None else shown(found.ours, found.unit),
        exact="" if found.ours is None else str(found.ours),
        agrees=found.agrees,
        sum=sum_in_words(found) if told else "",
        also=[(words, shown(value, found.unit), str(value)) for words, value in found.also],
        trouble=found.trouble,
    )


def shown(value: Fraction, unit: str) -> str:
    """A share with four places, as documents argue about the third; everything else as a number."""
    return format_rounded(value, 4) if unit == "share" else format_number(value)


def sum_in_words(found: Number) -> str:
    """How a number came about: 1/2 + 33/100 (raised from 4/15) = 83/100; ÷ 2 = 83/200. Exact, never rounded."""
    how = found.how
    if how is None or not how.lines:
        return ""
    terms = []
    for line in how.lines:
        if line.value is None:
            continue
        terms.append(str(line.value) + _from(line.changed_from, line.value))
    said = " + ".join(terms)
    if how.total is not None and len(terms) > 1:
        said += f" = {how.total}"
    if how.divided_by:
        said += f"; ÷ {how.divided_by} = {how.result}{_from(how.changed_from, how.result)}"
    return said


def _from(before: Fraction | None, value: Fraction) -> str:
    """What a share was before a minimum or a cap changed it."""
    if before is None:
        return ""
    words = _(" (raised from %(before)s)") if value > before else _(" (lowered from %(before)s)")
    return words % {"before": before}
