import re
from collections.abc import Iterable, Sequence

from tournament.text import drop_isolates

# Beginnings that a spreadsheet may read as a formula, also after a tab or a line break.
RISKY = re.compile(r"'*[=+\-@%|＝＋－＠\t\r\n\0]")
# The same within a text, after a semicolon or tab that a spreadsheet may read as a separator.
_INNER = re.compile(r"""(?<=[;\t\r\n])(?=["' ]*[=+\-@%|＝＋－＠\0])""")
_GUARDED = re.compile(r"""(?<=[;\t\r\n])'(?=["' ]*[=+\-@%|＝＋－＠\0])""")
BYTE_ORDER_MARK = "\ufeff"
_QUOTED = re.compile(r'[",;\t\r\n]')
NUMBER = re.compile(r"-?\d+([.,]\d+)?")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return CSV (RFC 4180) that Excel reads as UTF-8. Texts that look like formulas are prefixed with '."""
    lines = [header, *([guard_cell(cell) for cell in row] for row in rows)]
    return BYTE_ORDER_MARK + "".join(",".join(map(_quote_cell, line)) + "\r\n" for line in lines)


def _quote_cell(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text


def guard_cell(cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    text = _INNER.sub("'", drop_isolates(cell))
    return f"'{text}" if RISKY.match(text) and not NUMBER.fullmatch(text) else text


def unguard_cell(cell: str) -> str:
    return _GUARDED.sub("", cell[1:] if cell[:1] == "'" and RISKY.match(cell) else cell)
