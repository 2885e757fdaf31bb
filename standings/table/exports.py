"""Standings to take away: one JSON document, one CSV sheet; and what a final place came from.

The CSV holds, a line a player: rank, code, name, wins, losses, draws, then two cells a column (as printed, and
the exact fraction under the same name with " exact"), and with a bracket the final place and how it was reached.
Cells that a spreadsheet would take for a formula begin with an apostrophe (`tournament.exports.csv`); `read_csv`
takes it off again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from standings.engine.explanation.types import ExplanationLine
from standings.engine.records import Record, wins_losses_draws
from standings.event.rounds import last_swiss_round
from standings.event.swiss import rows_json
from standings.table.cache import RankedEvent
from standings.table.derivation import Derivation
from standings.table.final_places import FinalPlace
from standings.table.sheet import Sheet, columns_of
from standings.words.explanation import label_of, notes_of
from tournament.exports.csv import csv_text, unguard_cell

EXACT = " exact"


def add_final_places(sheet: Sheet, finals: Mapping[str, FinalPlace]) -> bool:
    """Write the final places into the lines. Answers whether there is a bracket."""
    for line in sheet.lines:
        line.place, line.how = finals.get(line.code, (None, ""))
    return bool(finals)


def record_of(ranked_event: RankedEvent, code: str) -> tuple[int, int, int]:
    """Wins, losses and draws of a ranked entry."""
    return wins_losses_draws(ranked_event.ranking.views[code].now.records.get(code, Record(code)))


def json_document_of(ranked_event: RankedEvent, after: int | None = None) -> dict[str, Any]:
    """The standings as the command `standings --json` prints them, with names, records and final places."""
    finals = ranked_event.final_places if after is None else {}
    rows = rows_json(ranked_event.ranking)
    for row in rows:
        row["name"] = ranked_event.names[row["entry"]]
        row["record"] = list(record_of(ranked_event, row["entry"]))
        if finals:
            row["place"], row["place_from"] = finals[row["entry"]]
    columns = columns_of(ranked_event.ranking, all_of_them=True)
    return {
        "after_round": last_swiss_round(ranked_event.event) if after is None else after,
        "columns": ranked_event.ranking.columns,
        "titles": [column.title for column in columns],
        "slugs": [column.slug for column in columns],
        "rule_changes": ranked_event.event.profile.get("rule_changes") or [],
        "rows": rows,
    }


def csv_sheet_of(ranked_event: RankedEvent, after: int | None = None) -> str:
    """The standings as a sheet, safe to be opened by a spreadsheet."""
    finals = ranked_event.final_places if after is None else {}
    columns = columns_of(ranked_event.ranking, all_of_them=True)
    head = ["rank", "code", "name", "wins", "losses", "draws"]
    for column in columns:
        head += [column.slug, column.slug + EXACT]
    rows = []
    for row in ranked_event.ranking:
        line: list[Any] = [
            row.rank,
            row.entry,
            ranked_event.names[row.entry],
            *record_of(ranked_event, row.entry),
        ]
        for column in columns:
            value = row.values[column.index]
            line += [ranked_event.format(value, column.unit).removesuffix("%"), str(value)]
        rows.append(line + list(finals[row.entry] if finals else ()))
    return csv_text(head + (["place", "place from"] if finals else []), rows)


def read_csv(text: str) -> list[dict[str, Any]]:
    """The lines of such a sheet: numbers as int, the exact columns as Fraction, everything else as text."""
    lines = []
    for row in csv.DictReader(io.StringIO(text)):
        read: dict[str, Any] = {}
        for name, cell in row.items():
            text = unguard_cell(cell)
            if name in ("rank", "wins", "losses", "draws", "place"):
                read[name] = int(text)
            else:
                read[name] = Fraction(text) if name.endswith(EXACT) else text
        lines.append(read)
    return lines


def derivation_document(derivation: Derivation) -> dict[str, Any]:
    """A derivation in plain JSON: as printed, and exact."""
    explanation, column = derivation.explanation, derivation.column
    return {
        "entry": derivation.code,
        "name": derivation.name,
        "metric": column.slug,
        "title": column.title,
        "formula": column.formula,
        "unit": column.unit,
        "shown": derivation.shown,
        "exact": derivation.exact,
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
        "times": [str(factor) for factor in line.times] if line.times else None,
        "running": _exact(line.running),
        "label": label_of(line) or None,
        "note": notes_of(line) or None,
        "metric": line.inner.step.key if line.inner else None,
    }
    return {
        name: value for name, value in document.items() if value is not None or name in ("round", "value")
    }


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
