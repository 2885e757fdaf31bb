"""Sending users who are not signed in to the login page, and back to where they were."""

from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from tournament.access.fetch import LoginNeeded
from tournament.web.middleware import Handler
from tournament.web.requests import HtmxHttpRequest
from tournament.web.resend import forget_form, keep_form, unsent_forms

SIGN_IN_PAGES = {"login", "sign-in-code", "sign-up", "forgotten", "reset-password"}


class SignInMiddleware:
    """Redirects to the login page on `LoginNeeded`; for a part requested by htmx the whole page goes there.

    A posted form is kept until its sender has signed in and sent it again.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.method == "POST" and request.user.is_authenticated and response.status_code < 400:
            forget_form(request)
        return response

    def process_exception(self, request: HtmxHttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer LoginNeeded."""
        if not isinstance(exception, LoginNeeded):
            return None
        keep_form(request)
        address = f"{settings.LOGIN_URL}?{urlencode({'next': return_address(request)})}"
        if request.htmx:
            headers = {"HX-Redirect": address}
            return HttpResponse(_("Sign in again."), status=401, content_type="text/plain", headers=headers)
        return HttpResponseRedirect(address)


def page_wanted(request: HttpRequest) -> str:
    """What the user came for: the page wanted before signing in, else the one that is open; "" for neither."""
    match = request.resolver_match
    if request.method != "GET" or match is None or match.url_name in SIGN_IN_PAGES:
        return request.GET.get("next", "")
    return request.get_full_path()


def safe_next(request: HttpRequest) -> str:
    """The page the user wanted to open, if it is one of ours."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else settings.LOGIN_REDIRECT_URL


def address_after_sign_in(request: HttpRequest, wanted: str) -> str:
    """The page that was wanted, by way of the forms that were not saved."""
    return f"{reverse('resend')}?{urlencode({'next': wanted})}" if unsent_forms(request) else wanted


def return_address(request: HtmxHttpRequest) -> str:
    """The page to come back to: the page itself, the page around a part, or the page of a posted form."""
    try:
        return _page_around(request)
    except ValueError:  # what a header says is no address
        return "/"


def _page_around(request: HtmxHttpRequest) -> str:
    if request.htmx.current_url:
        return request.htmx.current_url_abs_path or "/"
    if request.method == "GET":
        return request.get_full_path()
    parts = urlsplit(request.headers.get("Referer", ""))
    if parts.netloc and parts.netloc != request.get_host():
        return "/"
    return f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
