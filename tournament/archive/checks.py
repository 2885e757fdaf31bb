"""Reading JSON values with their path, so that every refusal names the place it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tournament.event.types import Event

SMALL = 2**15 - 1  # what both databases hold in a small column: rounds, tables, minutes
LAST_NUMBER = 10**9  # what they hold in a whole one
YEARS = range(1900, 2201)
EXACT = re.compile(r"[+-]?\d{1,15}(/\d{1,15}|\.\d{1,9})?", re.ASCII)


class ArchiveError(ValueError):
    """The file says something this program does not understand; the message begins with the JSON path."""

    def __init__(self, path: str, message: str):
        super().__init__(f"{path}: {message}")
        self.path = path


class Node:
    """A JSON object being read: every key must be asked for, so that what nobody asked for is refused."""

    def __init__(self, value: Any, path: str):
        if not isinstance(value, dict):
            raise ArchiveError(path, f"expected an object, not {shown(value)}")
        self.value: dict[str, Any] = value
        self.path = path
        self._asked: set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def get(self, key: str, default: Any = None) -> Any:
        """The raw value; absent and null are the same."""
        self._asked.add(key)
        value = self.value.get(key)
        return default if value is None else value

    def text(self, key: str, default: str | None = None, *, longest: int = 500) -> Any:
        value = self.get(key, default)
        if value is None:
            return None
        if not isinstance(value, str) or len(value) > longest:
            raise ArchiveError(self.at(key), f"expected text of up to {longest} characters")
        return value

    def needed(self, key: str, *, longest: int = 120) -> str:
        value = self.text(key, longest=longest)
        if not value or not value.strip():
            raise ArchiveError(self.at(key), "text is required here")
        return value

    def whole(self, key: str, default: Any = None, *, least: int = 0, most: int = SMALL) -> Any:
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ArchiveError(
                self.at(key), f"expected a whole number from {least} to {most}, not {shown(value)}"
            )
        return value

    def flag(self, key: str) -> bool:
        value = self.get(key, False)
        if not isinstance(value, bool):
            raise ArchiveError(self.at(key), f"expected true or false, not {shown(value)}")
        return value

    def one_of(self, key: str, choices: Iterable[str], default: str | None = None) -> Any:
        value = self.get(key, default)
        if value is not None and value not in choices:
            raise ArchiveError(self.at(key), f"{shown(value)} is not one of {', '.join(choices)}")
        return value

    def listed(self, key: str) -> list:
        value = self.get(key, [])
        if not isinstance(value, list):
            raise ArchiveError(self.at(key), f"expected a list, not {shown(value)}")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        for index, item in enumerate(self.listed(key)):
            if not isinstance(item, str):
                raise ArchiveError(f"{self.at(key)}[{index}]", "expected text")
        return tuple(self.listed(key))

    def nodes(self, key: str) -> list[Node]:
        """The objects of a list, each to be read."""
        return [Node(item, f"{self.at(key)}[{index}]") for index, item in enumerate(self.listed(key))]

    def objects(self, key: str) -> list[dict[str, Any]]:
        """The objects of a list as they are."""
        return [node.value for node in self.nodes(key)]

    def inner(self, key: str) -> dict[str, Any] | None:
        """An object as it is, whatever its keys."""
        return None if self.get(key) is None else Node(self.get(key), self.at(key)).value

    def moment(self, key: str) -> str | None:
        """An ISO date and time; one without an offset is refused."""
        value = self.text(key)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise ArchiveError(self.at(key), f"{shown(value)} is not an ISO date and time") from None
        if moment.tzinfo is None:
            raise ArchiveError(self.at(key), f"{shown(value)} needs its offset, such as +01:00")
        self._check_year(key, moment.year)
        return moment.isoformat()

    def day(self, key: str) -> str | None:
        value = self.text(key)
        if value is None:
            return None
        try:
            found = date.fromisoformat(value)
        except ValueError:
            raise ArchiveError(self.at(key), f"{shown(value)} is not an ISO date") from None
        self._check_year(key, found.year)
        return found.isoformat() + "T00:00:00"

    def _check_year(self, key: str, year: int) -> None:
        if year not in YEARS:
            raise ArchiveError(self.at(key), f"expected a year from {YEARS[0]} to {YEARS[-1]}, not {year}")

    def done(self) -> None:
        """Refuse what nobody asked for."""
        if unknown := sorted(set(self.value) - self._asked):
            raise ArchiveError(self.at(unknown[0]), "unknown key in version 1 of the format")


def games_at(node: Node, key: str = "games") -> tuple[int, int, int] | None:
    """[a's wins, b's wins, drawn games]."""
    value = node.get(key)
    if value is None:
        return None
    good = isinstance(value, list) and len(value) == 3
    if not good or not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 99 for n in value):
        raise ArchiveError(node.at(key), f"expected 3 whole numbers of at least 0, not {shown(value)}")
    return (value[0], value[1], value[2])


def score_at(node: Node) -> tuple[str, str] | None:
    """[a, b]: points made in the match; integers, or fractions as text."""
    value = node.get("score")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise ArchiveError(node.at("score"), f"expected 2 numbers, not {shown(value)}")
    return (exact(value[0], node.at("score[0]")), exact(value[1], node.at("score[1]")))


def exact(value: Any, path: str) -> str:
    """An exact number as text, "7/12" or "3". Floats are refused."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and EXACT.fullmatch(value) and int(value.partition("/")[2] or 1):
        return str(Fraction(value))
    raise ArchiveError(path, f"expected a whole number or an exact fraction as text, not {shown(value)}")


def seated(node: Node, key: str, event: Event) -> str:
    """The id of an entry of the event."""
    code = node.get(key)
    if not isinstance(code, str) or code not in event.entries:
        raise ArchiveError(node.at(key), f"there is no entry {shown(code)}")
    return code


def shown(value: Any) -> str:
    """A value short enough for a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def hexadecimal(node: Node, key: str) -> str | None:
    value = node.text(key, longest=64)
    if value is None:
        return None
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})+", value):
        raise ArchiveError(node.at(key), "expected an even number of hexadecimal digits")
    return value.lower()
