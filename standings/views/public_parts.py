"""Polled parts of public pages, the pages around them, and the check whether an event shows its standings."""

from collections.abc import Callable
from typing import Any, NamedTuple

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from tournament.access.fetch import public_tournament
from tournament.models import Tournament
from tournament.public import responses

Context = dict[str, Any]  # of a template


class PublicPart(NamedTuple):
    """A polled part of a public page, in the form `responses` takes."""

    tournament: Tournament
    name: str
    mark: str
    template: str
    context: Callable[[], Context]

    def poll(self, request: HttpRequest) -> HttpResponse:
        return responses.fragment(request, *self)

    def html(self) -> SafeString:
        return responses.part(*self)

    def context_with_html(self, name: str) -> Context:
        """Return the part's context for the page around it, with the rendered part under `name`."""
        context = self.context()
        return {**context, name: self._replace(context=lambda: context).html()}

    def page(self, request: HttpRequest, template: str, context: Callable[[], Context]) -> HttpResponse:
        return responses.page(request, self.tournament, f"{self.name} page", self.mark, template, context)


def tournament_with_standings(slug: str) -> Tournament:
    tournament = public_tournament(slug)
    if tournament.hold_standings:
        raise Http404
    return tournament
