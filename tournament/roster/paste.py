"""A pasted list of names, line by line: plain names, and rows with more in them, such as a rating."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from tournament.roster.columns import columns_of
from tournament.roster.decode import RosterError
from tournament.roster.read import MOST_ROWS
from tournament.text.clean import LONGEST_NAME, clean_name, lines_of

LONGEST_LINE = 500  # characters: longer ones are no rows
_SEPARATORS = re.compile(r"[\t;|]")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d*)?")
_RATING = re.compile(r"[1-9]\d{2,3}")
# "12. Ada Ruiz (1850)": a number in front, a rating behind; one pattern for both would take quadratic time
_IN_FRONT = re.compile(r"\d+[.):]?\s+")
_PARTING = " (:–-"  # what stands between a name and its rating
_BEHIND = re.compile(rf"[{_PARTING}](?P<rating>[1-9]\d{{2,3}})\)?\Z")


class PastedLine(NamedTuple):
    """A line as it was pasted (`text`), its number of cells, and the name and rating read in it; "" without a name."""

    number: int
    text: str
    cells: int
    name: str
    rating: int | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it is nothing but a name."""
        return self.cells == 1 and self.name == self.text


def read_names(text: str) -> list[PastedLine]:
    """The lines of a pasted list, empty ones left out. Raises RosterError, naming the line."""
    lines = [
        _read_line(number, line) for number, line in enumerate(lines_of(text), start=1) if clean_name(line)
    ]
    if not lines:
        raise RosterError("Nothing was added. Enter one name per line.")
    if len(lines) > MOST_ROWS:
        raise RosterError("Add at most %(most)s names at once.", most=MOST_ROWS)
    for line in lines:
        if len(line.name) > LONGEST_NAME:
            text = "Line %(line)s: a name has at most %(most)s characters."
            raise RosterError(text, line=line.number, most=LONGEST_NAME)
    texts = defaultdict(set)
    for line in lines:
        texts[line.name.casefold()].add(line.text)
    return [  # a number that tells a name from another is part of it: "Player 101", "Player 102"
        PastedLine(line.number, line.text, 1, line.text)
        if line.name and line.cells == 1 and len(texts[line.name.casefold()]) > 1
        else line
        for line in lines
    ]


def has_header(text: str) -> bool:
    """Whether the list is a table whose first line names the columns, as in a file of players."""
    first = next((line for line in lines_of(text) if line.strip()), "")
    cells = re.split(r"[\t;|,]", first)
    try:
        return len(cells) > 1 and not {"name", "first"}.isdisjoint(columns_of(cells))
    except RosterError:
        return True  # a column twice: reading it as a file says so


def _read_line(number: int, line: str) -> PastedLine:
    text = clean_name(line)
    if len(text) > LONGEST_LINE:
        return PastedLine(number, text, 1, text)
    cells = _cells_of(line)
    words = [cell for cell in cells if any(char.isalpha() for char in cell)]
    if len(cells) > 1:
        name = _name_in(words)
        behind = cells[cells.index(words[0]) :] if words else []
        rating = next((int(cell) for cell in behind if _RATING.fullmatch(cell)), None)
        return PastedLine(number, text, len(cells), name, rating)
    if not words:
        return PastedLine(number, text, 1, "" if any(char.isdigit() for char in text) else text)
    numbered = _IN_FRONT.match(text)
    name = text[numbered.end() :] if numbered else text
    if rated := _BEHIND.search(name):
        return PastedLine(number, text, 1, name[: rated.start()].rstrip(_PARTING), int(rated["rating"]))
    return PastedLine(number, text, 1, name)


def _cells_of(line: str) -> list[str]:
    """The cells of a line: commas separate only where a number stands between them, for "Ruiz, Ada" is a name."""
    parts = [clean_name(part) for part in _SEPARATORS.split(line)]
    commas = [clean_name(part) for part in line.split(",")]
    if len(parts) == 1 and any(_NUMBER.fullmatch(part) for part in commas):
        numbers = [part for part in commas if _NUMBER.fullmatch(part)]
        parts = [", ".join(part for part in commas if not _NUMBER.fullmatch(part)).strip('"'), *numbers]
    return [part for part in parts if part]


def _name_in(words: Sequence[str]) -> str:
    """The name among the cells with letters: the first, or first and last name in two cells of one word each."""
    if len(words) > 1 and not any(" " in word for word in words[:2]):
        return " ".join(words[:2])
    return words[0] if words else ""
