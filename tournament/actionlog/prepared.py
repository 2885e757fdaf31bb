"""Queries in Django's words whose SQL is made once for each process: making it takes far longer than asking it.

For the few that every result asks; all others are plain querysets.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)
FIRST_PLACE = 30_001  # stands for a whole number, the next ones for the next; fits the smallest column


class Prepared(Generic[M]):
    """A query whose places are filled each time it is asked.

    model  what its rows are, or of what they are values
    rows   makes the queryset, given what stands in each place
    texts  which of the places hold texts; the others whole numbers below 2**15, or keys of rows
    """

    def __init__(self, model: type[M], rows: Callable[..., QuerySet[Any]], *, texts: tuple[int, ...] = ()):
        self._model, self._rows = model, rows
        count = rows.__code__.co_argcount
        self._places = [f"\x01{place}" if place in texts else FIRST_PLACE + place for place in range(count)]
        self._made: dict[str, tuple[str, list[Any]]] = {}

    def first(self, *values: Any) -> M | None:
        """The first row, None where there is none."""
        return next(iter(self._model._default_manager.raw(*self._filled(values))), None)

    def values(self, *values: Any) -> list[tuple[Any, ...]]:
        """The rows of a `values_list` as the database has them: truth is 0 or 1, JSON is text."""
        with connection.cursor() as cursor:
            cursor.execute(*self._filled(values))
            return cursor.fetchall()

    def _filled(self, values: tuple[Any, ...]) -> tuple[str, list[Any]]:
        if connection.vendor not in self._made:
            made, params = self._rows(*self._places).query.sql_with_params()
            self._made[connection.vendor] = made, list(params)
        sql, filled = self._made[connection.vendor]
        value_at = dict(zip(self._places, values, strict=True))
        return sql, [value_at.get(each, each) for each in filled]
