"""How a number was calculated: as a page, as a row opened in place, as JSON; and why a player has a rank."""

import json
from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.table.cache import RankedEvent, ranked_event_of, standings_mark_of
from standings.table.derivation import (
    Derivation,
    derivation_document,
    derivation_of,
    inner_derivation_of,
    neighbours_of,
)
from standings.table.manual_order import manual_orders_of
from standings.table.sheet import columns_of, line_of
from standings.views.public_parts import Context, tournament_with_standings
from standings.views.standings import after_of, width_of
from standings.words.metrics import describe_metrics
from tournament.models import Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.public import responses
from tournament.text.clean import drop_isolates

MANUAL = "manual"
PAGE = "standings/derivations/explanation.html"


def _respond(
    request: HttpRequest,
    slug: str,
    write: Callable[[Tournament, RankedEvent, str], str],
    kind: str = "text/html",
) -> HttpResponse:
    """Respond with `write(event, ranking, query)`, where `query` keeps the round in links."""
    tournament = tournament_with_standings(slug)

    def text() -> str:
        after = after_of(tournament, request.GET.get("after", ""))
        return write(tournament, ranked_event_of(tournament, after), f"?after={after}" if after else "")

    return responses.rare_page(request, tournament, standings_mark_of(tournament), text, kind)


def _page(
    request: HttpRequest, slug: str, template: str, context_of: Callable[[Tournament, RankedEvent], Context]
) -> HttpResponse:
    def write(tournament: Tournament, ranked: RankedEvent, at: str) -> str:
        context = {"tournament": tournament, "at": at, "nav": nav_of(tournament)}
        return render_to_string(template, {**context, **context_of(tournament, ranked)}, request)

    return _respond(request, slug, write)


def _derivation(tournament: Tournament, ranked: RankedEvent, code: str, metric: str) -> Derivation:
    """Return the derivation of a number, with the organizer's reasons if those decided. Raises Http404."""
    derivation = derivation_of(ranked, code, metric)
    if derivation is None:
        raise Http404
    if MANUAL in (derivation.column.slug, *(other.slug for other in derivation.neighbours)):
        derivation.notes += _manual_reasons(tournament, ranked, code)
    return derivation


def _manual_reasons(tournament: Tournament, ranked: RankedEvent, code: str) -> list[str]:
    """Return the reasons of manual orders with this player; one query if there are manual orders."""
    orders = manual_orders_of(tournament, ranked.ranking, ranked.names)
    return [
        _("Decided by the organizer: %(reason)s.") % {"reason": order.reason.rstrip(".")}
        for order in orders
        if order.reason and code in order.codes
    ]


def _context(tournament: Tournament, ranked: RankedEvent, code: str, metric: str) -> Context:
    return {"derivation": _derivation(tournament, ranked, code, metric), "code": code, "slug": metric}


@require_safe
def explanation(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    return _page(request, slug, PAGE, partial(_context, code=code, metric=metric))


@require_safe
def row(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    def part(tournament: Tournament, ranked: RankedEvent, at: str) -> str:
        context = {"tournament": tournament, "at": at, "width": width_of(ranked)}
        context |= _context(tournament, ranked, code, metric)
        return render_to_string("standings/derivations/_row.html", context)

    return _respond(request, slug, part)


@require_safe
def as_json(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    def text(tournament: Tournament, ranked: RankedEvent, _at: str) -> str:
        document = derivation_document(_derivation(tournament, ranked, code, metric))
        return drop_isolates(json.dumps(document, ensure_ascii=False, indent=1))

    return _respond(request, slug, text, "application/json")


@require_safe
def inside(request: HttpRequest, slug: str, code: str, metric: str, key: str, other: str) -> HttpResponse:
    """Show how another player's value was calculated, as it counts in that number."""

    def context(tournament: Tournament, ranked: RankedEvent) -> Context:
        outer = _context(tournament, ranked, code, metric)
        inner = inner_derivation_of(ranked, code, metric, key, other)
        if inner is None:
            raise Http404
        return {**outer, "outer": outer["derivation"], "derivation": inner}

    return _page(request, slug, PAGE, context)


@require_safe
def standing(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    def context(tournament: Tournament, ranked: RankedEvent) -> Context:
        if code not in ranked.ranking:
            raise Http404
        neighbours = neighbours_of(ranked, code)
        by_hand = any(other.slug == MANUAL for other in neighbours)
        line = line_of(ranked.event, ranked.names, ranked.ranking, code)
        texts = [text for _slug, text in line.cells]
        return {
            "line": line,
            "cells": list(zip(columns_of(ranked.ranking), texts, strict=True)),
            "neighbours": neighbours,
            "reasons": _manual_reasons(tournament, ranked, code) if by_hand else [],
            "final": ranked.final_places.get(code),
            "code": code,
        }

    return _page(request, slug, "standings/derivations/standing.html", context)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    context = {"metrics": describe_metrics()}
    return responses.search_page(request, "standings/derivations/metrics.html", context)
