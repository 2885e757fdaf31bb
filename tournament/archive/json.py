"""JSON text into values that every reader, both databases and UTF-8 can hold, or a refusal with its path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tournament.archive.checks import ArchiveError, shown

DEEPEST = 32  # levels of objects and lists; a log of whole rulesets needs 10
LARGEST = 10**15
TOO_LARGE = float("inf")  # stands for a whole number of too many digits until `sound` names its place


class Twice(dict):
    """An object in which a key stood twice: which of its values is meant cannot be known."""

    key = ""


def json_of(path: str | Path) -> Any:
    """The JSON in a file. Raises ArchiveError where it is none, OSError where it cannot be read."""
    return json_from(Path(path).read_bytes(), str(path))


def json_from(raw: bytes, name: str) -> Any:
    """The JSON in bytes that came as `name`. Raises ArchiveError where it is none."""
    try:
        return json.loads(raw.decode("utf-8"), object_pairs_hook=_object, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(name, f"not valid JSON in UTF-8 ({error})") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    names = [name for name, _ in pairs]
    twice = Twice(found)
    twice.key = next(name for name in names if names.count(name) > 1)
    return twice


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= 20 else TOO_LARGE


def sound(data: Any) -> None:
    """Refuse what no archive holds anywhere. Raises ArchiveError with the path of the first such place.

    That is: fractions written as numbers, NaN and Infinity, numbers of more than 15 digits, texts with NUL or
    half of a surrogate pair (PostgreSQL and UTF-8 refuse them), a key twice in one object, too many levels.
    """
    waiting: list[tuple[Any, str, int]] = [(data, "", 1)]
    while waiting:
        value, path, level = waiting.pop()
        if isinstance(value, dict | list):
            if level > DEEPEST:
                raise ArchiveError(path, f"more than {DEEPEST} levels deep")
            inner = _inside(value, path)
            waiting.extend((item, at, level + 1) for at, item in reversed(inner))
        elif isinstance(value, str):
            if not writable(value):
                raise ArchiveError(path, f"{shown(value)} has a character that cannot be stored")
        elif isinstance(value, float) or (isinstance(value, int) and abs(value) > LARGEST):
            raise ArchiveError(
                path, f'{shown(value)}: whole numbers of up to 15 digits, or exact fractions as text ("1/2")'
            )
        elif value is not None and not isinstance(value, int):
            raise ArchiveError(path, f"{shown(value)} is not a JSON value")


def _inside(value: dict | list, path: str) -> list[tuple[str, Any]]:
    """(path, item) of everything directly inside."""
    if isinstance(value, list):
        return [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    if isinstance(value, Twice):
        raise ArchiveError(path, f"the key {shown(value.key)} appears twice")
    for key in value:
        if not isinstance(key, str) or not writable(key):
            raise ArchiveError(path, f"the key {shown(key)} has a character that cannot be stored")
    return [(f"{path}.{key}" if path else key, item) for key, item in value.items()]


def writable(text: str) -> bool:
    """Whether both databases and UTF-8 can hold the text."""
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
