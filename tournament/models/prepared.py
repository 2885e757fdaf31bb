"""Queries in Django's words whose SQL is made once for each process: making it takes far longer than asking it.

For the few that every result and every page asks; all others are plain querysets.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connections
from django.db.models import QuerySet

from tournament.models.replica import source

T = TypeVar("T")
PLANNED_FROM = 3  # times that a connection has asked the same
FIRST_PLACE = 30_001  # stands for a whole number, the next ones for the next; fits the smallest column


class Prepared(Generic[T]):
    """A query whose places are filled each time it is asked.

    rows   makes the queryset, given what stands in each place
    texts  which of the places hold texts; the others whole numbers below 2**15, or keys of rows
    """

    def __init__(self, rows: Callable[..., QuerySet[Any, T]], *, texts: tuple[int, ...] = ()):
        self._rows = rows
        count = rows.__code__.co_argcount
        self._places = [f"\x01{place}" if place in texts else FIRST_PLACE + place for place in range(count)]
        self._made: dict[str, _Made[T]] = {}

    def all(self, *values: Any) -> list[T]:
        """All rows, as the queryset would give them."""
        here = connections[source().alias]
        made = self._made.get(here.vendor) or self._make(here)
        value_at = dict(zip(self._places, values, strict=True))
        compiler = copy(made.compiler)
        compiler.connection = here  # of this thread
        compiler.as_sql = lambda: (made.sql, [value_at.get(each, each) for each in made.params])
        compiler.get_converters = lambda _columns: made.converters
        rows: Any = made.rows.all()
        rows.query.get_compiler = lambda *_where, **_how: compiler
        with _prepared_by_server(here):
            return list(rows)

    def first(self, *values: Any) -> T | None:
        """The first row, None where there is none."""
        return next(iter(self.all(*values)), None)

    def _make(self, here: Any) -> "_Made[T]":
        rows = self._rows(*self._places)
        compiler: Any = rows.query.get_compiler(connection=here)
        sql, params = compiler.as_sql()
        columns = [column for column, *_rest in compiler.select]
        made = _Made(rows, compiler, sql, list(params), compiler.get_converters(columns))
        self._made[here.vendor] = made
        return made


class _Made(NamedTuple, Generic[T]):
    """What Django makes of a queryset before it asks: with the places still in `params`."""

    rows: QuerySet[Any, T]
    compiler: Any
    sql: str
    params: list[Any]
    converters: dict[int, Any]


@contextmanager
def _prepared_by_server(here: Any) -> Iterator[None]:
    """Let PostgreSQL, too, plan a query once for each connection: that takes it several times as long as answering."""
    if here.vendor != "postgresql":
        yield
        return
    from django.db.backends.postgresql.base import ServerBindingCursor

    here.ensure_connection()
    here.connection.prepare_threshold = PLANNED_FROM
    usual, here.connection.cursor_factory = here.connection.cursor_factory, ServerBindingCursor
    binds, here.features.uses_server_side_binding = (
        here.features.uses_server_side_binding,
        True,
    )  # for Django's log
    try:
        yield
    finally:
        here.connection.cursor_factory = usual
        here.features.uses_server_side_binding = binds
