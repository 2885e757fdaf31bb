"""Standings as a JSON document and as a CSV sheet.

The CSV has one line per player: rank, code, name, wins, losses, draws, rounds not played, then two cells per column (as
printed, and the exact fraction under the same name with " exact"), and with a bracket the final place and how it was
reached. Cells that a spreadsheet would read as a formula begin with an apostrophe (`tournament.exports.csv_text`).
"""

from collections.abc import Mapping
from typing import Any

from standings.engine.records import Outcomes, count_outcomes
from standings.event.rounds import last_swiss_round
from standings.event.swiss import rows_json
from standings.table.cache import RankedEvent
from standings.table.sheet import FinalPlace, Sheet, columns_of
from tournament.exports.csv_text import csv_text

EXACT = " exact"
NO_PLACE = (None, "")  # final place of an entry that was disqualified in the bracket


def add_final_places(sheet: Sheet, finals: Mapping[str, FinalPlace]) -> bool:
    """Add the final places to the lines. Returns whether there is a bracket."""
    for line in sheet.lines:
        line.place, line.how = finals.get(line.code, NO_PLACE)
    return bool(finals)


def outcomes_of(ranked_event: RankedEvent, code: str) -> Outcomes:
    return count_outcomes(ranked_event.ranking.views[code].now.records[code])


def json_document_of(ranked_event: RankedEvent, after: int | None = None) -> dict[str, Any]:
    """The standings as the command `standings --json` prints them, with names, records and final places."""
    finals = ranked_event.final_places if after is None else {}
    rows = rows_json(ranked_event.ranking)
    for row in rows:
        row["name"] = ranked_event.names[row["entry"]]
        *row["record"], row["not_played"] = outcomes_of(ranked_event, row["entry"])
        if finals:
            row["place"], row["place_from"] = finals.get(row["entry"], NO_PLACE)
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
    """The standings as a CSV sheet that is safe to open in a spreadsheet."""
    finals = ranked_event.final_places if after is None else {}
    columns = columns_of(ranked_event.ranking, all_of_them=True)
    head = ["rank", "code", "name", "wins", "losses", "draws", "not_played"]
    for column in columns:
        head += [column.slug, column.slug + EXACT]
    rows = []
    for row in ranked_event.ranking:
        line: list[Any] = [
            row.rank,
            row.entry,
            ranked_event.names[row.entry],
            *outcomes_of(ranked_event, row.entry),
        ]
        for column in columns:
            value = row.values[column.index]
            line += [ranked_event.format(value, column.unit).removesuffix("%"), str(value)]
        rows.append(line + list(finals.get(row.entry, NO_PLACE) if finals else ()))
    return csv_text(head + (["place", "place from"] if finals else []), rows)
