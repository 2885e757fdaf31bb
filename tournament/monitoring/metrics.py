"""What is counted and timed, by the Prometheus client; `/metrics` shows it.

Labels are names of pages, kinds of actions and names of caches: few, and about no one.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

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
    "swiss_cache_size",
    "Bytes or values kept.",
    ["cache"],
    multiprocess_mode="livesum",
    registry=registry,
)
