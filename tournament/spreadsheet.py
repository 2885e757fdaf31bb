"""Tables for spreadsheets: CSV in which no cell is taken for a formula."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from defusedcsv import csv


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """CSV (RFC 4180) under a line of names; None is an empty cell.

    A text that a spreadsheet would take for a formula (it begins with = + - @ % or |) has a ' before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
