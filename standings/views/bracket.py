from collections.abc import Callable
from typing import Any

from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.bracket.tree import (
    build_event_tree,
    list_podium,
    place_ranges,
    render_bracket_csv,
    render_bracket_json,
    split_into_pages,
)
from standings.engine.bracket.cut import LOST_TO
from standings.table.places import rank_final_places
from standings.table.sheet import load_public_event
from standings.words.bracket import Tree, page_title, tree_announcement
from tournament.access.fetch import public_tournament, tournament_with_standings
from tournament.history.public_corrections import list_corrected_days
from tournament.models import Match, Tournament
from tournament.public import responses
from tournament.public.response_cache import cached_response
from tournament.public.responses import Context, PublicPart

WHOLE = "all"  # ?round=all: the whole tree, small
MOST_ROUNDS = 10  # a tree of 1024 lines
BEGINNINGS = (WHOLE, *map(str, range(1, MOST_ROUNDS + 1)))


@require_safe
@cached_response(round=BEGINNINGS)
def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the tree. A phone shows one round. `?round=3` starts at that round; `?round=all` shows everything, small."""
    part = _tree_part(request, slug)
    return part.page(request, "standings/bracket/bracket.html", lambda: part.context_with_html("tree"))


@require_safe
@cached_response(round=BEGINNINGS)
def tree(request: HttpRequest, slug: str) -> HttpResponse:
    return _tree_part(request, slug).poll(request)


def _tree_part(request: HttpRequest, slug: str) -> PublicPart:
    tournament, at = public_tournament(slug), _first_round(request)
    version, template = tournament.standings_version, "standings/bracket/_bracket.html"
    return PublicPart(tournament, version, template, lambda: _tree_context(tournament, at))


@require_safe
@cached_response(round=BEGINNINGS)
def print_(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the bracket on one landscape sheet, with lines to write on. `?round=3` starts there, in larger print."""
    tournament, at = public_tournament(slug), _first_round(request)
    begin = at if isinstance(at, int) else 0

    def context() -> Context:
        shown = _bracket_context(tournament)
        if tree := shown["tree"]:
            first = min(max(begin, 1), len(tree.rounds))
            shown |= {"rounds": tree.rounds, "first": first, "tree": tree.from_round(first)}
        return shown

    return responses.page(
        request, tournament, tournament.standings_version, "standings/bracket/print.html", context
    )


@require_safe
@cached_response()
def csv(request: HttpRequest, slug: str) -> HttpResponse:
    return _file(request, slug, "bracket.csv", "text/csv", lambda tree, _places: render_bracket_csv(tree))


@require_safe
@cached_response()
def json(request: HttpRequest, slug: str) -> HttpResponse:
    return _file(request, slug, "bracket.json", "application/json", render_bracket_json)


def _file(
    request: HttpRequest, slug: str, name: str, kind: str, write: Callable[[Tree | None, Any], str]
) -> HttpResponse:
    tournament = tournament_with_standings(slug)

    def text() -> str:
        bracket = _bracket_context(tournament)
        return write(bracket["tree"], bracket["places"])

    return responses.file(request, tournament, name, tournament.standings_version, kind, text)


def _first_round(request: HttpRequest) -> int | str:
    text = request.GET.get("round", "")
    if text not in BEGINNINGS:
        return 0
    return text if text == WHOLE else int(text)


def _bracket_context(tournament: Tournament) -> Context:
    """Return the tree, and everyone's place once there is a bracket. Both are missing while standings are hidden."""
    context: Context = {"tournament": tournament, "tree": None, "places": []}
    if tournament.hold_standings:
        return {**context, "held": True}
    event, names = load_public_event(tournament)
    tree = build_event_tree(event, names)
    if tree is None:
        return context
    places = place_ranges(rank_final_places(event), tree, names)
    return {
        **context,
        "tree": tree,
        "places": places,
        "podium": list_podium(places) if tree.champion_code is not None else [],
        "our_reading": event.profile["elimination"].get("placement") == LOST_TO and len(tree.rounds) >= 3,
    }


def _tree_context(tournament: Tournament, at: int | str) -> Context:
    """Return the context of a page that starts at round `at`; `here`: the round that a phone shows."""
    context = _bracket_context(tournament)
    tree = context["tree"]
    if tree is None:
        return {**context, "at": at, "title": page_title(None, tournament.name)}
    if isinstance(at, int):
        at = min(at, len(tree.rounds))
    return {
        **context,
        "at": at,
        "here": at or tree.current.number,
        "announcement": tree_announcement(tree, _news(tournament, tree)),
        "title": page_title(tree, tournament.name),
        "corrected_days": list_corrected_days(tournament),
    }


def screen_context(tournament: Tournament) -> Context:
    context = _bracket_context(tournament)
    if tree := context["tree"]:
        context |= {"pages": split_into_pages(tree), "news": _news(tournament, tree)}
    return context


def _news(tournament: Tournament, tree: Tree) -> str:
    """Return the match that changed last, as a sentence for screen readers; "" before the first result."""
    matches = Match.objects.filter(round__tournament=tournament, round__swiss=False, table__isnull=False)
    newest = matches.order_by("-version", F("result").asc(nulls_last=True), "-round__number", "-table")
    where = newest.values_list("round__number", "table").first()
    if not any(match.state == "done" for match in tree.matches):
        return ""
    return next((match.sentence for match in tree.matches if (match.round, match.table) == where), "")
