"""Two small middlewares; everything else is Django's."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import get_supported_language_variant, parse_accept_lang_header

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


class RenewSessionOnPostMiddleware:
    """A signed-in person's session lasts 12 h from their last POST: reading pages never writes."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method == "POST" and request.session.accessed and not request.session.is_empty():
            request.session.modified = True
        return response
