from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import ngettext
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods
from django_htmx.middleware import HtmxDetails

from tournament.access.fetch import LoginNeeded, staff_tournament
from tournament.access.permissions import STAFF
from tournament.errors import Refused
from tournament.models import Action, Entry, Tournament
from tournament.text import FAR_TOO_LONG, clean_name, join_some
from tournament.web.keyed_forms import ActForm, KeyedForm, SessionForm

View = Callable[..., HttpResponse]
MOST_NAMED = 30  # players in a message


class HtmxHttpRequest(HttpRequest):
    htmx: HtmxDetails


class StaffRequest(HtmxHttpRequest):
    user: User
    tournament: Tournament  # of a `staff_view`; templates have it, too


def private_view(*methods: str, signed_in: bool = False) -> Callable[[View], View]:
    """Decorate a view that differs between users. It is not cached, so the back button shows nothing after sign-out."""

    def decorate(view: View) -> View:
        @require_http_methods([*methods, "HEAD"] if "GET" in methods else list(methods))
        @cache_control(private=True, no_store=True)
        @wraps(view)
        def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if signed_in and not request.user.is_authenticated:
                raise LoginNeeded
            return view(request, *args, **kwargs)

        return run

    return decorate


def staff_view(*methods: str, roles: frozenset[Any] = STAFF, results: bool = False) -> Callable[[View], View]:
    """Decorate `view(request, tournament, …)` for `roles`. `results`: judges only if they may enter results."""

    def decorate(view: View) -> View:
        @private_view(*methods)
        @wraps(view)
        def run(request: StaffRequest, slug: str, **kwargs: Any) -> HttpResponse:
            request.tournament = staff_tournament(request, slug, roles, results)
            return view(request, request.tournament, **kwargs)

        return run

    return decorate


def form_data(request: HttpRequest) -> QueryDict | None:
    """Return the posted data to bind, even if empty; None while the form is only shown."""
    return request.POST if request.method == "POST" else None


def see_other(to: str, *args: Any) -> HttpResponseRedirect:
    """Redirect with a GET after a form: to a URL, or to the page with that URL name."""
    return HttpResponseRedirect(resolve_url(to, *args), status=303)


def report_success(
    request: HttpRequest, message: str, to: str, *args: Any, undo: Action | None = None
) -> HttpResponseRedirect:
    """Redirect like `see_other`; the next page shows the message, with a button to `undo` that action if possible."""
    messages.success(request, message, extra_tags=f"{undo.tournament_id} {undo.number}" if undo else "")
    return see_other(to, *args)


def name_promoted(request: HttpRequest, tournament: Tournament, action: Action | None, but: str = "") -> None:
    """Let the next page name the players (all `but` one) whom an action admitted from the waitlist."""
    codes = [
        change["fact"].removeprefix("entries/")
        for change in (action.changes if action else ())
        if (change.get("before") or {}).get("status") == Entry.Status.WAITLISTED
        and (change.get("after") or {}).get("status") == Entry.Status.PLAYING
    ]
    entries = tournament.entries.filter(code__in=codes).exclude(code=but)
    if names := list(entries.order_by("code").values_list("name", flat=True)):
        text = ngettext(
            "%(names)s moved up from the waitlist.",
            "%(count)s players moved up from the waitlist: %(names)s.",
            len(names),
        )
        messages.info(request, text % {"count": len(names), "names": join_some(names, MOST_NAMED)})


def cleaned_fields(form: forms.BaseForm) -> dict[str, Any]:
    """Return the form's cleaned values. Raises Refused with its first error."""
    if not form.is_valid():
        raise Refused(first_error(form))
    return form.cleaned_data


def service_fields(request: HttpRequest, form: KeyedForm) -> dict[str, Any]:
    """Return the arguments for a service: a posted form's fields, `actor` and `key`. Raises Refused."""
    key = cleaned_fields(form)["key"]
    return {"actor": request.user, "key": key, **form.fields_for_service()}


def confirmation(request: HttpRequest) -> dict[str, Any]:
    expects = request.POST.get("expects", "")
    return {"expects": expects} if expects else {}


def read_action(request: HttpRequest) -> dict[str, Any]:
    return service_fields(request, ActForm(request.POST))


def read_session(request: HttpRequest) -> int | None:
    """Return the number of the stage in a posted form; None for the usual one. Raises Refused."""
    number: int | None = cleaned_fields(SessionForm(request.POST))["session"]
    return number


def first_error(form: Any) -> str:
    """Return the form's first error; "" if it has none, or there is no form."""
    return next((str(error) for errors in (form.errors if form else {}).values() for error in errors), "")


def read_words(query: QueryDict, longest: int = 80) -> str:
    return clean_name(query.get("q", "")[: FAR_TOO_LONG * longest])[:longest]


def read_number(request: HttpRequest, name: str) -> int:
    """Return a number from the query string, or the first part of a version such as "12.3"; 0 without one."""
    text = request.GET.get(name, "").partition(".")[0]
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


SIGN_IN_PAGES = set(
    "account_login account_signup account_reset_password account_reset_password_done "
    "account_reset_password_from_key mfa_authenticate".split()
)


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


def return_address(request: HtmxHttpRequest) -> str:
    """Return the page to return to: this one, the page around a part, or the page of a posted form."""
    try:
        if request.htmx.current_url:
            return request.htmx.current_url_abs_path or "/"
        if request.method == "GET":
            return request.get_full_path()
        parts = urlsplit(request.headers.get("Referer", ""))
    except ValueError:  # the header is not a URL
        return "/"
    if parts.netloc and parts.netloc != request.get_host():
        return "/"
    return f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
