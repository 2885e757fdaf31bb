"""The first middleware: each request has an id, is counted and timed; what it posts is a log line."""

import logging
import time
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournament.monitoring.metrics import POLLS, REQUEST_SECONDS, REQUESTS
from tournament.monitoring.request_id import HEADER, current_id, id_for

logger = logging.getLogger("tournament.requests")

METHODS = frozenset({"GET", "HEAD", "POST"})
_unchanged, _changed = POLLS.labels("unchanged"), POLLS.labels("changed")


class MonitoringMiddleware:
    """Stands before all others, so that what they answer counts too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        name = id_for(request)
        before = current_id.set(name)
        try:
            response = self.get_response(request)
            response.headers[HEADER] = name
            _note(request, response, time.perf_counter() - started)
            return response
        finally:
            current_id.reset(before)


def _note(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    method = request.method if request.method in METHODS else "other"
    page, status = page_of(request), response.status_code
    count, observe = _meters_of(page, method, status)
    count()
    observe(seconds)
    if method == "GET" and "v=" in request.META.get("QUERY_STRING", "") and status in (200, 204):
        (_unchanged if status == 204 else _changed).inc()
    elif method == "POST":
        ms = round(seconds * 1000, 1)
        about = {"method": method, "page": page, "status": status, "ms": ms}
        logger.info("%s %s: %s in %s ms", method, page, status, ms, extra=about)


@cache
def _meters_of(page: str, method: str, status: int) -> tuple[Callable[[], None], Callable[[float], None]]:
    """What counts and what times such requests: to look them up each time takes longer than to count."""
    return REQUESTS.labels(page, method, status).inc, REQUEST_SECONDS.labels(page).observe


def page_of(request: HttpRequest) -> str:
    """The name of the page's address, as `urls` has it; never the address, which may hold a player's key."""
    if page := getattr(request, "page", None):  # of an answer that was kept
        return str(page)
    if request.resolver_match:
        return request.resolver_match.view_name or "unnamed"
    return "static" if request.path_info.startswith(settings.STATIC_URL) else "none"
