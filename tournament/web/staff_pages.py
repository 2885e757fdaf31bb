"""What staff pages share: who may open them, reading their forms, and where to go afterwards."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from tournament.access.fetch import STAFF, staff_tournament
from tournament.errors import Refused
from tournament.web.keyed_forms import ActForm, SessionForm

View = Callable[..., HttpResponse]


def staff_view(*methods: str, roles: frozenset[Any] = STAFF) -> Callable[[View], View]:
    """Open an event for a role: `view(request, tournament, …)` answers staff in one of `roles`; never cached."""

    def decorate(view: View) -> View:
        @require_http_methods([*methods, "HEAD"] if "GET" in methods else list(methods))
        @cache_control(private=True, no_cache=True)
        @wraps(view)
        def run(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
            return view(request, staff_tournament(request, slug, roles), **kwargs)

        return run

    return decorate


def form_data(request: HttpRequest) -> QueryDict | None:
    """The data a form binds to: what was posted, even if empty; None while the form is only shown."""
    return request.POST if request.method == "POST" else None


def see_other(address: str) -> HttpResponseRedirect:
    """Redirect to a page with a GET, after a form."""
    return HttpResponseRedirect(address, status=303)


def read_action(request: HttpRequest) -> dict[str, Any]:
    """`actor`, `key` and `reason` of a posted button, as services take them. Raises Refused."""
    form = ActForm(request.POST)
    if not form.is_valid():
        raise Refused(first_error(form))
    return {"actor": request.user, **form.cleaned_data}


def read_session(request: HttpRequest) -> int | None:
    """The number of the session a posted button means; None for the usual one. Raises Refused."""
    form = SessionForm(request.POST)
    if not form.is_valid():
        raise Refused(first_error(form))
    number: int | None = form.cleaned_data["session"]
    return number


def first_error(form: Any) -> str:
    """The first error of a form."""
    return next(str(error) for errors in form.errors.values() for error in errors)


def read_number(request: HttpRequest, name: str) -> int:
    """A whole number from the query string; 0 without one."""
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
