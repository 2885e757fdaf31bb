"""What the pages of rulesets share: never cached, and for whom they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_http_methods

from tournament.access.fetch import LoginNeeded, own_rulebook

View = Callable[..., HttpResponse]


def private_view(*methods: str, signed_in: bool = False) -> Callable[[View], View]:
    """Make a page that differs from user to user, of all or of those who are signed in; never cached."""

    def decorate(view: View) -> View:
        @require_http_methods([*methods, "HEAD"] if "GET" in methods else list(methods))
        @cache_control(private=True, no_cache=True)
        @wraps(view)
        def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if signed_in and not request.user.is_authenticated:
                raise LoginNeeded
            return view(request, *args, **kwargs)

        return run

    return decorate


def draft_view(*methods: str) -> Callable[[View], View]:
    """Make `view(request, book)` a page of a rulebook for its publisher's members."""

    def decorate(view: View) -> View:
        @private_view(*methods)
        @wraps(view)
        def run(request: HttpRequest, key: str) -> HttpResponse:
            return view(request, own_rulebook(request, key))

        return run

    return decorate
