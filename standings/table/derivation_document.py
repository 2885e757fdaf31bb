"""Derivations for programs: plain JSON with exact fractions as strings. Its fields: `docs/standings.md`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from standings.engine.explanation.types import ExplanationLine
from standings.table.derivation import Derivation
from standings.words.explanation import line_label_of, line_notes_of


def derivation_document(derivation: Derivation) -> dict[str, Any]:
    """A derivation in plain JSON: as printed, and exact."""
    explanation, column = derivation.explanation, derivation.column
    return {
        "entry": explanation.entry,
        "name": derivation.name,
        "metric": column.slug,
        "title": column.title,
        "formula": column.formula,
        "unit": column.unit,
        "shown": derivation.shown,
        "exact": str(explanation.result),
        "lines": [_line_document(line) for line in explanation.lines],
        "how": explanation.how,
        "sum": _exact(explanation.total),
        "divided_by": _exact(explanation.divided_by),
        "before": _exact(explanation.changed_from),
        "change": derivation.change,
        "notes": derivation.notes,
        "groups": [
            {
                "members": [
                    {"entry": code, "points": points, "balance": balance, "met": met, "part": part}
                    for _name, code, points, balance, met, part in league.rows
                ],
                "note": league.note,
            }
            for league in derivation.leagues
        ],
        "neighbours": [
            {"text": step.text, "entry": step.code, "metric": step.slug} for step in derivation.neighbours
        ],
    }


def _line_document(line: ExplanationLine) -> dict[str, Any]:
    """A line, without the fields that do not apply."""
    document = {
        "round": line.round,
        "opponent": line.opponent,
        "record": line.record,
        "value": _exact(line.value),
        "before": _exact(line.changed_from),
        "of": _exact(line.of),
        "times": list(map(str, line.times)) if line.times else None,
        "running": _exact(line.running),
        "label": line_label_of(line) or None,
        "note": line_notes_of(line) or None,
        "metric": line.inner.step.key if line.inner else None,
    }
    return {
        name: value for name, value in document.items() if value is not None or name in ("round", "value")
    }


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
