"""A pasted list of names, with what people paste beside them: numbers, bullets, ratings, emails, last names first."""

import csv
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

from tournament.event.display_names import SUFFIXES
from tournament.roster.decode import UNKNOWN, RosterError
from tournament.roster.read import LONGEST_LABEL, MOST_LABELS, MOST_ROWS, find_name_columns
from tournament.text import INVISIBLE, LONGEST_NAME, clean_name, split_lines

LONGEST_LINE = 500  # characters: longer ones are no rows
LONGEST_CONTACT = 120
_SEPARATORS = re.compile(r"[\t;|]")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d*)?")
_RATING = re.compile(r"[1-9]\d{2,3}")
_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|\+\d[\d ()/.-]{5,}")
_ADDRESS_BEHIND = re.compile(r"[\s<(]([^@\s<>(),;]+@[^@\s<>(),;]+\.[^@\s<>(),;]+)[>)]?\s*\Z")
_PARTING = " (:–-"  # between a name and its rating
_BEHIND = re.compile(rf"[{_PARTING}](?P<rating>[1-9]\d{{2,3}})\)?\Z")
_MARKS = {
    "number": re.compile(
        r"(?:[(\[（【#№]\s*)?\d{1,10}[ºª]?(?:[.):\]．）】：、]+\s*|\s?[-‐-―−]\s+|\s+)|[①-⒛]\s*"
    ),
    "bullet": re.compile(
        r"(?:\[[ xX]?\]|[-‐-―−•‣⁃◦∙·・*+>→\uf0a7\uf0b7■-◿☐☑☒✅✓✔✗✘❌➔-➾]|[~_](?=\s))+[\s\ufe0f]*"
    ),
}
_PUNCTUATED = re.compile(r"[(\[（【#№①-⒛]|\d+[ºª]?[.):\]．）】：、‐-―−-]")
_UNSEEN = "".join([*INVISIBLE, *filter(str.isspace, map(chr, range(0x3001)))])
_QUOTED_CELLS = re.compile(r'"[^"]*"(?:\s*,\s*(?:"[^"]*"|[^",]*))+')
_QUOTES = '"“”„‟«»‹›＂〝〞「」『』《》`´'


class Reading(NamedTuple):
    """How to read the lines of one list alike, where a single line could mean two things."""

    numbered: bool = True  # a number before a name is not part of it
    comma: str = "turn"  # "turn" ("Ruiz, Ada"), "label" ("Ada Ruiz, Spain") or "keep"
    cells: str = ""  # two cells are a "name" or a name and a "label"; "" if the line decides


class PastedLine(NamedTuple):
    """A line as pasted and as understood. `name` is "" if it has none."""

    number: int
    text: str
    name: str
    details: dict[str, Any]  # further fields of the entry: last_name, rating, contact, labels
    unused: tuple[str, ...] = ()  # ignored cells
    patterns: frozenset[str] = frozenset()  # what was found: "number", "comma", "rating", "cells", "label"

    @property
    def is_plain(self) -> bool:
        return self.name == self.text and not self.unused and not self.details

    @property
    def is_doubtful(self) -> bool:
        """Whether the line may not be a name, may be several names, or has lost letters."""
        return (
            not self.name
            or self.name.count(",") > 1
            or UNKNOWN in self.name
            or "@" in self.name
            or bool(_MARKS["bullet"].fullmatch(self.name))
        )


def read_names(text: str, *, teams: bool = False, as_written: bool = False) -> list[PastedLine]:
    """Read a pasted list. `as_written`: each whole line is a name. Raises RosterError, naming the line."""
    texts = [(number, line) for number, line in enumerate(split_lines(text), start=1) if clean_name(line)]
    if not texts:
        raise RosterError("Nothing was added. Enter one name per line.")
    if len(texts) > MOST_ROWS:
        raise RosterError("Add at most %(most)s names at once.", most=MOST_ROWS)
    if as_written:
        lines = [PastedLine(number, clean_name(line), clean_name(line), {}) for number, line in texts]
    else:
        first = [_read_line(number, line, Reading()) for number, line in texts]
        reading, told_apart = _find_reading(first, texts, teams), _names_told_by_number(first)
        lines = [_read_line(number, line, reading, rated=number not in told_apart) for number, line in texts]
    for line in lines:
        if len(line.name) > LONGEST_NAME:
            text = "Line %(line)s: a name has at most %(most)s characters."
            raise RosterError(text, line=line.number, most=LONGEST_NAME)
    return lines


def has_header(text: str) -> bool:
    """Whether the list is a table whose first line names the columns, as in a file of players."""
    first = next((line for line in split_lines(text) if line.strip()), "")
    cells = re.split(r"[\t;|,]", first)
    try:
        return len(cells) > 1 and not {"name", "first"}.isdisjoint(find_name_columns(cells))
    except RosterError:
        return True  # a column twice: reading it as a file says so


def _find_reading(lines: Sequence[PastedLine], texts: Sequence[tuple[int, str]], teams: bool) -> Reading:
    numbers = [
        text.strip() for line, (_n, text) in zip(lines, texts, strict=True) if "number" in line.patterns
    ]
    given = [line.name.removesuffix(line.details["last_name"]) for line in lines if "comma" in line.patterns]
    joined = [line.name.rpartition(" ")[2] for line in lines if "cells" in line.patterns]
    labeled = sum("label" in line.patterns for line in lines)
    return Reading(
        numbered=2 * len(numbers) >= len(lines) or any(map(_PUNCTUATED.match, numbers)),
        comma="keep" if teams else "label" if _repeat(given) else "turn",
        cells="name" if len(joined) > labeled and not _repeat(joined) else "label",
    )


def _names_told_by_number(lines: Sequence[PastedLine]) -> set[int]:
    """Return the lines whose number is part of the name, because it tells names apart: "Player 101"."""
    alike: defaultdict[str, dict[int, set[int]]] = defaultdict(dict)
    for line in lines:
        if "rating" in line.patterns:
            alike[line.name.casefold()].setdefault(line.details["rating"], set()).add(line.number)
    told_apart = [numbers for numbers in alike.values() if len(numbers) > 1]
    return {number for numbers in told_apart for same in numbers.values() for number in same}


def _repeat(texts: Sequence[str]) -> bool:
    """Whether these are a few texts that repeat, such as countries or clubs, rather than names."""
    return len(texts) > 3 and 2 * len(set(texts)) <= len(texts)


def _read_line(number: int, line: str, reading: Reading, *, rated: bool = True) -> PastedLine:
    text = clean_name(line)
    if len(text) > LONGEST_LINE:
        return PastedLine(number, text, text, {})
    patterns: set[str] = set()
    cells = _split_cells(_without_marks(line, reading, patterns))
    details: dict[str, Any] = {}
    words: list[str] = []
    unused: list[str] = []
    for cell in cells:
        is_contact = len(cells) > 1 and _CONTACT.fullmatch(cell) and len(cell) <= LONGEST_CONTACT
        if is_contact and "contact" not in details:
            details["contact"] = cell
        elif len(cells) > 1 and words and "rating" not in details and _RATING.fullmatch(cell):
            details["rating"] = int(cell)
        elif any(map(str.isalpha, cell)) or (len(cells) == 1 and not any(map(str.isdigit, cell))):
            words.append(cell)
        else:
            unused.append(cell)
    if not words:
        return PastedLine(number, text, "", {}, tuple(unused), frozenset(patterns))
    if len(cells) == 1 and rated and (found := _BEHIND.search(words[0])):
        name = words[0][: found.start()].rstrip(_PARTING)
        if name:
            patterns.add("rating")
            words[0], details["rating"] = name, int(found["rating"])
    name, labels = _read_name(words, reading, patterns, details)
    if labels:
        details["labels"] = list(dict.fromkeys(label[:LONGEST_LABEL] for label in labels[:MOST_LABELS]))
    return PastedLine(number, text, name, details, tuple(unused), frozenset(patterns))


def _without_marks(line: str, reading: Reading, patterns: set[str]) -> str:
    """Return the line without a number, bullet, dash or empty box before it, and without quotation marks around it."""
    rest = line.strip()
    for _twice in range(2):  # "- 1. Ada Ruiz"
        for key, mark in _MARKS.items():
            rest = rest.lstrip(_UNSEEN)
            found = mark.match(rest)
            is_cell = found and "\t" in found[0] and found[0].strip().isdigit()
            if found and not is_cell and any(map(str.isalpha, rest[found.end() :])):
                patterns.add(key)
                if key == "number" and not reading.numbered:
                    return rest.replace("\t", " ", found[0].count("\t"))
                rest = rest[found.end() :]
    whole = rest.lstrip(_UNSEEN).rstrip(",; ")
    inside = whole.strip(_QUOTES)
    return inside if set(inside).isdisjoint(_QUOTES) else whole


def _split_cells(line: str) -> list[str]:
    """Split a line into cells. A comma splits only next to a number, an email or quotes; "Ruiz, Ada" is one cell."""
    parts = [clean_name(part) for part in _SEPARATORS.split(line)]
    if len(parts) > 1:
        return [part for part in (part.strip('"').strip() for part in parts) if part]
    if (address := _ADDRESS_BEHIND.search(line)) and line[: address.start()].strip(" ,"):
        return [clean_name(line[: address.start()]).rstrip(" ,"), address[1]]
    if _QUOTED_CELLS.fullmatch(line):
        return [part for part in map(clean_name, next(csv.reader([line], skipinitialspace=True))) if part]
    commas = [clean_name(part) for part in line.split(",")]
    others = [part for part in commas if _NUMBER.fullmatch(part) or _CONTACT.fullmatch(part)]
    if not others:
        return parts
    runs = [", ".join(run) for other, run in groupby(commas, others.__contains__) if not other]
    return [part for part in (part.strip('"').strip() for part in (*runs, *others)) if part]


def _read_name(
    words: Sequence[str], reading: Reading, patterns: set[str], details: dict[str, Any]
) -> tuple[str, list[str]]:
    """Return (name, labels)."""
    first, *labels = words
    if labels:
        is_name = reading.cells == "name" or not (reading.cells or " " in first + labels[0])
        patterns.add("cells" if is_name else "label")
        if is_name:
            return f"{first} {labels[0]}", labels[1:]
    last, comma, given = (part.strip() for part in first.partition(","))
    suffix = ""
    if given.rpartition(",")[2].strip().casefold().rstrip(".") in SUFFIXES and "," in given:
        given, _comma, suffix = (part.strip() for part in given.rpartition(","))
    is_suffix = given.casefold().rstrip(".") in SUFFIXES
    if comma and last and given and "," not in given and not is_suffix:
        patterns.add("comma")
        if reading.comma == "turn":
            details["last_name"] = last
            return f"{given} {last} {suffix}".strip(), labels
        if reading.comma == "label":
            return last, [given, *labels]
    return first, labels
