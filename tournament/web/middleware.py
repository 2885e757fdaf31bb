"""Sessions that public pages never touch, and refusals of services as pages."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from tournament.errors import Refused
from tournament.web.error_pages import AWAY, SOON, error_page, refused_body

logger = logging.getLogger("tournament.web")
Handler = Callable[[HttpRequest], HttpResponse]


REFUSED_BODY = "tournament.refused_body"  # in a request's environment: the status that refuses its body


class RefuseBodyMiddleware:
    """The page for a request whose body was too large or too slow; tournament/config/rsgi.py has not let it in."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        status = request.META.get(REFUSED_BODY)
        if status == 503:
            message = _("Too much is being sent at once. Wait 10 seconds, then send it again.")
            return refusal_page(request, Refused(message, status=status))
        return refused_body(request, status) if status else self.get_response(request)


class QuietSessionMiddleware(SessionMiddleware):
    """Leave cookies alone on pages that are the same for everyone, even to delete an old one.

    What a view has done is done, and its answer says so, even where the session cannot be renewed afterwards: it may
    have ended meanwhile, or the database may be away.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "public" in response.get("Cache-Control", "") and not request.session.accessed:
            return response
        try:
            return super().process_response(request, response)
        except SessionInterrupted as error:
            cause = error.__context__ and error.__context__.__context__  # of the UpdateError
            is_new = request.session.session_key != request.COOKIES.get(settings.SESSION_COOKIE_NAME)
            if is_new:  # without it no one is signed in
                raise (cause if isinstance(cause, AWAY) else error) from None
            logger.warning("a session was not saved: %s %s: %s", request.method, request.path, cause)
            patch_vary_headers(response, ("Cookie",))
            return response


RENEWED = "renewed"  # in a session: when that was, in seconds
RENEW_AFTER = 10 * 60  # seconds: a scorekeeper who enters 60 results a minute writes the session once in ten


class RenewSessionOnPostMiddleware:
    """Renew a signed-in user's session, which lasts 12 hours, by POSTs only: reading pages never writes."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        session, now = request.session, int(time.time())
        if (
            request.method == "POST"
            and session.accessed
            and not session.is_empty()
            and now - session.get(RENEWED, 0) > RENEW_AFTER
        ):
            session[RENEWED] = now
        return response


class RefusedMiddleware:
    """What a service refuses becomes a 4xx with the service's own words, never a 500.

    Views that can do better (the message beside its field, both values of a conflict in the row) catch
    `Refused` themselves. For htmx the message goes to the page's problem region, so that the row or form the
    request came from stays as it is.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not response.content:
            page = error_page(request, 405)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer refusals of services; everything else stays an error."""
        if not isinstance(exception, Refused):
            return None
        return refusal_page(request, exception)


def refusal_page(request: HttpRequest, error: Refused) -> HttpResponse:
    """The answer to a refused request: a page, or for htmx a fragment for `#problem`."""
    template = "_refused.html" if HtmxDetails(request) else PAGES.get(error.status, "400.html")
    response = error_page(request, error.status, template, message=str(error), rows=error.rows())
    if error.status == 503:
        response["Retry-After"] = str(SOON)
        response._has_been_logged = True  # type: ignore[attr-defined]  # an attack must not fill the log
    return response


PAGES = {status: f"{status}.html" for status in (403, 404, 409, 429)} | {503: "busy.html"}
