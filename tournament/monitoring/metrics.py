"""Counters and timers of the Prometheus client, shown by `/metrics`. Their labels are few and identify no one."""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.db import DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from tournament.monitoring.log_lines import account_words

logger = logging.getLogger("tournament.log")

FAST = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)  # s

registry = CollectorRegistry()
REQUESTS = Counter("swiss_requests", "Requests answered.", ["page", "method", "status"], registry=registry)
REQUEST_SECONDS = Histogram(
    "swiss_request_seconds", "Time to answer.", ["page"], buckets=FAST, registry=registry
)
POLLS = Counter("swiss_polls", "Polls of pages for news.", ["answer"], registry=registry)
SAVES = Counter("swiss_saves", "Actions saved.", ["kind"], registry=registry)
SAVE_SECONDS = Histogram(
    "swiss_save_seconds", "Time to save an action, waiting included.", buckets=FAST, registry=registry
)
QUEUE_SECONDS = Histogram(
    "swiss_queue_seconds", "Waiting for a turn.", ["to"], buckets=FAST, registry=registry
)
QUERY_SECONDS = Histogram("swiss_query_seconds", "Time of a query.", buckets=FAST, registry=registry)
DATABASE_ERRORS = Counter("swiss_database_errors", "Queries that failed.", ["error"], registry=registry)
CACHE_READS = Counter("swiss_cache_reads", "Reads of a cache.", ["cache", "outcome"], registry=registry)
CACHE_SIZE = Gauge(
    "swiss_cache_size", "Bytes or values kept.", ["cache"], multiprocess_mode="livesum", registry=registry
)
_note_wait = QUEUE_SECONDS.labels("save").observe


def time_queries(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Time all queries of a connection. A `connection_created` receiver."""
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
        QUERY_SECONDS.observe(time.perf_counter() - started)


def note_turn(since: float) -> None:
    _note_wait(time.perf_counter() - since)


def note_save(action: Any, actor: Any, since: float) -> None:
    """Count, time and log a saved `Action`. `actor`: the user who did it, if any; `since`: when it began to wait."""
    SAVES.labels(action.kind).inc()
    SAVE_SECONDS.observe(time.perf_counter() - since)
    by = action.actor if ":" in action.actor else account_words(actor)
    about = {"event": action.tournament.slug, "action": action.number, "kind": action.kind, "by": by}
    logger.info("%s #%s %s by %s", *about.values(), extra=about)
