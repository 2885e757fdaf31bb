"""A list on paper: a title, columns and rows, in sheets that fit A4 and Letter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

READ, WRITE = 40, 22  # rows of a sheet of Letter, which is lower than A4: to read, and to write on


class PaperColumn(NamedTuple):
    """A column. `kind`: "name" is wide, "number" narrow, "write" is empty and for the pen."""

    title: str
    kind: str = "number"


@dataclass(frozen=True)
class PaperList:
    """A list: its rows hold a text a column. `per_sheet`: how many rows a sheet has."""

    title: str
    columns: Sequence[PaperColumn]
    rows: Sequence[Sequence[str]]
    per_sheet: int = READ
    note: str = ""

    @property
    def count(self) -> int:
        """How many sheets it takes; one at least."""
        return -(-len(self.rows) // self.per_sheet) or 1

    @property
    def sheets(self) -> list[list[list[tuple[str, PaperColumn]]]]:
        """The rows of each sheet, each text with its column; one sheet at least."""
        rows = [list(zip(row, self.columns, strict=True)) for row in self.rows]
        return [rows[start : start + self.per_sheet] for start in range(0, len(rows) or 1, self.per_sheet)]
