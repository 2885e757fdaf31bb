"""Sessions that public pages never touch, and refusals of services as pages."""

import time
from collections.abc import Callable

from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django_htmx.middleware import HtmxDetails

from tournament.errors import Refused
from tournament.web.error_pages import error_page, refused_body

Handler = Callable[[HttpRequest], HttpResponse]


REFUSED_BODY = "tournament.refused_body"  # in a request's environment: the status with which the server did not let it in


class RefuseBodyMiddleware:
    """The page for a request whose body was too large or too slow; tournament/config/rsgi.py has not let it in."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        status = request.META.get(REFUSED_BODY)
        return refused_body(request, status) if status else self.get_response(request)


class QuietSessionMiddleware(SessionMiddleware):
    """Leave cookies alone on pages that are the same for everyone, even to delete an old one."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        shared = "public" in response.get("Cache-Control", "") and not request.session.accessed
        return response if shared else super().process_response(request, response)


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
    return error_page(request, error.status, template, message=str(error), rows=error.rows())


PAGES = {status: f"{status}.html" for status in (403, 404, 409, 429)}
