"""A list on paper: a title, columns and rows, in sheets that fit A4 and Letter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import east_asian_width

READ, WRITE = 40, 22  # rows of a sheet of Letter, which is lower than A4: to read, and to write on
BESIDE = 130  # millimeters that a name of usual length leaves for the other columns
# By class: millimeters that a digit, a letter of a heading and the edges of a column take.
PRINTS = (("", 2.15, 1.6, 3), ("tight", 1.65, 1.35, 1.4), ("tightest", 1.3, 1.15, 1))


class PaperColumn(NamedTuple):
    """A column."""

    title: str
    # "name" is wide, "text" and "pair" (two names) wider, "number" narrow, "write" for the pen.
    kind: str = "number"


@dataclass(frozen=True)
class PaperList:
    """A list; its rows hold one text per column."""

    title: str
    columns: Sequence[PaperColumn]
    rows: Sequence[Sequence[str]]
    per_sheet: int = READ  # how many rows a sheet has
    note: str = ""

    @property
    def count(self) -> int:
        return -(-len(self.rows) // self.per_sheet) or 1

    @property
    def print(self) -> str:
        """The CSS class of the largest print in which all columns fit beside a name."""
        widths = [
            (
                max((len(row[place]) for row in self.rows), default=0),
                max(map(len, column.title.split()), default=0),
            )
            for place, column in enumerate(self.columns)
            if column.kind == "number"
        ]
        for name, digit, letter, edges in PRINTS:
            if sum(max(text * digit, word * letter) + edges for text, word in widths) <= BESIDE:
                return name
        return PRINTS[-1][0]

    @property
    def sheets(self) -> list[list[list[tuple[str, PaperColumn]]]]:
        """The rows of each sheet, each text with its column; at least one sheet."""
        rows = [list(zip(row, self.columns, strict=True)) for row in self.rows]
        return [rows[start : start + self.per_sheet] for start in range(0, len(rows) or 1, self.per_sheet)]


WIDE = frozenset("MWmw@%—ШЩЖЮФМшщжюфм")


def text_width(text: str) -> float:
    """Estimate the width of a text in bold sans serif, in half ems; a CJK character counts as two."""
    return sum(map(_halves, text))


def _halves(char: str) -> float:
    if east_asian_width(char) in "WF" or char in WIDE:
        return 2
    return 1.35 if char.isupper() else 1.15 if char > "\u036f" else 1
