"""Which database a read asks: the primary, or for the length of one public request its replica.

All that a request reads comes from one of them, marks and facts alike. What is read from the replica may be behind, so
it only confirms what a phone has, or is shown to one that has nothing (`check_confirmed`); all else is read from the
primary.
"""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS
from django.http import HttpRequest

REPLICA = "replica"


class Source(NamedTuple):
    """A database. `as_of`: up to when it is known to have everything, where it is so far behind that pages
    say so; else None."""

    alias: str
    as_of: dt.datetime | None = None


PRIMARY = Source(DEFAULT_DB_ALIAS)
_source: ContextVar[Source] = ContextVar("source", default=PRIMARY)


class NeedsPrimary(Exception):
    """The replica cannot answer this; the middleware asks the primary."""


def source() -> Source:
    """Where reads go now."""
    return _source.get()


@contextmanager
def read_from(chosen: Source) -> Iterator[None]:
    """Read from that database until the end of the block."""
    token = _source.set(chosen)
    try:
        yield
    finally:
        _source.reset(token)


def check_confirmed(request: HttpRequest) -> None:
    """To be asked before something else is answered than what the phone has: its `?v=` or its ETag.

    Raises NeedsPrimary where that comes from the replica: the phone may have seen a newer state.
    """
    if source() is not PRIMARY and ("v" in request.GET or "If-None-Match" in request.headers):
        raise NeedsPrimary


class Router:
    """Django's router of databases: reads as chosen, everything else to the primary."""

    def db_for_read(self, model: Any, **hints: Any) -> str:
        """The alias of the database."""
        return source().alias

    def db_for_write(self, model: Any, **hints: Any) -> str:
        """The alias of the database."""
        return DEFAULT_DB_ALIAS

    def allow_relation(self, one: Any, other: Any, **hints: Any) -> bool:
        """Rows of both are rows of one database."""
        return True

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        """The replica follows by itself."""
        return db == DEFAULT_DB_ALIAS
