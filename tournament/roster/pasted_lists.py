"""A pasted list of names: its lines, and patterns that they share, such as numbers in front or last names first."""

import csv
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
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
_QUOTES = {
    '"': '"', "“": "”", "”": "”", "„": "“”", "‟": "”", "«": "»", "»": "«", "‹": "›", "›": "‹", "＂": "＂", "〝": "〞",
    "「": "」", "『": "』", "《": "》", "`": "`´'", "´": "´", "'": "'", "‘": "’", "‚": "‘’", "‛": "’",
}  # fmt: skip
_APOSTROPHES = "'‘‛`´"  # a name may begin with one


class Habit(NamedTuple):
    """A pattern shared by several lines, decided for all of them at once.

    Keys: `number` or `bullet` (also a dash or empty box) before the name, `quote` around it, `comma` ("Ruiz, Ada"),
    `rating` after it, `cells` (a name split into two), `label` (a cell with more text).
    """

    key: str
    lines: int
    example: str  # the first of them
    choices: tuple[str, ...]  # the proposal first
    columns: str  # "names" if the list has names in two cells


class PastedLine(NamedTuple):
    """A line as pasted and as understood. `name` is "" if it has none."""

    number: int
    text: str
    name: str
    details: dict[str, Any]  # further fields of the entry: last_name, rating, contact, labels
    unused: tuple[str, ...] = ()  # ignored cells
    habits: frozenset[str] = frozenset()  # keys of its habits

    @property
    def is_plain(self) -> bool:
        return self.name == self.text and not self.habits and not self.unused and not self.details

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


class PastedList(NamedTuple):
    lines: list[PastedLine]
    habits: list[Habit]


def read_names(text: str, choices: Mapping[str, str] | None = None, *, teams: bool = False) -> PastedList:
    """Read a pasted list. `choices`: {habit: option}, by default as proposed. Raises RosterError, naming the line."""
    texts = [(number, line) for number, line in enumerate(split_lines(text), start=1) if clean_name(line)]
    if not texts:
        raise RosterError("Nothing was added. Enter one name per line.")
    if len(texts) > MOST_ROWS:
        raise RosterError("Add at most %(most)s names at once.", most=MOST_ROWS)
    as_proposed = [_read_line(number, line, {}) for number, line in texts]
    if columns := _detect_columns(as_proposed):
        as_proposed = [_read_line(number, line, {"columns": columns}) for number, line in texts]
    numbered = _names_told_by_number(as_proposed)
    habits = _find_habits(as_proposed, [line for _number, line in texts], numbered, teams, columns)
    chosen = {habit.key: habit.choices[0] for habit in habits} | dict(choices or {}) | {"columns": columns}
    lines = [
        _read_line(number, line, {**chosen, "rating": "name"} if number in numbered else chosen)
        for number, line in texts
    ]
    for line in lines:
        if len(line.name) > LONGEST_NAME:
            text = "Line %(line)s: a name has at most %(most)s characters."
            raise RosterError(text, line=line.number, most=LONGEST_NAME)
    lines = [
        line._replace(habits=line.habits - {"rating"}) if line.number in numbered else line for line in lines
    ]
    return PastedList(lines, habits)


def read_example(habit: Habit, choice: str, chosen: Mapping[str, str]) -> PastedLine:
    return _read_line(1, habit.example, {**chosen, habit.key: choice, "columns": habit.columns})


def has_header(text: str) -> bool:
    """Whether the list is a table whose first line names the columns, as in a file of players."""
    first = next((line for line in split_lines(text) if line.strip()), "")
    cells = re.split(r"[\t;|,]", first)
    try:
        return len(cells) > 1 and not {"name", "first"}.isdisjoint(find_name_columns(cells))
    except RosterError:
        return True  # a column twice: reading it as a file says so


def _detect_columns(lines: Sequence[PastedLine]) -> str:
    """Return how to read a list of two columns: "names" ("Ruiz;Ada", "de la Cruz;Bo"), "labels", or "" if unclear."""
    names = sum("cells" in line.habits for line in lines)
    labels = sum("label" in line.habits and "cells" not in line.habits for line in lines)
    if not (names and labels):
        return "names" if names else ""
    return "names" if names > labels else "labels"


def _names_told_by_number(lines: Sequence[PastedLine]) -> set[int]:
    """Return the lines whose number is part of the name, because it tells names apart: "Player 101"."""
    alike: defaultdict[str, dict[int, set[int]]] = defaultdict(dict)
    for line in lines:
        if "rating" in line.habits:
            alike[line.name.casefold()].setdefault(line.details["rating"], set()).add(line.number)
    return {
        number
        for numbers in alike.values()
        if len(numbers) > 1
        for same in numbers.values()
        for number in same
    }


def _find_habits(
    lines: Sequence[PastedLine], texts: Sequence[str], numbered: set[int], teams: bool, columns: str
) -> list[Habit]:
    having: defaultdict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        for key in line.habits:
            if key != "rating" or line.number not in numbered:
                having[key].append(place)
    proposals: dict[str, Callable[[list[int]], tuple[str, ...]]] = {
        "number": lambda places: (
            ("leave", "keep")
            if 2 * len(places) >= len(lines)
            or any(_PUNCTUATED.match(texts[place].strip()) for place in places)
            else ("keep", "leave")
        ),
        "bullet": lambda _places: ("leave", "keep"),
        "quote": lambda _places: ("leave", "keep"),
        "comma": lambda places: (
            ("keep", "turn", "label")
            if teams
            else ("label", "turn", "keep")
            if _repeat([_given_name(lines[place]) for place in places])
            else ("turn", "keep", "label")
        ),
        "rating": lambda _places: ("rating", "name"),
        "cells": lambda places: (
            ("label", "join", "turn")
            if _repeat([lines[place].name.rpartition(" ")[2] for place in places])
            else ("join", "turn", "label")
        ),
        "label": lambda _places: ("label", "leave"),
    }
    return [
        Habit(key, len(having[key]), texts[having[key][0]], choose(having[key]), columns)
        for key, choose in proposals.items()
        if having[key]
    ]


def _given_name(line: PastedLine) -> str:
    return line.name.removesuffix(line.details["last_name"])


def _repeat(texts: Sequence[str]) -> bool:
    """Whether these are a few texts repeated often, such as countries or clubs, and so not names."""
    return len(texts) > 3 and 2 * len(set(texts)) <= len(texts)


def _read_line(number: int, line: str, chosen: Mapping[str, str]) -> PastedLine:
    text = clean_name(line)
    if len(text) > LONGEST_LINE:
        return PastedLine(number, text, text, {})
    habits: set[str] = set()
    cells = _split_cells(_without_marks(line, chosen, habits))
    details: dict[str, Any] = {}
    words: list[str] = []
    unused: list[str] = []
    for cell in cells:
        if (
            len(cells) > 1
            and _CONTACT.fullmatch(cell)
            and len(cell) <= LONGEST_CONTACT
            and "contact" not in details
        ):
            details["contact"] = cell
        elif len(cells) > 1 and words and "rating" not in details and _RATING.fullmatch(cell):
            details["rating"] = int(cell)
        elif any(map(str.isalpha, cell)) or (len(cells) == 1 and not any(map(str.isdigit, cell))):
            words.append(cell)
        else:
            unused.append(cell)
    if not words:
        return PastedLine(number, text, "", {}, tuple(unused), frozenset(habits))
    if len(cells) == 1:
        words[0] = _read_rating(words[0], chosen, habits, details)
    name, labels = _read_name(words, chosen, habits, details)
    if labels := [label[:LONGEST_LABEL] for label in labels[:MOST_LABELS]]:
        habits.add("label")
        if chosen.get("label") == "leave":
            unused += labels
        else:
            details["labels"] = list(dict.fromkeys([*details.get("labels", ()), *labels]))
    return PastedLine(number, text, name, details, tuple(unused), frozenset(habits))


def _without_marks(line: str, chosen: Mapping[str, str], habits: set[str]) -> str:
    rest = line.strip()
    for _twice in range(2):  # "- 1. Ada Ruiz"
        for key, mark in _MARKS.items():
            rest = rest.lstrip(_UNSEEN)
            found = mark.match(rest)
            is_cell = found and "\t" in found[0] and found[0].strip().isdigit()
            if found and not is_cell and any(map(str.isalpha, rest[found.end() :])):
                habits.add(key)
                if chosen.get(key) == "keep":
                    return rest.replace("\t", " ", found[0].count("\t"))
                rest = rest[found.end() :]
    inside = rest.lstrip(_UNSEEN).rstrip(",; ")
    closing = _QUOTES.get(inside[:1], "")
    is_closed = inside[-1:] in closing
    if (
        len(inside) > 2
        and closing
        and (is_closed or inside[0] not in _APOSTROPHES)
        and not set(inside[1 : -1 if is_closed else None]) & {*closing, inside[0]}
    ):
        habits.add("quote")
        return inside if chosen.get("quote") == "keep" else inside[1 : -1 if is_closed else None]
    return inside


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


def _read_rating(text: str, chosen: Mapping[str, str], habits: set[str], details: dict[str, Any]) -> str:
    rated = _BEHIND.search(text)
    name = text[: rated.start()].rstrip(_PARTING) if rated else ""
    if not rated or not name:
        return text
    habits.add("rating")
    if chosen.get("rating") == "name":
        return text
    details["rating"] = int(rated["rating"])
    return name


def _read_name(
    words: Sequence[str], chosen: Mapping[str, str], habits: set[str], details: dict[str, Any]
) -> tuple[str, list[str]]:
    first, *labels = words
    columns = chosen.get("columns") or ("labels" if labels and " " in first + labels[0] else "names")
    if labels and columns == "names":
        habits.add("cells")
        choice = chosen.get("cells", "join")
        if choice != "label":
            second, *labels = labels
            if choice == "turn":
                details["last_name"] = first
            return (f"{second} {first}" if choice == "turn" else f"{first} {second}"), labels
        details["labels"] = [label[:LONGEST_LABEL] for label in labels[:MOST_LABELS]]
        return first, []
    last, comma, given = (part.strip() for part in first.partition(","))
    suffix = ""
    if given.rpartition(",")[2].strip().casefold().rstrip(".") in SUFFIXES and "," in given:
        given, _comma, suffix = (part.strip() for part in given.rpartition(","))
    is_suffix = given.casefold().rstrip(".") in SUFFIXES
    if comma and last and given and "," not in given and not is_suffix:
        habits.add("comma")
        choice = chosen.get("comma", "turn")
        if choice == "turn":
            details["last_name"] = last
            return f"{given} {last} {suffix}".strip(), labels
        if choice == "label":
            details["labels"] = [given[:LONGEST_LABEL]]
            return last, labels
    return first, labels
