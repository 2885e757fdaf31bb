"""The pages of a rulebook's draft."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse

from tournament.access.fetch import own_rulebook
from tournament.web.staff_pages import View, private_view


def draft_view(*methods: str) -> Callable[[View], View]:
    """Make `view(request, book)` a page of a rulebook for its publisher's members."""

    def decorate(view: View) -> View:
        @private_view(*methods)
        @wraps(view)
        def run(request: HttpRequest, key: str) -> HttpResponse:
            return view(request, own_rulebook(request, key))

        return run

    return decorate
