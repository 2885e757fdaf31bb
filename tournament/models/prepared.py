"""SQL that is made once for each process: making it takes far longer than running it.

For the few queries that every result and every page asks, and for the rows that every result writes; all others are
plain querysets and saved as Django does.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections
from django.db.models import Model, QuerySet

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
        here = connections[DEFAULT_DB_ALIAS]
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
    """A compiled queryset, with placeholders still in `params`."""

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


def insert_row(row: Model) -> None:
    """Add a new row, as `row.save(force_insert=True)` does."""
    names, insert = _insert_into(type(row))
    with connection.cursor() as cursor:
        cursor.execute(insert, _values(row, names))
        row.pk = cursor.fetchone()[0]
    row._state.adding, row._state.db = False, connection.alias


def update_row(row: Model, names: Sequence[str]) -> None:
    """Save these fields of a row, as `row.save(update_fields=names)` does. Raises DatabaseError where it is gone."""
    with connection.cursor() as cursor:
        cursor.execute(_update(type(row), tuple(names)), [*_values(row, names), row.pk])
        if cursor.rowcount != 1:
            raise DatabaseError(f"{type(row).__name__} {row.pk} is gone.")


def update_games(match: Model, games: Sequence[int], meeting: bool) -> None:
    """Save the games of a match's two seats, by side, and whether the two have met by them."""
    with connection.cursor() as cursor:
        cursor.execute(_UPDATE_GAMES, [games[0], games[1], meeting, match.pk])


_UPDATE_GAMES = (
    "UPDATE tournament_seat SET games = CASE WHEN side = 'a' THEN %s ELSE %s END, meeting = %s"
    " WHERE match_id = %s"
)


def _values(row: Model, names: Sequence[str]) -> list[Any]:
    fields: list[Any] = [row._meta.get_field(name) for name in names]
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


@cache
def _insert_into(model: type[Model]) -> tuple[list[str], str]:
    """(the fields but the key, the statement that answers the key)."""
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    into = f'"{model._meta.db_table}" ({columns}) VALUES ({", ".join(["%s"] * len(fields))})'
    return [field.name for field in fields], f"INSERT INTO {into} RETURNING id"


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> str:
    columns = ", ".join(f'"{model._meta.get_field(name).column}" = %s' for name in names)  # type: ignore[union-attr]
    return f'UPDATE "{model._meta.db_table}" SET {columns} WHERE id = %s'  # noqa: S608 (names of our own tables)
