"""Small middlewares; everything else is Django's."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header

from tournament.errors import Refused
from tournament.web.error_pages import problem

Handler = Callable[[HttpRequest], HttpResponse]


class AcceptLanguageMiddleware:
    """Choose the language by the Accept-Language header alone.

    Django's own also reads a cookie, and then a public page would depend on cookies and could not be shared
    between phones. With only one language there is nothing to choose, and nothing to vary on.
    """

    def __init__(self, get_response: Handler) -> None:
        if len(settings.LANGUAGES) < 2:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        language = preferred_language(request.headers.get("Accept-Language", ""))
        with translation.override(language):
            response = self.get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", language)
        return response


def preferred_language(header: str) -> str:
    """The first language of an Accept-Language header that we have, else the default one."""
    for code, _quality in parse_accept_lang_header(header):
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE


class QuietSessionMiddleware(SessionMiddleware):
    """A page that is the same for everybody touches no cookie, not even to take back one that means nothing."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        shared = "public" in response.get("Cache-Control", "") and not request.session.accessed
        return response if shared else super().process_response(request, response)


class RenewSessionOnPostMiddleware:
    """A signed-in person's session lasts 12 h from their last POST: reading pages never writes."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method == "POST" and request.session.accessed and not request.session.is_empty():
            request.session.modified = True
        return response


class RefusedMiddleware:
    """What a service refuses becomes its own 4xx with its own words, never a 500.

    Views that can do better (the message beside its field, both values of a conflict in the row) catch
    `Refused` themselves. For htmx the message goes to the page's problem region, so that the row or form the
    request came from stays as it is.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code == 405 and not response.content:
            page = problem(request, 405)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Only our own refusals; everything else stays an error of ours."""
        if not isinstance(exception, Refused):
            return None
        return refuse(request, exception)


def refuse(request: HttpRequest, error: Refused) -> HttpResponse:
    """The answer to a refused request: a page, or for htmx a fragment for `#problem`."""
    part = request.headers.get("HX-Request") == "true"
    template = "_refused.html" if part else PAGES.get(error.status, "400.html")
    return problem(request, error.status, template, message=str(error), rows=error.rows())


PAGES = {status: f"{status}.html" for status in (403, 404, 409, 429)}
