"""Redirects to the login page, and back to the page, with forms that could not be saved."""

from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from tournament.access.throttle import known_name
from tournament.web.requests import HtmxHttpRequest

IN_SESSION = "unsent"
MOST = 10  # forms
LONGEST = 64 * 1024  # characters of one form
PAGE_FIELDS = {"key", "version", "seen", "round", "number"}  # filled in by the page, not by the person


def keep_form(request: HttpRequest) -> None:
    """Keep a posted form if its sender is able to sign in here."""
    name = known_name(request)
    if request.method != "POST" or not name or request.FILES:
        return
    fields = {field: values for field, values in request.POST.lists() if field != "csrfmiddlewaretoken"}
    if any("password" in field for field in fields) or len(urlencode(fields, doseq=True)) > LONGEST:
        return
    item = {"path": request.get_full_path(), "fields": fields, "name": name}
    request.session[IN_SESSION] = [
        *(old for old in request.session.get(IN_SESSION, []) if old != item),
        item,
    ][-MOST:]


def unsent_forms(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the forms kept for the signed-in user or, before sign-in, for this device's last user."""
    name = request.user.get_username() if request.user.is_authenticated else known_name(request)
    return [item for item in request.session.get(IN_SESSION, []) if item["name"] == name]


def forget_form(request: HttpRequest) -> None:
    forms = request.session.get(IN_SESSION)
    if forms:
        path, key = request.get_full_path(), request.POST.getlist("key")
        left = [item for item in forms if item["path"] != path or item["fields"].get("key", []) != key]
        request.session[IN_SESSION] = left


SIGN_IN_PAGES = {
    "account_login",
    "account_signup",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "mfa_authenticate",
}


def page_wanted(request: HttpRequest) -> str:
    """Return the page that was requested before signing in, else the current one; "" for neither."""
    match = request.resolver_match
    if request.method != "GET" or match is None or match.url_name in SIGN_IN_PAGES:
        return request.GET.get("next", "")
    return request.get_full_path()


def safe_next(request: HttpRequest) -> str:
    """Return the page the user wanted to open, if it is on this site."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if ours else settings.LOGIN_REDIRECT_URL


def address_after_sign_in(request: HttpRequest, wanted: str) -> str:
    """Return the URL after sign-in: the requested page, or before it the page of forms that were not saved."""
    return f"{reverse('resend')}?{urlencode({'next': wanted})}" if unsent_forms(request) else wanted


def return_address(request: HtmxHttpRequest) -> str:
    """Return the page to return to: this one, the page around a part, or the page of a posted form."""
    try:
        return _page_around(request)
    except ValueError:  # the header is not a URL
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
