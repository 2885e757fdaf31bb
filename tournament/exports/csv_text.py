"""CSV for spreadsheets: no cell is read as a formula, and the cells can be read back exactly."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from tournament.text.clean import drop_isolates

# Beginnings that a spreadsheet may read as a formula, also after a tab or a line break.
RISKY = re.compile(r"'*[=+\-@%|＝＋－＠\t\r\n\0]")
NUMBER = re.compile(r"-?\d+([.,]\d+)?")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV (RFC 4180) under a line of names; None is an empty cell.

    A text that a spreadsheet would take for a formula has a ' before it; `unguard_cell` takes it off again.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([guard_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def guard_cell(cell: object) -> object:
    """The cell as a spreadsheet can open it safely; numbers stay numbers."""
    if not isinstance(cell, str):
        return cell
    text = drop_isolates(cell)
    return f"'{text}" if RISKY.match(text) and not NUMBER.fullmatch(text) else text


def unguard_cell(cell: str) -> str:
    """The cell as it was before `guard_cell`."""
    return cell[1:] if cell[:1] == "'" and RISKY.match(cell) else cell
