"""Cached responses of public pages, returned before anything else of a request is processed.

When pairings are published, every phone requests the same few pages and polls for changes. One narrow query reads the
event's versions; if they are those of a cached response, it is returned as it is. Versions are read before the page,
so a response may be newer than its version, never older, in every process.
"""

import hashlib
import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags

from tournament.errors import REFUSED
from tournament.monitoring.metrics import QUEUE_SECONDS
from tournament.public.cache import MarkCache
from tournament.public.responses import accepts_gzip, lifetime
from tournament.public.versions import load_device_version, load_event_version, load_player_version

Handler = Callable[..., HttpResponse]

MOST_BYTES = 64 * 1024 * 1024
MOST_POLLS = 5_000  # of players' own, apart from the pages: no phone can push those out
NUMBERS = frozenset(map(str, range(1, 100)))  # of rounds and sessions; views refuse those that are not there
OWN = re.compile("/t/[^/]+/me/")  # addresses of players' own pages
LONGEST_IN_LINE = 0.2  # s
STATUSES = frozenset({200, 204, 302, 304})  # of answers for everyone; a 412 is for one request
OVERHEAD = 1500  # bytes of an answer besides its body, about
_OF_BODY = {"Content-Encoding", "Content-Length", "Content-Type"}


class Answer(NamedTuple):
    """The cached response of a page.

    body   None where only the ETag is known, as the browser had the page already
    about  the event's slug, the player's code where it is a player's page, and whether only that player sees it
    mark   of both, read before the page was made
    part   the `?v=` with which a poll of this part is answered 204; None for whole pages
    page   the name of the page's address, for the metrics
    """

    status: int
    headers: dict[str, str]
    body: bytes | None
    about: tuple[str, str, bool]
    mark: str
    part: str | None
    page: str

    def to(self, request: HttpRequest) -> HttpResponse | None:
        """Return the response to the same request again; None if it needs the missing body."""
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


answers: MarkCache[Answer] = MarkCache(
    MOST_BYTES, lambda answer: len(answer.body or b"") + OVERHEAD, name="answers"
)
own_polls: MarkCache[Answer] = MarkCache(MOST_POLLS, name="own polls")


def kept(**known: Collection[str]) -> Callable[[Handler], Handler]:
    """Cache the responses of a public view until the event's `public_revision` changes.

    For views that show no result of a Swiss round in progress, except of the player in their URL. `known`: the values
    of each query parameter; other URLs are not cached, as their number is unlimited.
    """

    def decorate(view: Handler) -> Handler:
        @wraps(view)
        def view_and_mark(request: HttpRequest, slug: str, *args: Any, **address: Any) -> HttpResponse:
            respond = partial(view, request, slug, *args, **address)
            about = slug, str(address.get("code", "")), False
            return _mark(request, respond, about) if _is_known(request, known) else respond()

        return view_and_mark

    return decorate


def kept_poll(view: Handler) -> Handler:
    """Cache a 204 to a player's own poll, for this device, until the match, report, judge call or link changes."""

    @wraps(view)
    def view_and_mark(request: HttpRequest, slug: str, code: str) -> HttpResponse:
        respond = partial(view, request, slug, code)
        if request.method != "GET" or "v" not in request.GET or not _is_known(request, {"bar": ("1",)}):
            return respond()
        return _mark(request, respond, (slug, code, True))

    return view_and_mark


def _mark(
    request: HttpRequest, respond: Callable[[], HttpResponse], about: tuple[str, str, bool]
) -> HttpResponse:
    """Return the response with the version from before; of a device's own polls only those without news."""
    mark = getattr(request, "mark", None) or _load_version(*about)
    response = respond()
    if response.status_code == 204 or not about[2]:
        response.kept_as = about, mark  # type: ignore[attr-defined]
    return response


def _is_known(request: HttpRequest, known: Mapping[str, Collection[str]]) -> bool:
    """Whether a URL has only these parameters, each once, and the `?v=` of a poll."""
    return all(
        len(values) == 1 and (name == "v" or values[0] in known.get(name, ()))
        for name, values in request.GET.lists()
    )


_line = threading.Lock()


@contextmanager
def _in_line() -> Iterator[None]:
    """Let one phone pass after the other, but none wait long behind a slow database.

    Python runs one thread at a time anyway: so a result waits for one phone at each step, not for all of them.
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


class KeptAnswersMiddleware:
    """Return cached responses while they are valid; cache those that views allow."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "GET" or settings.DEBUG or REFUSED in request.META:
            return self.get_response(request)
        device = _device_of(request) if OWN.match(request.path_info) else ""
        kept_here = own_polls if device else answers
        # Direct visits to a part are redirected to its page (`tournament.web.middleware`).
        key = (*_address_of(request), accepts_gzip(request), device, is_visit(request))
        answer = kept_here.newest(key)
        if answer and (response := _give_again(request, answer)):
            kept_here.count_hit()
            request.page = answer.page  # type: ignore[attr-defined]
            return response
        response = self.get_response(request)
        if (
            hasattr(response, "kept_as")
            and response.status_code in STATUSES
            and not response.cookies  # a cookie is for one device
        ):
            kept_here.count_miss()
            body = None if response.status_code == 304 else response.content
            about, mark = response.kept_as
            part = request.GET["v"] if device else getattr(response, "part_mark", None)
            page = request.resolver_match.view_name if request.resolver_match else ""
            headers = dict(response.items())
            answer = Answer(response.status_code, headers, body, about, mark, part, page)
            kept_here.keep(key, mark, answer)
        return response


def _give_again(request: HttpRequest, answer: Answer) -> HttpResponse | None:
    request.get_host()  # raises DisallowedHost
    with _in_line():
        mark = _load_version(*answer.about)
        response = answer.to(request) if answer.mark == mark else None
    request.mark = mark  # type: ignore[attr-defined]  # for the view, which needs not read it again
    return response


def _address_of(request: HttpRequest) -> tuple[object, ...]:
    """Return the canonical URL, without the `?v=` of a poll, as the part is the same for every phone."""
    if not request.META.get("QUERY_STRING"):
        return (request.path,)
    return (request.path, *sorted(pair for pair in request.GET.items() if pair[0] != "v"))


def is_visit(request: HttpRequest) -> bool:
    """Whether the request is a browser navigation, not a script's."""
    sent = request.headers
    is_page = sent.get("Sec-Fetch-Dest") == "document" or "text/html" in sent.get("Accept", "")
    return is_page and "HX-Request" not in sent


def _device_of(request: HttpRequest) -> str:
    """Return a digest of the cookies, which identifies a device; "" for a device without any."""
    cookies = request.headers.get("Cookie", "")
    return hashlib.sha256(cookies.encode()).hexdigest() if cookies else ""


def _load_version(slug: str, code: str, own: bool) -> str:
    if not code:
        return load_event_version(slug)
    return load_device_version(slug, code) if own else load_player_version(slug, code)
