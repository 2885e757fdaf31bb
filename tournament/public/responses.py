"""Public responses: the same for every visitor, cheap to repeat, and without anything about the visitor.

No cookie is read or set, so phones, proxies and CDNs may share a page. Its ETag combines the versions it shows, the
language and the release. Under `?v=` with that tag (the Content-Location) caches may keep it for good. A polled part
gets 204 while its version is the same. Every version includes `layout_version`: what all pages of an event show.
"""

import hashlib
import re
import secrets
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from tournament.models import Tournament

Context = dict[str, Any]  # of a template
OUR_FOLDERS = ("tournament", "standings", "pairings", "templates", "static")
OUR_KINDS = (".py", ".html", ".css", ".js", ".json")
FOR_GOOD = "public, max-age=31536000, immutable"
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.ASCII)


def page(
    request: HttpRequest, tournament: Tournament, version: str, template: str, context: Callable[[], Context]
) -> HttpResponse:
    """Return a whole page, or 304 if the browser has this version."""
    return text(request, tournament, version, lambda: render_to_string(template, context(), request))


def text(
    request: HttpRequest,
    tournament: Tournament,
    version: str,
    make: Callable[[], str],
    kind: str = "text/html",
) -> HttpResponse:
    """Return a text of media type `kind`, cached like a page."""
    version += layout_version(tournament) + latest(tournament)
    tag = _digest(build_address(request), version, get_language(), release())
    etag = f'W/"{tag}"'
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is None:
        response = HttpResponse(make(), content_type=f"{kind}; charset=utf-8")
    else:
        response = HttpResponse(status=unchanged.status_code)
    response["ETag"] = etag
    response["Content-Location"] = build_address(request, tag)  # where the response never changes
    return _headers(response, lifetime(request, etag))


def file(
    request: HttpRequest, tournament: Tournament, name: str, version: str, kind: str, make: Callable[[], str]
) -> HttpResponse:
    """Return a text to be saved as a file called `name`."""
    response = text(request, tournament, version, make, kind)
    response["Content-Disposition"] = f'inline; filename="{tournament.slug}-{name}"'
    return response


class PublicPart(NamedTuple):
    tournament: Tournament
    version: str  # of what this part alone shows
    template: str
    context: Callable[[], Context]

    @property
    def whole_version(self) -> str:
        return self.version + layout_version(self.tournament)

    def poll(self, request: HttpRequest) -> HttpResponse:
        """Return the part, or 204 if its version is in `?v=` (htmx would swap in a 304 again)."""
        same = request.GET.get("v") == self.whole_version
        response = _headers(HttpResponse(status=204) if same else HttpResponse(self.html()))
        response.part_version = self.whole_version  # type: ignore[attr-defined]  # for `response_cache`
        return response

    def html(self) -> SafeString:
        return render_to_string(self.template, {**self.context(), "mark": self.whole_version})

    def context_with_html(self, name: str) -> Context:
        """Return the part's context plus its rendered HTML under `name`, for the page around it."""
        context = self.context()
        return {**context, name: self._replace(context=lambda: context).html()}

    def page(self, request: HttpRequest, template: str, context: Callable[[], Context]) -> HttpResponse:
        return page(request, self.tournament, self.version, template, context)


def search_page(request: HttpRequest, template: str, context: Context) -> HttpResponse:
    return _headers(HttpResponse(render_to_string(template, context, request)))


def shared_redirect(name: str, *args: object) -> HttpResponse:
    """Redirect to the page with that URL name, in the same way for everyone."""
    return _headers(HttpResponseRedirect(reverse(name, args=args)))


def layout_version(tournament: Tournament) -> str:
    """Return the version of whatever all pages of the event show or obey, as the end of a version.

    It covers the event's identity, name and time zone, the names of players and tables, whether search engines may list
    it, and the current announcement with its end, at which the version changes by itself.
    """
    shown = (tournament.name, tournament.time_zone, tournament.name_privacy, tournament.table_plan)
    notice = tournament.notice and (tournament.notice, tournament.announcement_until)
    return f".{_digest(*event_cache_key(tournament), *shown, tournament.listed, notice)[:8]}"


def latest(tournament: Tournament) -> str:
    """Return the latest published round, to which every whole page links, as the end of a version."""
    return f".{tournament.latest or 0}"


def build_version(*parts: object) -> str:
    return _digest(*parts)[:12]


def release() -> str:
    """Return the release that rendered a page. In debug mode it always differs, so that nothing is cached."""
    if settings.DEBUG:
        return secrets.token_hex(6)
    return f"{digest_of_program()} {settings.SITE_URL} {settings.SITE_NAME} {settings.SITE_LOGO.address}"


@cache
def digest_of_program() -> str:
    """Return a digest of our own files, which is the same on every machine with the same program."""
    digest = hashlib.sha256()
    for path in sorted(file for folder in OUR_FOLDERS for file in (settings.BASE_DIR / folder).rglob("*")):
        if path.suffix in OUR_KINDS:
            digest.update(f"{path.relative_to(settings.BASE_DIR).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def event_cache_key(tournament: Tournament) -> tuple[object, ...]:
    """Return a permanent key of an event, because a row number alone could be reused after a deletion."""
    return (tournament.pk, tournament.slug, tournament.seed, tournament.lineage)


def _digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:20]


def accepts_gzip(request: HttpRequest) -> bool:
    return _GZIP.search(request.headers.get("Accept-Encoding", "")) is not None


def build_address(request: HttpRequest, v: str = "") -> str:
    query = request.GET.copy()
    query.pop("v", None)
    if v:
        query["v"] = v
    return f"{request.path}?{query.urlencode()}" if query else request.path


def lifetime(request: HttpRequest, etag: str) -> str:
    """Return how long caches may keep a page: for good if its URL contains its tag, else they must revalidate."""
    return FOR_GOOD if etag == f'W/"{request.GET.get("v", "")}"' else "public, no-cache"


def _headers(response: HttpResponse, cache_control: str = "public, no-cache") -> HttpResponse:
    response["Cache-Control"] = cache_control
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
