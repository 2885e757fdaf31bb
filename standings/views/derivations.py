"""How a number came about: as a page, as a row opened in place, and for programs; and why a player stands there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.table.cache import RankedEvent, ranked_event_of, standings_mark_of
from standings.table.derivation import derivation_of, inner_derivation_of
from standings.table.exports import derivation_document
from standings.table.manual_order import manual_orders_of
from standings.table.neighbours import neighbours_of
from standings.table.sheet import columns_of, line_of
from standings.views.standings import after_of, width_of
from standings.words.metrics import describe_metrics
from tournament.access.fetch import public_tournament
from tournament.models import Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.public import responses

MANUAL = "manual"


def _told(
    request: HttpRequest,
    slug: str,
    make: Callable[[Tournament, RankedEvent, str], str],
    kind: str = "text/html",
) -> HttpResponse:
    """What `make` writes of the event, its ranking, and the end of addresses that keep the round asked for.

    Raises Http404 while the standings are held back.
    """
    tournament = public_tournament(slug)
    if tournament.hold_standings:
        raise Http404

    def text() -> str:
        after = after_of(tournament, request.GET.get("after", ""))
        return make(tournament, ranked_event_of(tournament, after), f"?after={after}" if after else "")

    return responses.rare_page(request, tournament, standings_mark_of(tournament), text, kind)


def _number(
    tournament: Tournament, ranked_event: RankedEvent, at: str, code: str, metric: str
) -> dict[str, Any]:
    """A derivation with its page context. Raises Http404 if there is none."""
    told = derivation_of(ranked_event, code, metric)
    if told is None:
        raise Http404
    if MANUAL in (told.column.slug, *(step.slug for step in told.steps)):
        told.notes += reasons_of(tournament, ranked_event, code)
    return {"tournament": tournament, "told": told, "code": code, "slug": metric, "at": at}


def reasons_of(tournament: Tournament, ranked_event: RankedEvent, code: str) -> list[str]:
    """Why staff put a player where it stands by hand, as the log says; one query where anybody is."""
    decisions = manual_orders_of(tournament, ranked_event.event, ranked_event.ranking, ranked_event.names)
    return [
        _("Decided by the organizer: %(reason)s.") % {"reason": decision.reason.rstrip(".")}
        for decision in decisions
        if decision.reason and code in decision.codes
    ]


@require_safe
def explanation(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    """How one number of the standings came about."""

    def page(tournament: Tournament, ranked_event: RankedEvent, at: str) -> str:
        context = {**_number(tournament, ranked_event, at, code, metric), "nav": nav_of(tournament)}
        return render_to_string("standings/derivations/explanation.html", context, request)

    return _told(request, slug, page)


@require_safe
def row(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    """The same as a row of the table, opened in place."""

    def part(tournament: Tournament, ranked_event: RankedEvent, at: str) -> str:
        context = _number(tournament, ranked_event, at, code, metric)
        return render_to_string(
            "standings/derivations/_row.html", {**context, "width": width_of(ranked_event)}
        )

    return _told(request, slug, part)


@require_safe
def as_json(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    """The same for programs."""

    def text(tournament: Tournament, ranked_event: RankedEvent, at: str) -> str:
        told = _number(tournament, ranked_event, at, code, metric)["told"]
        return json.dumps(derivation_document(told), ensure_ascii=False, indent=1)

    return _told(request, slug, text, "application/json")


@require_safe
def inside(request: HttpRequest, slug: str, code: str, metric: str, key: str, other: str) -> HttpResponse:
    """How the value of another player came about, as it counts in that number."""

    def page(tournament: Tournament, ranked_event: RankedEvent, at: str) -> str:
        outer = _number(tournament, ranked_event, at, code, metric)
        told = inner_derivation_of(ranked_event, code, metric, key, other)
        if told is None:
            raise Http404
        context = {**outer, "outer": outer["told"], "told": told, "nav": nav_of(tournament)}
        return render_to_string("standings/derivations/explanation.html", context, request)

    return _told(request, slug, page)


@require_safe
def standing(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    """Why a player stands there: every number, and the steps to the neighbours."""

    def page(tournament: Tournament, ranked_event: RankedEvent, at: str) -> str:
        if code not in ranked_event.ranking:
            raise Http404
        steps = neighbours_of(ranked_event, code)
        by_hand = any(step.slug == MANUAL for step in steps)
        line = line_of(ranked_event.event, ranked_event.names, ranked_event.ranking, code)
        texts = [text for _slug, text in line.cells]
        context = {
            "tournament": tournament,
            "line": line,
            "cells": list(zip(columns_of(ranked_event.ranking), texts, strict=True)),
            "steps": steps,
            "reasons": reasons_of(tournament, ranked_event, code) if by_hand else [],
            "final": None if at else ranked_event.final_places.get(code),
            "code": code,
            "at": at,
            "nav": nav_of(tournament),
        }
        return render_to_string("standings/derivations/standing.html", context, request)

    return _told(request, slug, page)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every metric a ruleset may order standings by: formula, unit, parameters, source."""
    return responses.search_page(
        request, "standings/derivations/metrics.html", {"metrics": describe_metrics()}
    )
