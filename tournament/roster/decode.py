"""From the bytes of a file to its records. Detects kind, encoding and separator."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import chardet

from tournament.text import split_lines

# Choices by displayed name.
CODECS = {
    "UTF-8": "utf-8-sig",
    "Windows-1252": "cp1252",
    "Windows-1250": "cp1250",
    "Windows-1251": "cp1251",
    "Windows-1254": "cp1254",
    "Mac Roman": "mac_roman",
    "Shift_JIS": "cp932",
    "GBK": "gb18030",
    "Big5": "big5hkscs",
    "EUC-KR": "cp949",
    "UTF-16": "utf-16",
}
UNKNOWN = "\ufffd"  # replacement of undecodable bytes
_NAMES = {
    codecs.lookup(codec).name.removesuffix("-sig"): name
    for name, codec in CODECS.items()
    if name != "UTF-16"  # detected before
}
_CELL_ENDS = re.compile(rb"[;,\t\r\n]+")  # no byte of these is part of a letter in any of the encodings
_LIKELY = {"cp1250": 0.9}  # a few letters alone are likelier Western European, which differs little


def guess_encoding(data: bytes) -> str:
    """Guess the encoding of non-UTF-8 bytes from non-ASCII cells only: other cells, such as emails, say nothing."""
    cells = b"\n".join(cell for cell in _CELL_ENDS.split(data) if not cell.isascii())
    found = chardet.detect_all(cells, ignore_threshold=True, compat_names=False, include_encodings=_NAMES)
    best = max(found, key=lambda one: one["confidence"] * _LIKELY.get(one["encoding"] or "", 1))["encoding"]
    return _NAMES[codecs.lookup(best).name] if best else "Windows-1252"


MOST_BYTES = 2 * 1024 * 1024
MOST_COLUMNS = 200
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_MARKS = {codecs.BOM_UTF8: "UTF-8", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
LOOKED_AT = 20_000  # characters, to find the separator
_PICTURES = {
    b"\x89PNG": "picture", b"\xff\xd8\xff": "picture", b"GIF8": "picture", b"RIFF": "picture", b"BM": "picture",
    b"%PDF": "PDF", b"\xd0\xcf\x11\xe0": "workbook of an old Excel", b"\x1f\x8b": "compressed file",
}  # fmt: skip
Records = list[tuple[int, list[str]]]  # each with the line it begins in


class RosterError(ValueError):
    """A file that cannot be imported. `text`, filled in with `values`; `line`, 0 for the whole file."""

    def __init__(self, text: str, *, line: int = 0, **values: object) -> None:
        self.values: Mapping[str, object] = {"line": line, **values}
        super().__init__(text % self.values)
        self.text, self.line = text, line

    def at(self, line: int) -> RosterError:
        return RosterError(self.text, **{**self.values, "line": line})  # type: ignore[arg-type]


class DecodedFile(NamedTuple):
    records: Records
    encoding: str  # "" for a workbook, which states its own
    separator: str = ""  # "" for a kind of file without one
    kind: str = ""  # such as "XLSX workbook, sheet “Players”"; "" for CSV


def check_size(data: bytes) -> None:
    if len(data) > MOST_BYTES:
        text = "The file is larger than %(most)s MB. Check that it is the right one."
        raise RosterError(text, most=MOST_BYTES // 2**20)


def decode_csv(text: str, encoding: str) -> DecodedFile:
    first, _newline, rest = text.partition("\n")
    if hint := re.fullmatch(r'sep=([^"])', first.strip(), re.IGNORECASE):  # a spreadsheet's own
        separator, text = hint[1], rest
    else:
        separator = detect_separator(text)
    records = [(line + bool(hint), record) for line, record in parse_records(text, separator)]
    if not records:
        raise RosterError("The file is empty.")
    return DecodedFile(records, encoding, SEPARATORS.get(separator, separator))


def decode_text(data: bytes, encoding: str = "") -> tuple[str, str]:
    """Return (text, encoding): as given, by byte order mark, UTF-8, or guessed. Bad bytes become UNKNOWN."""
    for start, kind in _PICTURES.items():
        if data.startswith(start) and (len(start) > 2 or b"\x00" in data[:64]):
            text = "This is a %(kind)s, not a list in text form. Save the list as CSV and choose that file."
            raise RosterError(text, kind=kind)
    encoding = encoding or next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    if encoding:
        text = data.decode(CODECS[encoding], errors="replace")
    else:
        try:
            encoding, text = "UTF-8", data.decode("utf-8")
        except UnicodeDecodeError:
            encoding = guess_encoding(data)
            text = data.decode(CODECS[encoding], errors="replace")
        unreadable = text.count(UNKNOWN) + sum(char < " " and char not in "\t\r\n" for char in text)
        if "\x00" in text or (unreadable > len(text) // 20 and encoding != "UTF-8"):
            raise RosterError("This is not a text file. Save the list as CSV and choose that file.")
    if not text.strip():
        raise RosterError("The file is empty.")
    return text.replace("\x00", UNKNOWN), encoding


def detect_separator(text: str) -> str:
    """Return the separator that splits the first lines into the most columns, with the most regular number."""
    plain = "".join(text[:LOOKED_AT].split('"')[::2])  # separators in quotation marks do not count
    lines = [line for line in split_lines(plain) if line.strip()][:20]

    def fits(separator: str) -> tuple[int, int]:
        counts = [line.count(separator) for line in lines]
        usual = max(set(counts), key=lambda count: (counts.count(count), count), default=0)
        return (counts.count(usual) if usual else 0, usual)

    best = max(SEPARATORS, key=lambda separator: (fits(separator), separator == ","))
    return best if fits(best)[1] else ","


def parse_records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (first line, fields) for each non-blank record. Raises RosterError."""
    reader = csv.reader((f"{line}\n" for line in split_lines(text)), delimiter=separator, strict=True)
    begins = 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise _explained(error, begins, reader.line_num) from None
        if len(record) > MOST_COLUMNS:
            text = "Line %(line)s has %(count)s columns; a list of players can have at most %(most)s."
            raise RosterError(text, line=begins, count=len(record), most=MOST_COLUMNS)
        if any(field.strip() for field in record):
            yield begins, [field.strip() for field in record]
        begins = reader.line_num + 1


def _explained(error: csv.Error, begins: int, line: int) -> RosterError:
    if "unexpected end" in str(error):
        return RosterError('Line %(line)s opens a quotation mark (") that is never closed.', line=begins)
    if "limit" in str(error):
        return RosterError("Line %(line)s has a field of more than 131072 characters.", line=begins)
    text = 'Line %(line)s has something between a closing quotation mark (") and the next separator.'
    return RosterError(text, line=line)
