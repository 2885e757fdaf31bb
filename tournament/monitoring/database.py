"""Times the queries of every connection."""

import time
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper

from tournament.monitoring.metrics import DATABASE_ERRORS, QUERY_SECONDS

_observe = QUERY_SECONDS.observe


def time_queries(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Time all queries of a connection. Receiver of `connection_created`."""
    if _time_query not in connection.execute_wrappers:
        connection.execute_wrappers.append(_time_query)


def _time_query(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    started = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    except DatabaseError as error:
        DATABASE_ERRORS.labels(type(error).__name__).inc()
        raise
    finally:
        _observe(time.perf_counter() - started)
