"""Workbooks, XLSX and ODS, as records. Their unpacked size is limited before the cells are read."""

import datetime as dt
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

from tournament.roster.decode import MOST_COLUMNS, Records, RosterError
from tournament.text import split_lines

# Header words of `tournament.roster.read`; unknown ones are reported as unused.
TOM_HEADER = ["Player ID", "First name", "Last name", "Labels"]
TRF_HEADER = ["FIDE ID", "First name", "Last name", "FIDE rating", "Labels", "Sex", "Title", "Federation"]
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TRF_PLAYER = re.compile(r"001 [ \d]{3}\d [ mwfMWF][ a-zA-Z]{3} \S")


def is_tom(text: str) -> bool:
    return text.lstrip().startswith("<") and "<tournament" in text


def is_trf(text: str) -> bool:
    return any(map(_TRF_PLAYER.match, split_lines(text)))


def read_tom(text: str) -> Records:
    players: list[tuple[int, dict[str, str]]] = []
    path: list[str] = []
    parser = new_parser("utf-8")

    def start(tag: str, attributes: dict[str, str]) -> None:
        path.append(tag)
        if path == ["tournament", "players", "player"]:
            players.append((parser.CurrentLineNumber, {"userid": attributes.get("userid", "")}))

    def end(_tag: str) -> None:
        path.pop()

    def add_text(data: str) -> None:
        if path[:3] == ["tournament", "players", "player"] and len(path) == 4:
            fields = players[-1][1]
            fields[path[3]] = fields.get(path[3], "") + data

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, add_text
    try:
        parser.Parse(_DECLARATION.sub("", text, count=1).lstrip().encode(), True)
    except expat.ExpatError as error:
        raise RosterError("Line %(line)s is not valid XML.", line=error.lineno) from None
    names = ("userid", "firstname", "lastname", "birthdate")
    rows = [(line, [player.get(name, "") for name in names]) for line, player in players]
    return [(1, TOM_HEADER), *((line, [*row[:3], _born(row[3])]) for line, row in rows)]


def read_trf(text: str) -> Records:
    """Return the players in a FIDE tournament report file, from the columns of its 001 lines."""
    records: Records = [(1, TRF_HEADER)]
    for number, line in enumerate(split_lines(text), start=1):
        if _TRF_PLAYER.match(line):
            last, comma, first = line[14:47].strip().partition(",")
            record = [line[57:68], first if comma else last, last if comma else "", line[48:52]]
            record += [_born(line[69:79]), line[9:10], line[10:13], line[53:56]]
            records.append((number, [cell.strip() for cell in record]))
    return records


def _born(text: str) -> str:
    year = _YEAR.search(text)
    return f"born {year[0]}" if year else ""


START = b"PK\x03\x04"
MOST_UNPACKED = 32 * 1024 * 1024
MOST_PARTS = 1000
MOST_CELLS = 1_000_000  # of a sheet, from the first to the last
MOST_SHEETS = 20
TOO_LARGE = "This workbook is far larger than a list of players. Save the list as CSV."
DAMAGED = "This workbook is damaged. Save the list again, or as CSV."
KINDS = {"xl/workbook.xml": "XLSX", "content.xml": "ODS"}
_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")


def read_workbook(data: bytes) -> Iterator[tuple[str, str, Records]]:
    """Yield (kind, name, records) for each non-empty sheet. Raises RosterError."""
    parts = _unpack(data)
    kind = next((kind for part, kind in KINDS.items() if part in parts), "")
    if not kind:
        raise RosterError("This is a compressed file without a workbook in it. Choose the list itself.")
    packed = _pack({name: part for name, part in parts.items() if _is_safe(name, part)})
    book: CalamineWorkbook = _read(lambda: CalamineWorkbook.from_filelike(packed))
    sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet][:MOST_SHEETS]
    if not sheets:
        raise RosterError(DAMAGED)
    for sheet in sheets:
        rows = _read(lambda name=sheet.name: book.get_sheet_by_name(name).to_python(skip_empty_area=False))
        records = [(line, [_text(cell) for cell in row]) for line, row in enumerate(rows, start=1)]
        if filled := [(line, record) for line, record in records if any(record)]:
            yield kind, sheet.name, filled


def _unpack(data: bytes) -> dict[str, bytes]:
    """Return the parts of the file by name. Raises RosterError if they are larger than a player list needs."""
    parts, left = {}, MOST_UNPACKED
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if len(infos) > MOST_PARTS:
                raise RosterError(TOO_LARGE)
            for info in infos:
                if info.flag_bits & 1:
                    raise RosterError("This workbook is locked with a password. Save it without one.")
                with archive.open(info) as part:
                    parts[info.filename] = part.read(left + 1)
                left -= len(parts[info.filename])
                if left < 0:
                    raise RosterError(TOO_LARGE)
    except RosterError:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError, ValueError):
        raise RosterError(DAMAGED) from None
    return parts


def _pack(parts: dict[str, bytes]) -> io.BytesIO:
    """Pack the checked parts again: the reader then gets the bytes that were counted, whatever the file claims."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    packed.seek(0)
    return packed


class _Extent:
    """The extent of a sheet's non-empty cells, because the reader allocates every cell up to the last."""

    def __init__(self) -> None:
        self.row = self.column = self.last_row = self.last_column = 0
        self.rows = self.columns = 1  # how often the row and the cell are repeated, in ODS

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        of = {key.rpartition(":")[2]: value for key, value in attributes.items()}
        if name in ("table", "sheetData"):
            self.row = self.column = 0
        elif name in ("table-row", "row"):
            self.rows = _number(of.get("number-rows-repeated", "1"))
            self.row = _number(of["r"]) if "r" in of else self.row + self.rows
            self.column = 0
        elif name in ("table-cell", "covered-table-cell"):
            self.columns = _number(of.get("number-columns-repeated", "1"))
            self.column += self.columns
            if any("value" in key or key == "formula" for key in of):
                self.fill()
        elif name == "c":
            if reference := _REFERENCE.fullmatch(of.get("r", "")):
                self.row, self.column = int(reference[2]), _column(reference[1])
            else:
                self.column += 1
            self.fill()

    def text(self, text: str) -> None:
        if self.column and not text.isspace():
            self.fill()

    def fill(self) -> None:
        self.last_row, self.last_column = max(self.last_row, self.row), max(self.last_column, self.column)
        if self.last_column > MOST_COLUMNS or self.last_row * self.last_column > MOST_CELLS:
            raise RosterError(TOO_LARGE)


def _is_safe(name: str, part: bytes) -> bool:
    """Whether to keep a part: only XML is needed. Raises RosterError for entities and for cells too far apart."""
    extent, parser = _Extent(), new_parser()
    parser.StartElementHandler = extent.start
    parser.CharacterDataHandler = extent.text
    try:
        parser.Parse(part, True)
    except (expat.ExpatError, LookupError):  # or an unknown encoding
        return name == "mimetype"
    return True


def new_parser(encoding: str | None = None) -> expat.XMLParserType:
    """Build an XML parser that accepts no document type and so expands no entities."""
    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True

    def refuse(*_about: Any) -> None:
        raise RosterError("This file defines XML entities, which no list of players needs. It was not read.")

    parser.StartDoctypeDeclHandler = refuse
    return parser


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 10**9


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _read(work: Any) -> Any:
    try:
        return work()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a Rust panic is not an Exception
        if not isinstance(error, CalamineError) and isinstance(error, Exception):
            raise
        raise RosterError(DAMAGED) from None


def _text(cell: Any) -> str:
    """Return a cell's text as in CSV: whole numbers without a point, days as 2026-11-20."""
    if isinstance(cell, bool):
        return "yes" if cell else ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime):
        return cell.isoformat(" ")
    return str(cell).strip()
