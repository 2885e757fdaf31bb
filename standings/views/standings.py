"""The standings for everyone, as a page and as files, and how each number was calculated."""

import json
from collections.abc import Callable
from functools import partial
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from standings.engine.ranking import build_chain
from standings.table.derivation import (
    build_derivation,
    build_inner_derivation,
    compare_with_neighbours,
    derivation_document,
)
from standings.table.manual_order import list_manual_orders
from standings.table.places import find_elimination_stage
from standings.table.sheet import RankedEvent, load_ranked_event
from standings.words.metrics import describe_metrics
from tournament.access.fetch import public_tournament, tournament_with_standings
from tournament.event.profile import ruleset_in_force
from tournament.history.public_corrections import list_corrected_days
from tournament.models import Round, Tournament
from tournament.progress.flights import stage_name
from tournament.progress.posted_rounds import posted_rounds
from tournament.public import responses
from tournament.public.response_cache import NUMBERS, cached_response
from tournament.public.responses import Context, PublicPart
from tournament.text import drop_isolates

# Up to this many rows, a tap shows a number's derivation in place; with more, the page would become too large.
MOST_IN_PLACE = 500
ORDERS = ("rank", "name", "place")


class StandingsQuery(NamedTuple):
    """The standings that a URL asks for: the order, the round, the label and the session."""

    by: str = "rank"
    after: int | None = None  # None: the last complete round
    label: str = ""
    session: int = 0  # 0: all of them

    @property
    def among(self) -> str:
        """The session and label that the table is limited to, in words; "" for all players."""
        return ", ".join(filter(None, (stage_name(self.session) if self.session else "", self.label)))

    @property
    def query(self) -> str:
        by = self.by if self.by != "rank" else ""
        fields = {"by": by, "after": self.after, "session": self.session, "label": self.label}
        text = urlencode({name: value for name, value in fields.items() if value})
        return f"?{text}" if text else ""

    @property
    def known(self) -> QueryDict:
        """The recognized query parameters. Links use only these, as the page is cached for everyone."""
        return QueryDict(self.query[1:])


def parse_query(request: HttpRequest, tournament: Tournament) -> StandingsQuery:
    """Parse the query string. Raises Http404 for an unknown order, round, session or label."""
    by, after, label, session = (request.GET.get(name, "") for name in ("by", "after", "label", "session"))
    if by not in ("", *ORDERS) or (tournament.hold_standings and (session or label)):
        raise Http404
    if session and session not in map(str, list_sessions(tournament)):
        raise Http404
    if label and label not in load_ranked_event(tournament).list_filter_labels():
        raise Http404
    return StandingsQuery(by or "rank", parse_after(tournament, after), label, int(session or 0))


def list_sessions(tournament: Tournament) -> list[int]:
    swiss = [stage for stage in load_ranked_event(tournament).event.stages if stage.kind == "swiss"]
    numbers = [stage.number for stage in swiss if not stage.carries]
    return numbers if len(numbers) > 1 else []


def parse_after(tournament: Tournament, text: str) -> int | None:
    """Parse a round from the URL; None for no round or the last one. Raises Http404 if it is not complete."""
    if not text:
        return None
    rounds = posted_rounds(tournament)
    if text not in map(str, rounds_to_show(rounds)):
        raise Http404
    return int(text) if int(text) != last_complete_round(rounds) else None


def last_complete_round(rounds: list[Round]) -> int:
    """Return the last complete Swiss round, or 0. An earlier one can be incomplete if sessions run side by side."""
    return max((r.number for r in rounds if r.swiss and r.state == Round.State.COMPLETE), default=0)


def rounds_to_show(rounds: list[Round]) -> list[int]:
    """Return the Swiss rounds that have standings: they and all rounds before are complete."""
    swiss = (round_ for round_ in rounds if round_.swiss)
    return [r.number for r in takewhile(lambda r: r.state == Round.State.COMPLETE, swiss)]


@require_safe
@cached_response(by=ORDERS, after=NUMBERS, session=NUMBERS)
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)
    query = parse_query(request, tournament)
    part, template = _table_part(tournament, query), "standings/standings/standings.html"
    if query.label:  # there can be any number of labels: nothing is kept
        return responses.search_page(request, template, _standings_context(part))
    return part.page(request, template, lambda: _standings_context(part))


@require_safe
@cached_response(by=ORDERS, after=NUMBERS, session=NUMBERS)
def table(request: HttpRequest, slug: str) -> HttpResponse:
    tournament = public_tournament(slug)
    query = parse_query(request, tournament)
    if query.label:
        raise Http404
    return _table_part(tournament, query).poll(request)


def _table_part(tournament: Tournament, query: StandingsQuery) -> PublicPart:
    version, template = f"{tournament.standings_version}.{tournament.cut}", "standings/standings/_table.html"
    return PublicPart(tournament, version, template, lambda: _table_context(tournament, query))


def _standings_context(part: PublicPart) -> Context:
    context = part.context_with_html("table")
    tournament = part.tournament
    if context.get("sheet"):
        ranked = load_ranked_event(tournament)
        context |= {"profile": ranked.event.profile, "labels": ranked.list_filter_labels()}
    return context


def _table_context(tournament: Tournament, query: StandingsQuery) -> Context:
    context: Context = {"tournament": tournament, "links": True, "query": query}
    if tournament.hold_standings:
        return {**context, "held": True}
    ranked = load_ranked_event(tournament, query.after)
    sheet = ranked.build_sheet()
    final = query.after is None and sheet.add_final_places(ranked.final_places)
    if query.label:
        entries = ranked.event.entries.values()
        sheet.keep({entry.id for entry in entries if query.label in entry.labels})
    if query.session:
        sheet.keep(set(ranked.event.entries_of(ranked.event.stage(query.session))))
    cut = ranked.find_cut_line(sheet) if query.by == "rank" and not query.among else None
    sheet.sort(query.by if query.by != "place" or final else "rank")
    rounds = posted_rounds(tournament)
    return {
        **context,
        "sheet": sheet,
        "in_place": len(sheet.lines) <= MOST_IN_PLACE,
        "final": final,
        "cut": cut,
        "at": f"?after={query.after}" if query.after else "",
        "complete": sorted({*rounds_to_show(rounds), last_complete_round(rounds)} - {0}),
        "sessions": [(number, stage_name(number)) for number in list_sessions(tournament)],
        "corrected_days": [] if query.after else list_corrected_days(tournament),
        "manual_orders": list_manual_orders(tournament, ranked),
    }


def screen_context(tournament: Tournament) -> Context:
    ranked = load_ranked_event(tournament)
    sheet = ranked.build_sheet()
    if final := sheet.add_final_places(ranked.final_places):
        sheet.sort("place")
    return {"sheet": sheet, "final": final}


@require_safe
@cached_response(after=NUMBERS)
def as_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the standings as JSON, exact fractions as strings."""
    return _file(request, slug, "json", "application/json", RankedEvent.render_json)


@require_safe
@cached_response(after=NUMBERS)
def as_csv(request: HttpRequest, slug: str) -> HttpResponse:
    return _file(request, slug, "csv", "text/csv", RankedEvent.render_csv)


def _file(
    request: HttpRequest, slug: str, ending: str, kind: str, write: Callable[[RankedEvent], str]
) -> HttpResponse:
    tournament = tournament_with_standings(slug)
    after = parse_after(tournament, request.GET.get("after", ""))
    name, version = f"standings{f'-{after}' if after else ''}.{ending}", tournament.standings_version
    return responses.file(
        request, tournament, name, version, kind, lambda: write(load_ranked_event(tournament, after))
    )


MANUAL = "manual"
PAGE = "standings/derivations/explanation.html"


def _respond(
    request: HttpRequest,
    slug: str,
    write: Callable[[Tournament, RankedEvent, str], str],
    kind: str = "text/html",
) -> HttpResponse:
    tournament = tournament_with_standings(slug)

    def text() -> str:
        after = parse_after(tournament, request.GET.get("after", ""))
        return write(tournament, load_ranked_event(tournament, after), f"?after={after}" if after else "")

    return responses.text(request, tournament, tournament.standings_version, text, kind)


def _page(
    request: HttpRequest, slug: str, template: str, context_of: Callable[[Tournament, RankedEvent], Context]
) -> HttpResponse:
    def write(tournament: Tournament, ranked: RankedEvent, at: str) -> str:
        context = {"tournament": tournament, "at": at, **context_of(tournament, ranked)}
        return render_to_string(template, context, request)

    return _respond(request, slug, write)


def _context(tournament: Tournament, ranked: RankedEvent, code: str, metric: str) -> Context:
    """Return the derivation of a number, with the organizer's reasons if those decided. Raises Http404."""
    derivation = build_derivation(ranked, code, metric)
    if derivation is None:
        raise Http404
    if MANUAL in (derivation.column.slug, *(other.slug for other in derivation.neighbours)):
        derivation.notes += _manual_reasons(tournament, ranked, code)
    return {"derivation": derivation, "code": code, "slug": metric}


def _manual_reasons(tournament: Tournament, ranked: RankedEvent, code: str) -> list[str]:
    """Return the reasons of manual orders with this player; one query if there are manual orders."""
    orders = list_manual_orders(tournament, ranked)
    reasons = [order.reason.rstrip(".") for order in orders if order.reason and code in order.codes]
    return [_("Decided by the organizer: %(reason)s.") % {"reason": reason} for reason in reasons]


@require_safe
def explanation(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    return _page(request, slug, PAGE, partial(_context, code=code, metric=metric))


@require_safe
def row(request: HttpRequest, slug: str, code: str, metric: str = "") -> HttpResponse:
    """Explain a number, or without a `metric` the rank, as a row of the table."""

    def part(tournament: Tournament, ranked: RankedEvent, at: str) -> str:
        has_places = find_elimination_stage(ranked.event) is not None
        width = len(ranked.list_columns()) + 3 + has_places
        context: Context = {"tournament": tournament, "at": at, "width": width}
        if metric:
            context |= _context(tournament, ranked, code, metric)
        else:
            context |= _standing_context(tournament, ranked, code)
        return render_to_string("standings/derivations/_row.html", context)

    return _respond(request, slug, part)


@require_safe
def derivation_json(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    def text(tournament: Tournament, ranked: RankedEvent, _at: str) -> str:
        document = derivation_document(_context(tournament, ranked, code, metric)["derivation"])
        return drop_isolates(json.dumps(document, ensure_ascii=False, indent=1))

    return _respond(request, slug, text, "application/json")


@require_safe
def inside(request: HttpRequest, slug: str, code: str, metric: str, key: str, other: str) -> HttpResponse:
    """Show how another player's value was calculated that is used in this number."""

    def context(tournament: Tournament, ranked: RankedEvent) -> Context:
        outer = _context(tournament, ranked, code, metric)
        inner = build_inner_derivation(ranked, code, metric, key, other)
        if inner is None:
            raise Http404
        return {**outer, "outer": outer["derivation"], "derivation": inner}

    return _page(request, slug, PAGE, context)


@require_safe
def standing(request: HttpRequest, slug: str, code: str) -> HttpResponse:
    return _page(request, slug, "standings/derivations/standing.html", partial(_standing_context, code=code))


def _standing_context(tournament: Tournament, ranked: RankedEvent, code: str) -> Context:
    if code not in ranked.ranking:
        raise Http404
    neighbours = compare_with_neighbours(ranked, code)
    by_hand = any(other.slug == MANUAL for other in neighbours)
    line = ranked.build_line(code)
    texts = [text for _slug, text in line.cells]
    return {
        "line": line,
        "cells": list(zip(ranked.list_columns(), texts, strict=True)),
        "neighbours": neighbours,
        "reasons": _manual_reasons(tournament, ranked, code) if by_hand else [],
        "final": ranked.final_places.get(code),
        "code": code,
    }


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Explain every metric; with `?event=`, only those in that event's standings order."""
    described = {description.metric.key: description for description in describe_metrics()}
    context: Context = {"metrics": described.values()}
    if slug := request.GET.get("event"):
        tournament = public_tournament(slug)
        steps = build_chain(ruleset_in_force(tournament), tournament.team)
        used = [described[key] for key in dict.fromkeys(step.key for step in steps)]
        context = {"tournament": tournament, "metrics": used}
    return responses.search_page(request, "standings/derivations/metrics.html", context)
