"""Statements that are made once for each process: making them takes far longer than running them.

For the rows that every result writes; all others are saved as Django does.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import Model


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
