"""Dates and times in an archive."""

import zoneinfo
from datetime import date, datetime, time, tzinfo
from typing import TypeVar

from tournament.archive.json import ArchiveError
from tournament.schemas.refusals import shown

YEARS = range(1900, 2201)
Day = TypeVar("Day", bound=date)


def zone_at(name: str, path: str) -> zoneinfo.ZoneInfo:
    """The time zone of that name. Raises ArchiveError."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ArchiveError(path, f"{shown(name)} is not a known time zone") from None


def moment_at(text: str | None, path: str, zone: tzinfo) -> str | None:
    """An ISO date and time with its offset, written in that time zone. Raises ArchiveError."""
    if text is None:
        return None
    moment = _parsed(text, path, datetime, "date and time")
    if moment.tzinfo is None:
        raise ArchiveError(path, f"{shown(text)} needs its offset, such as +01:00")
    return moment.astimezone(zone).isoformat()


def midnight_at(text: str | None, path: str, zone: tzinfo) -> str | None:
    """The start of an ISO date in that time zone. Raises ArchiveError."""
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
