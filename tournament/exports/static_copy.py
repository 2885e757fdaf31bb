"""A copy of an event's public pages that opens from a disk: no server, no forms, no script but the theme's.

Every page is requested as the public requests it, so the copy has nothing that was not public. From the event's home
each link to a page worth keeping is followed. Links become relative, and what a copy cannot do (polls, searches,
announcements that would never end) is left out.
"""

import io
import re
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from itertools import chain, count
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, QueryDict
from django.urls import Resolver404, URLResolver, get_resolver, reverse
from django.urls.resolvers import RegexPattern
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.access.throttle import Limit
from tournament.errors import Refused, WrongState
from tournament.exports.static_page import StaticPages
from tournament.models import Tournament
from tournament.public import responses
from tournament.public.cache import MarkCache

PAGES = {
    "public-event": "", "public-round": "by", "proof": "", "standings": "by after", "bracket": "", "rules": "",
    "bracket-print": "", "public-players": "", "player": "", "player-decklist": "", "metrics": "",
    "standings-csv": "after", "standings-json": "after", "bracket-csv": "", "bracket-json": "", "site-logo": "",
}  # fmt: skip
EXPLAINED = {"standing": "after", "standings-number": "after", "standings-inside": "after"}
SAME = {("by", "name", "public-round"), ("by", "rank", "standings")}  # what a page shows by default
FILE = re.compile(r"\.\w+$")
COPIES = Limit("packed copies", most=6, seconds=600)  # of an event
copies: MarkCache[bytes] = MarkCache(32 * 1024 * 1024, len, name="copies")
_making = threading.Lock()


def static_copy_of(tournament: Tournament, *, explained: bool = False) -> Iterator[tuple[str, bytes]]:
    """(path, content) of every file of the copy; `index.html` first. `explained`: each number's derivation too.

    Raises WrongState for an event that is not public.
    """
    if tournament.state == Tournament.State.DRAFT:
        raise WrongState(_("The event is being set up: it has no public pages yet."))
    home = reverse("public-event", args=[tournament.slug])
    places = PagePaths(home, PAGES | (EXPLAINED if explained else {}))
    now = timezone.localtime().strftime("%Y-%m-%d %H:%M %Z")
    note = _("Copy of %(url)s, made %(time)s.") % {"url": f"{settings.SITE_URL}{home}", "time": now}
    places.path_of(home)
    pages = StaticPages(places.link, note)
    for url, path in places.pages:  # it grows by the links of each page
        body = content_of(url)
        if path.endswith(".html"):
            body = pages.rewrite(body.decode(), url, path).encode()
        yield path, body
    for name in sorted(places.assets):
        yield f"static/{name}", asset_content(name)


def packed_copy_of(tournament: Tournament) -> bytes:
    """The copy as a zip, kept until something in the event changes.

    It costs seconds, and phones wait for the same processor: a process makes one at a time, and of an event only so
    many. Raises Refused for one more, WrongState as `static_copy_of`.
    """
    key = responses.key_of(tournament)
    mark = f"{tournament.revision}{responses.surroundings(tournament)} {responses.release()}"
    if (packed := copies.find(key, mark)) is not None:
        return packed
    if not _making.acquire(blocking=False):
        raise Refused(_("Another copy is being made. Wait until it is finished."), status=429)
    try:
        if not COPIES.count(str(tournament.pk)):
            raise Refused(_("Several copies of this event were made just now."), status=429)
        packed = _pack(tournament)
    finally:
        _making.release()
    copies.keep(key, mark, packed)
    return packed


def _pack(tournament: Tournament) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in static_copy_of(tournament):
            packed.writestr(f"{tournament.slug}/{path}", content)
    return file.getvalue()


@cache
def _pages() -> URLResolver:
    """The addresses of what may be copied alone: a copy asks tens of thousands of times which page a link is."""
    copied = {**PAGES, **EXPLAINED}
    included = (each for each in get_resolver().url_patterns if isinstance(each, URLResolver))
    patterns = (page for each in included if not str(each.pattern) for page in each.url_patterns)
    return URLResolver(RegexPattern("^/"), [page for page in patterns if getattr(page, "name", "") in copied])


def content_of(url: str) -> bytes:
    """The public content of that address: no middleware, no session, no user. Raises Http404."""
    parts = urlsplit(url)
    request = HttpRequest()
    request.method, request.path, request.path_info = "GET", parts.path, parts.path
    request.GET = QueryDict(parts.query)
    request.META = {"QUERY_STRING": parts.query, "SERVER_NAME": "copy", "SERVER_PORT": "80"}
    view = _pages().resolve(unquote(parts.path))
    return bytes(view.func(request, *view.args, **view.kwargs).content)


def asset_content(name: str) -> bytes:
    """A static file, as it is served."""
    return Path(finders.find(name) or staticfiles_storage.path(name)).read_bytes()


class PagePaths:
    """The path of each address in the copy: `pages` has (address, path) in the order in which links led there.

    `parameters`: those that matter, by the name of each page that is copied.
    """

    def __init__(self, home: str, parameters: dict[str, str]):
        self.home = home
        self.parameters = parameters
        self.assets: set[str] = set()
        self.pages: list[tuple[str, str]] = []
        self._plain_of: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._taken: set[str] = set()  # in lower case: some disks know no other

    def link(self, page: str, path: str, link: str) -> str | None:
        """A link on `page` (copied to `path`) as it is in the copy; None if it leads out of the copy."""
        if link.startswith("#"):
            return link
        parts = urlsplit(link if link.startswith("/") else urljoin(page, link))
        if parts.scheme or parts.netloc:
            return None
        if parts.path.startswith(settings.STATIC_URL):
            name = parts.path.removeprefix(settings.STATIC_URL)
            self.assets.add(name)
            target: str | None = f"static/{name}"
        else:
            target = self.path_of(f"{parts.path}{'?' if parts.query else ''}{parts.query}")
        if not target:
            return None
        up = "../" * path.count("/")
        return f"{up}{target}{'#' if parts.fragment else ''}{parts.fragment}"

    def path_of(self, url: str) -> str | None:
        """The path of a page in the copy; None for a page that is not copied."""
        if url not in self._plain_of:
            self._plain_of[url] = self._plain(url)
        url = self._plain_of[url]
        if not url:
            return None
        if url not in self._paths:
            self._paths[url] = self._free(self._path(url))
            self.pages.append((url, self._paths[url]))
        return self._paths[url]

    def _plain(self, url: str) -> str:
        """The address with only the parameters that matter to its page; "" for a page that is not copied."""
        parts = urlsplit(url)
        try:
            name = _pages().resolve(unquote(parts.path)).url_name or ""
        except (Resolver404, Http404):
            return ""
        ours = parts.path.startswith(self.home) or name in ("metrics", "site-logo")
        if name not in self.parameters or not ours:
            return ""
        query = [(key, value) for key, value in parse_qsl(parts.query) if (key, value, name) not in SAME]
        if any(key not in self.parameters[name].split() for key, _value in query) or len(query) > 1:
            return ""
        return f"{parts.path}?{urlencode(query)}" if query else parts.path

    def _path(self, url: str) -> str:
        """A path that every disk allows: letters, digits, hyphens and dots."""
        parts = urlsplit(url)
        inside = parts.path.removeprefix(self.home).split("/")
        steps = [re.sub(r"[^A-Za-z0-9.-]+", "_", unquote(step)) for step in inside if step]
        query = "".join(f"-{key}-{value}" for key, value in parse_qsl(parts.query))
        if steps and FILE.search(steps[-1]) and not url.endswith("/"):
            stem, dot, kind = steps[-1].rpartition(".")
            return "/".join([*steps[:-1], f"{stem}{query}{dot}{kind}"])
        return "/".join([*steps, f"index{query}.html"])

    def _free(self, path: str) -> str:
        """The path, with a number added if another page has it already."""
        stem, _dot, kind = path.rpartition(".")
        numbered = (f"{stem}-{number}.{kind}" for number in count(2))
        free = next(name for name in chain([path], numbered) if name.lower() not in self._taken)
        self._taken.add(free.lower())
        return free
