"""Public pages may come from a replica of the database: never with older content than the phone has seen.

A poll or a page with an ETag that the replica confirms is answered so, and a phone that has nothing yet gets the page.
A phone that has something else, asks for what the replica does not have, or wrote a moment ago is answered by the
primary. So a page is as new as its mark, and a phone never goes back.
"""

import re
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse

from tournament.models.replica import PRIMARY, NeedsPrimary, read_from, source
from tournament.monitoring.replica_lag import LIMIT, has_replica, lag

# The pages that are the same for everyone, but for venue screens: those are few, and a whole hall looks at them.
SHARED = re.compile(
    r"/t/[^/]+/(now/|players/(\w+/((now|decklist)/)?)?|rounds/\d+/((pairings|proof)/)?|standings(/.*|\.\w+)|rules/(words/)?"
    r"|bracket(/((tree|print)/)?|\.\w+)|prizes/|manifest\.webmanifest)?"
)
SETTLED = frozenset({200, 204, 302, 304})
UNSETTLED = 421  # this database was the wrong one to ask; no one gets to see it
AS_OF = "X-As-Of"  # ms since 1970, as scripts count


class ReplicaMiddleware:
    """Let public requests read from the replica, and ask the primary where that does not do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not has_replica():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in ("GET", "HEAD"):
            return remember_write(self.get_response(request))
        if not SHARED.fullmatch(request.path_info) or cookie_name() in request.COOKIES:
            return self.get_response(request)
        chosen = lag.source()
        if chosen is PRIMARY:
            return self.get_response(request)
        with read_from(chosen):
            response = self.get_response(request)
        if response.status_code not in SETTLED:
            return self.get_response(request)
        if chosen.as_of:
            response[AS_OF] = str(int(chosen.as_of.timestamp() * 1000))
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """What the replica cannot answer is no error."""
        return unsettled(exception) if isinstance(exception, FAILURES) else None


FAILURES = (NeedsPrimary, DatabaseError, InterfaceError)


def unsettled(error: Exception) -> HttpResponse | None:
    """The answer that sends a request to the primary; None where that has failed."""
    if source() is PRIMARY:
        return None
    if not isinstance(error, NeedsPrimary):
        lag.lose(error)
    return HttpResponse(status=UNSETTLED)


def remember_write(response: HttpResponse) -> HttpResponse:
    """Let this device read from the primary until the replica has what it wrote: longer than that is not used."""
    if response.status_code < 400:
        response.set_cookie(
            cookie_name(),
            "1",
            max_age=int(LIMIT) + 5,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return response


def cookie_name() -> str:
    """The cookie's name: `__Host-` binds it to this host where it is Secure."""
    return "__Host-wrote" if settings.SESSION_COOKIE_SECURE else "hall_wrote"
