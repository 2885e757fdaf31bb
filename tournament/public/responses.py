"""Public responses: identical for every visitor, cheap to repeat, and free of anything about the visitor.

No cookie is read or set, so phones, proxies and CDNs may share a page. A page carries an ETag made of the marks it
shows, the language and the release; under `?v=` with that tag, the address in its Content-Location, caches keep it for
good. A polled part answers 204 while its mark is the same. What all pages of an event show is in every mark:
`surroundings`.
"""

import gzip
import hashlib
import re
import secrets
from collections.abc import Callable
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from tournament.models import Tournament
from tournament.public.cache import fragment_cache

Context = Callable[[], dict[str, Any]]
OUR_FOLDERS = ("tournament", "standings", "pairings", "templates", "static")
OUR_KINDS = (".py", ".html", ".css", ".js", ".json")
FOR_GOOD = "public, max-age=31536000, immutable"
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.ASCII)


def page(
    request: HttpRequest, tournament: Tournament, name: str, mark: str, template: str, context: Context
) -> HttpResponse:
    """A whole page: 304 if the browser has it, else the cached bytes, rendered again when the mark has changed."""
    mark += surroundings(tournament) + latest(tournament)
    return _tagged(request, tournament, name, mark, lambda: render_to_string(template, context(), request))


def file(
    request: HttpRequest, tournament: Tournament, name: str, mark: str, kind: str, make: Callable[[], str]
) -> HttpResponse:
    """The same for spreadsheets and programs: a text of media type `kind`, to be saved under `name`."""
    response = _tagged(request, tournament, name, mark + surroundings(tournament), make)
    response["Content-Type"] = f"{kind}; charset=utf-8"
    response["Content-Disposition"] = f'inline; filename="{tournament.slug}-{name}"'
    return response


def _tagged(
    request: HttpRequest, tournament: Tournament, name: str, mark: str, make: Callable[[], str]
) -> HttpResponse:
    tag = _digest(name, mark, get_language(), release())
    return _unchanged(request, tag) or _named(
        request, _body(request, _cached(tournament, name, mark, make)), tag
    )


def fragment(
    request: HttpRequest, tournament: Tournament, name: str, mark: str, template: str, context: Context
) -> HttpResponse:
    """A polled part: 204 while `?v=` is its mark (a 304 would be swapped in again by htmx)."""
    mark += surroundings(tournament)
    if request.GET.get("v") == mark:
        response = _headers(HttpResponse(status=204))
    else:
        response = _headers(_body(request, _part(tournament, name, mark, template, context)))
    response.part_mark = mark  # type: ignore[attr-defined]  # for `kept_answers`
    return response


def part(tournament: Tournament, name: str, mark: str, template: str, context: Context) -> SafeString:
    """The same part for the page around it: a template rendered it, so it is escaped already."""
    mark += surroundings(tournament)
    return SafeString(gzip.decompress(_part(tournament, name, mark, template, context)).decode())


def rare_page(
    request: HttpRequest, tournament: Tournament, mark: str, make: Callable[[], str], kind: str
) -> HttpResponse:
    """One of very many pages of an event, each with few readers: tagged by its address, so that browsers keep it,
    but rendered each time and never cached, so that no one can fill the cache with them."""
    mark += surroundings(tournament) + latest(tournament)
    tag = _digest(address_of(request), mark, get_language(), release())
    return _unchanged(request, tag) or _named(
        request, HttpResponse(make(), content_type=f"{kind}; charset=utf-8"), tag
    )


def search_page(request: HttpRequest, template: str, context: dict[str, Any]) -> HttpResponse:
    """The answer to a search: rendered each time, without a tag."""
    return _headers(HttpResponse(render_to_string(template, context, request)))


def elsewhere(name: str, *args: object) -> HttpResponse:
    """The way to the page of that URL name, for everyone who asks the same."""
    return _headers(HttpResponseRedirect(reverse(name, args=args)))


def surroundings(tournament: Tournament) -> str:
    """Return the version of what every page of the event shows or obeys, as the end of a mark.

    Includes the event's identity, name and time zone, how players and tables are named, whether search engines may list
    it, and the current announcement with its end, at which the version changes automatically.
    """
    shown = (tournament.name, tournament.time_zone, tournament.name_privacy, tournament.table_plan)
    notice = tournament.notice and (tournament.notice, tournament.announcement_until)
    return f".{_digest(*key_of(tournament), *shown, tournament.listed, notice)[:8]}"


def latest(tournament: Tournament) -> str:
    """The latest posted round, to which every whole page links, as the end of a mark."""
    return f".{tournament.latest or 0}"


def mark_of(*parts: object) -> str:
    """A mark of what a page depends on, where that is more than a few numbers."""
    return _digest(*parts)[:12]


def release() -> str:
    """The release that rendered a page; in debug mode always another, so that nothing is cached."""
    if settings.DEBUG:
        return secrets.token_hex(6)
    return f"{digest_of_program()} {settings.SITE_URL} {settings.SITE_NAME} {settings.SITE_LOGO.address}"


@cache
def digest_of_program() -> str:
    """12 hexadecimal digits over our own files: the same on every machine that runs the same program."""
    digest = hashlib.sha256()
    for path in sorted(file for folder in OUR_FOLDERS for file in (settings.BASE_DIR / folder).rglob("*")):
        if path.suffix in OUR_KINDS:
            digest.update(f"{path.relative_to(settings.BASE_DIR).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _part(tournament: Tournament, name: str, mark: str, template: str, context: Context) -> bytes:
    return _cached(tournament, name, mark, lambda: render_to_string(template, {**context(), "mark": mark}))


def _cached(tournament: Tournament, name: str, mark: str, make: Callable[[], str]) -> bytes:
    key = (*key_of(tournament), name, get_language())
    return fragment_cache.get(key, f"{mark} {release()}", make)


def key_of(tournament: Tournament) -> tuple[object, ...]:
    """Return a permanent key of an event: a row's number alone could be reused after a deletion."""
    return (tournament.pk, tournament.slug, tournament.seed, tournament.lineage)


def _digest(*parts: object) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:20]


def accepts_gzip(request: HttpRequest) -> bool:
    """Whether a browser accepts gzip; one that gives it the weight 0 does not."""
    return _GZIP.search(request.headers.get("Accept-Encoding", "")) is not None


def _body(request: HttpRequest, body: bytes) -> HttpResponse:
    if accepts_gzip(request):
        return HttpResponse(body, headers={"Content-Encoding": "gzip"})
    return HttpResponse(gzip.decompress(body))


def address_of(request: HttpRequest, v: str = "") -> str:
    """The address with that `?v=`, or without one: whatever a phone has seen, the page is the same."""
    query = request.GET.copy()
    query.pop("v", None)
    if v:
        query["v"] = v
    return f"{request.path}?{query.urlencode()}" if query else request.path


def lifetime(request: HttpRequest, etag: str) -> str:
    """How long caches may keep a page: for good where its address names its tag, else they ask before each use."""
    return FOR_GOOD if etag == f'W/"{request.GET.get("v", "")}"' else "public, no-cache"


def _unchanged(request: HttpRequest, tag: str) -> HttpResponse | None:
    response = get_conditional_response(request, etag=f'W/"{tag}"')
    if response is None:
        return None
    return _named(request, HttpResponse(status=response.status_code), tag)


def _named(request: HttpRequest, response: HttpResponse, tag: str) -> HttpResponse:
    """A response with its tag, and the address under which it stays what it is."""
    response["ETag"] = f'W/"{tag}"'
    response["Content-Location"] = address_of(request, tag)
    return _headers(response, lifetime(request, response["ETag"]))


def _headers(response: HttpResponse, cache_control: str = "public, no-cache") -> HttpResponse:
    response["Cache-Control"] = cache_control
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
