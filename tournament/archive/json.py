"""Read JSON, dates and times into values that UTF-8 and both databases can store, or refuse them with their path."""

import json
import zoneinfo
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, tzinfo
from pathlib import Path
from typing import Any, TypeVar

from tournament.schemas.refusals import Fault, shown

DEEPEST = 32  # levels of objects and lists; a log of whole rulesets needs 10
LARGEST = 10**15
TOO_LARGE = float("inf")  # placeholder of a too long integer, until `check_json` names its path


class ArchiveError(ValueError):
    """An unsupported or invalid file; the message begins with the JSON path."""

    def __init__(self, path: str, message: str):
        super().__init__(f"{path}: {message}")
        self.path = path


def repeated_values(values: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    """Yield (place, value) of each repeated value, except empty ones."""
    seen = set()
    for place, value in enumerate(values):
        if value and value in seen:
            yield place, value
        seen.add(value)


class Twice(dict):
    """An object with a repeated key, whose value is therefore uncertain."""

    key = ""


def json_of(path: str | Path) -> Any:
    return json_from(Path(path).read_bytes(), str(path))


def json_from(raw: bytes, name: str) -> Any:
    """Return the JSON in the bytes of the file called `name`. Raises ArchiveError."""
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_object, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(name, f"not valid JSON in UTF-8 ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    item = dict(pairs)
    if len(item) == len(pairs):
        return item
    counts = Counter(name for name, _ in pairs)
    twice = Twice(item)
    twice.key = next(name for name, count in counts.items() if count > 1)
    return twice


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= 20 else TOO_LARGE


def check_json(data: Any) -> None:
    """Raise ArchiveError, with its path, for the first value that no archive may contain.

    These are fractions written as numbers, NaN and Infinity, numbers of more than 15 digits, texts with NUL or half of
    a surrogate pair (PostgreSQL and UTF-8 refuse them), repeated keys, and too many levels.
    """
    if fault := _fault_in(data, 1):
        path, message = fault
        raise ArchiveError(path.removeprefix("."), message)


def _fault_in(value: Any, level: int) -> Fault | None:
    if isinstance(value, str):
        return None if writable(value) else ("", f"{shown(value)} has a character that cannot be stored")
    if value is None or (isinstance(value, int) and abs(value) <= LARGEST):
        return None
    if isinstance(value, int | float):
        expected = 'whole numbers of up to 15 digits, or exact fractions as text ("1/2")'
        return "", f"{shown(value)}: {expected}"
    if not isinstance(value, dict | list):
        return "", f"{shown(value)} is not a JSON value"
    if level > DEEPEST:
        return "", f"more than {DEEPEST} levels deep"
    if isinstance(value, Twice):
        return "", f"the key {shown(value.key)} appears twice"
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str) or not writable(key):
                return "", f"the key {shown(key)} has a character that cannot be stored"
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if fault := _fault_in(item, level + 1):
            return (f".{key}" if isinstance(value, dict) else f"[{key}]") + fault[0], fault[1]
    return None


def writable(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


YEARS = range(1900, 2201)
Day = TypeVar("Day", bound=date)


def zone_at(name: str, path: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ArchiveError(path, f"{shown(name)} is not a known time zone") from None


def moment_at(text: str | None, path: str, zone: tzinfo) -> str | None:
    """Return an ISO date and time with offset in that time zone. Raises ArchiveError."""
    if text is None:
        return None
    moment = _parsed(text, path, datetime, "date and time")
    if moment.tzinfo is None:
        raise ArchiveError(path, f"{shown(text)} needs its offset, such as +01:00")
    return moment.astimezone(zone).isoformat()


def midnight_at(text: str | None, path: str, zone: tzinfo) -> str | None:
    if text is None:
        return None
    return datetime.combine(_parsed(text, path, date, "date"), time(), zone).isoformat()


def _parsed(text: str, path: str, kind: type[Day], words: str) -> Day:
    try:
        day = kind.fromisoformat(text)
    except ValueError:
        raise ArchiveError(path, f"{shown(text)} is not an ISO {words}") from None
    if day.year not in YEARS:
        raise ArchiveError(path, f"expected a year from {YEARS[0]} to {YEARS[-1]}, not {day.year}")
    return day
