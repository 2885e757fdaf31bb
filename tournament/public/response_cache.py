"""Cached responses of public pages, returned before anything else of a request is processed.

When pairings are published, every phone requests the same few pages and polls for changes. One small query reads the
event's versions; if a cached response has the same versions, it is returned unchanged. Versions are read before the
page is made, so a response may be newer than its version but never older, in every process.
"""

import hashlib
import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.http import parse_etags

from tournament.errors import REFUSED
from tournament.monitoring.metrics import QUEUE_SECONDS
from tournament.public.cache import VersionedCache
from tournament.public.responses import accepts_gzip, lifetime
from tournament.public.versions import Version, load_device_version, load_event_version

Handler = Callable[..., HttpResponse]
View = TypeVar("View", bound=Handler)
LoadVersion = Callable[..., Version]  # of the event's slug, for players also of their code

MOST_BYTES = 64 * 1024 * 1024
NUMBERS = frozenset(map(str, range(1, 100)))  # of rounds and sessions; views refuse those that are not there
OWN = re.compile("/t/[^/]+/me/")  # addresses of players' own pages
LONGEST_IN_LINE = 0.2  # s
STATUSES = frozenset({200, 204, 302, 304})  # of answers for everyone; a 412 is for one request
OVERHEAD = 1500  # bytes of an answer besides its body, about
_OF_BODY = {"Content-Encoding", "Content-Length", "Content-Type"}


class Policy(NamedTuple):
    """How the responses of a view are cached.

    load_version  loads the version for which a response is valid
    known         the allowed values of each query parameter; other URLs, whose number is unlimited, are not cached
    own           whether it caches only polls without news, each for the device that sent it
    """

    load_version: LoadVersion
    known: Mapping[str, Collection[str]]
    own: bool = False

    def covers(self, request: HttpRequest) -> bool:
        """Whether a URL has only known parameters, each once, and possibly the `?v=` of a poll."""
        return ("v" in request.GET or not self.own) and all(
            len(values) == 1 and (name == "v" or values[0] in self.known.get(name, ()))
            for name, values in request.GET.lists()
        )


def cached_response(
    load_version: LoadVersion = load_event_version, **known: Collection[str]
) -> Callable[[View], View]:
    """Cache the responses of a public view until their version changes. `load_version` gets the URL's arguments.

    The default version is `public_revision`, for views that show no result of a Swiss round in progress.
    """

    def decorate(view: View) -> View:
        view.cache_policy = Policy(load_version, known)  # type: ignore[attr-defined]
        return view

    return decorate


def cached_own_poll(view: View) -> View:
    """Cache the 204 to a player's own poll, for this device, until the match, report, judge call or link changes."""
    view.cache_policy = Policy(load_device_version, {"bar": ("1",)}, own=True)  # type: ignore[attr-defined]
    return view


class CachedResponse(NamedTuple):
    """A response as sent. `body`: None if only its ETag is known; `part`: the `?v=` in polls of it."""

    status: int
    headers: dict[str, str]
    body: bytes | None
    load_version: Callable[[], Version]
    part: str | None
    page: str

    @property
    def size(self) -> int:
        return len(self.body or b"") + OVERHEAD

    def to(self, request: HttpRequest) -> HttpResponse | None:
        """Return the response for another identical request; None if it needs the missing body."""
        tag, v = self.headers.get("ETag", ""), request.GET.get("v", "")
        named = {"Cache-Control": lifetime(request, tag)} if tag else {}
        without_body = {name: text for name, text in self.headers.items() if name not in _OF_BODY} | named
        if tag and tag in parse_etags(request.headers.get("If-None-Match", "")):
            return HttpResponse(status=304, headers=without_body)
        if self.part is not None and v == self.part:
            return HttpResponse(status=204, headers=without_body)
        if self.body is None or (self.part is not None and self.status == 204):
            return None
        return HttpResponse(self.body, status=self.status, headers=self.headers | named)


# Responses, and what the players' pages of an event have in common (`standings.views.player`).
response_cache: VersionedCache[Any] = VersionedCache(MOST_BYTES, lambda kept: kept.size, name="responses")

_line = threading.Lock()


@contextmanager
def _in_line() -> Iterator[None]:
    """Run the block for one request at a time, but do not let any wait long for a slow database.

    Python runs one thread at a time anyway. This way a desk's result waits for one phone at each step, not for all of
    them.
    """
    first = _line.acquire(blocking=False)
    if not first:
        since = time.perf_counter()
        first = _line.acquire(timeout=LONGEST_IN_LINE)
        QUEUE_SECONDS.labels("answer").observe(time.perf_counter() - since)
    try:
        yield
    finally:
        if first:
            _line.release()


class ResponseCacheMiddleware:
    """Return cached responses while they are valid; cache those that views allow."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "GET" or settings.DEBUG or REFUSED in request.META:
            return self.get_response(request)
        # Direct visits to a part are redirected to its page (`tournament.web.middleware`).
        key = (*_canonical_address(request), accepts_gzip(request), _hash_cookies(request), is_visit(request))
        cached = response_cache.newest(key)
        if cached:
            request.get_host()  # raises DisallowedHost
            with _in_line():
                response = _repeat(request, response_cache.find(key, cached.load_version()))
            if response:
                return response
        match = _find_cacheable(request)
        if match is None:
            return self.get_response(request)
        with response_cache.making(key):
            return self._respond(request, match, key)

    def _respond(self, request: HttpRequest, match: ResolverMatch, key: tuple[object, ...]) -> HttpResponse:
        policy: Policy = match.func.cache_policy  # type: ignore[attr-defined]
        about = {name: value for name, value in match.kwargs.items() if name in ("slug", "code")}
        load_version = partial(policy.load_version, **about)
        version = load_version()
        if response := _repeat(request, response_cache.find(key, version)):  # kept while this one waited
            return response
        response = self.get_response(request)
        if (
            version  # without one there was no event yet
            and response.status_code in STATUSES
            and (response.status_code == 204 or not policy.own)
            and not response.cookies  # a cookie is for one device
        ):
            response_cache.count_miss()
            body = None if response.status_code == 304 else response.content
            part = request.GET["v"] if policy.own else getattr(response, "part_version", None)
            headers = dict(response.items())
            cached = CachedResponse(response.status_code, headers, body, load_version, part, match.view_name)
            response_cache.keep(key, version, cached)
        return response


def _repeat(request: HttpRequest, cached: CachedResponse | None) -> HttpResponse | None:
    response = cached.to(request) if cached else None
    if cached and response:
        response_cache.count_hit()
        request.page = cached.page  # type: ignore[attr-defined]
    return response


def _find_cacheable(request: HttpRequest) -> ResolverMatch | None:
    try:
        match = resolve(request.path_info)
    except Resolver404:
        return None
    policy = getattr(match.func, "cache_policy", None)
    return match if policy and policy.covers(request) else None


def _canonical_address(request: HttpRequest) -> tuple[object, ...]:
    """Return the URL in one fixed form, without a poll's `?v=`: the response to any old version is the same."""
    if not request.META.get("QUERY_STRING"):
        return (request.path,)
    return (request.path, *sorted(pair for pair in request.GET.items() if pair[0] != "v"))


def is_visit(request: HttpRequest) -> bool:
    """Whether the request comes from browser navigation, not from a script."""
    sent = request.headers
    is_page = sent.get("Sec-Fetch-Dest") == "document" or "text/html" in sent.get("Accept", "")
    return is_page and "HX-Request" not in sent


def _hash_cookies(request: HttpRequest) -> str:
    """Return a digest of the cookies, which identifies the device that requests its own page; "" for other pages."""
    cookies = request.headers.get("Cookie", "") if OWN.match(request.path_info) else ""
    return hashlib.sha256(cookies.encode()).hexdigest() if cookies else ""
