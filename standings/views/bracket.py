"""The bracket for everybody: page, hall's screen, paper, spreadsheet, program. Held back with the standings."""

from typing import Any

from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.bracket import exports
from standings.bracket.podium import placed, podium
from standings.bracket.screen import pages_of
from standings.bracket.tree import tree_of
from standings.engine.bracket.final_places import LOST_TO
from standings.event.playoff import bracket_of_event, final_places_of
from standings.table.cache import public_event_of, standings_mark_of
from standings.words.bracket import page_title
from standings.words.tree import Tree
from tournament.access.fetch import public_tournament
from tournament.event.types import Event
from tournament.models import Match, Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.public import responses

WHOLE = "all"  # ?round=all: the whole tree, small
MOST_ROUNDS = 10  # a tree of 1024 lines


@require_safe
def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """The drawn tree; a phone shows one round of it. `?round=3`: from that round on, `?round=all`: all, small."""
    tournament = public_tournament(slug)
    mark, at = standings_mark_of(tournament), _asked(request)

    def context() -> dict[str, Any]:
        about = page_context(tournament, at)
        part = responses.part(tournament, f"bracket {at}", mark, "standings/_bracket.html", lambda: about)
        return {"tournament": tournament, "title": about["title"], "tree": part, "nav": nav_of(tournament)}

    return responses.page(request, tournament, f"bracket page {at}", mark, "standings/bracket.html", context)


@require_safe
def tree(request: HttpRequest, slug: str) -> HttpResponse:
    """The polled part of the bracket."""
    tournament = public_tournament(slug)
    at = _asked(request)
    return responses.fragment(
        request,
        tournament,
        f"bracket {at}",
        standings_mark_of(tournament),
        "standings/_bracket.html",
        lambda: page_context(tournament, at),
    )


@require_safe
def screen(request: HttpRequest, slug: str) -> HttpResponse:
    """The bracket for the hall's screen: big, page after page, no input."""
    tournament = public_tournament(slug)
    mark = standings_mark_of(tournament)

    def context() -> dict[str, Any]:
        part = responses.part(
            tournament,
            "bracket screen",
            mark,
            "standings/_bracket_screen.html",
            lambda: screen_context(tournament),
        )
        return {"tournament": tournament, "pages": part}

    return responses.page(
        request, tournament, "bracket screen page", mark, "standings/bracket_screen.html", context
    )


@require_safe
def screen_tree(request: HttpRequest, slug: str) -> HttpResponse:
    """The polled part of the screen."""
    tournament = public_tournament(slug)
    return responses.fragment(
        request,
        tournament,
        "bracket screen",
        standings_mark_of(tournament),
        "standings/_bracket_screen.html",
        lambda: screen_context(tournament),
    )


@require_safe
def print_(request: HttpRequest, slug: str) -> HttpResponse:
    """The whole bracket on one sheet, landscape; open places are lines to write on."""
    tournament = public_tournament(slug)

    def context() -> dict[str, Any]:
        about = bracket_context(tournament)
        lines = 2 * len(about["tree"].rounds[0].ties) if about["tree"] else 0
        return {**about, "lines": lines, "nav": nav_of(tournament)}

    mark = standings_mark_of(tournament)
    return responses.page(request, tournament, "bracket print", mark, "standings/bracket_print.html", context)


@require_safe
def csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The matches as CSV. Raises Http404 while the standings are held back."""
    return _file(request, slug, "bracket.csv", "text/csv", lambda about: exports.csv_of(about["tree"]))


@require_safe
def json(request: HttpRequest, slug: str) -> HttpResponse:
    """Tree and places as JSON. Raises Http404 while the standings are held back."""
    return _file(
        request,
        slug,
        "bracket.json",
        "application/json",
        lambda about: exports.json_of(about["tree"], about["places"]),
    )


def _file(request: HttpRequest, slug: str, name: str, kind: str, text: Any) -> HttpResponse:
    tournament = public_tournament(slug)
    if tournament.hold_standings:
        raise Http404
    return responses.file(
        request,
        tournament,
        name,
        standings_mark_of(tournament),
        kind,
        lambda: text(bracket_context(tournament)),
    )


def _asked(request: HttpRequest) -> int | str:
    """Which round the page is asked to begin with; 0: none."""
    asked = request.GET.get("round", "")
    if asked == WHOLE:
        return WHOLE
    return int(asked) if asked in map(str, range(1, MOST_ROUNDS + 1)) else 0


def drawn(event: Event, names: dict[str, str]) -> Tree | None:
    """The event's bracket ready to be drawn; None before the cut."""
    found = bracket_of_event(event)
    if found is None or not found.matches:
        return None
    return tree_of(found, names, reseed=bool(event.profile["elimination"].get("reseed")))


def bracket_context(tournament: Tournament) -> dict[str, Any]:
    """The tree, and the places of everybody once it is drawn; nothing while the standings are held back."""
    about: dict[str, Any] = {"tournament": tournament, "tree": None, "places": []}
    if tournament.hold_standings:
        return {**about, "held": True}
    event, names = public_event_of(tournament)
    tree = drawn(event, names)
    if tree is None:
        return about
    places = placed(final_places_of(event), tree, names)
    decided = tree.champion_code is not None
    ours = event.profile["elimination"].get("placement") == LOST_TO and len(tree.rounds) >= 3
    shown = {"tree": tree, "places": places, "podium": podium(places) if decided else []}
    return {**about, **shown, "our_reading": ours}


def page_context(tournament: Tournament, at: int | str) -> dict[str, Any]:
    """The same for the page that begins at round `at`, with what is to be read out."""
    about = bracket_context(tournament)
    tree = about["tree"]
    if tree is None:
        return {**about, "at": at, "title": page_title(None, tournament.name)}
    last = len(tree.rounds)
    if isinstance(at, int):
        at = min(at, last)
    for round_ in tree.rounds:
        round_.here = round_.number == (at or tree.current.number)
        round_.before = isinstance(at, int) and round_.number < at
    title = page_title(tree, tournament.name)
    return {**about, "at": at, "news": _news(tournament, tree), "title": title}


def screen_context(tournament: Tournament) -> dict[str, Any]:
    """The pages of the hall's screen."""
    about = bracket_context(tournament)
    tree = about["tree"]
    if tree is None:
        return about
    return {**about, "pages": pages_of(tree), "news": _news(tournament, tree)}


def _news(tournament: Tournament, tree: Tree) -> str:
    """The match that changed last, in words: read out once. Empty before the first result."""
    matches = Match.objects.filter(round__tournament=tournament, round__swiss=False, table__isnull=False)
    newest = matches.order_by("-version", F("result").asc(nulls_last=True), "-round__number", "-table")
    where = newest.values_list("round__number", "table").first()
    told = {(tie.round, tie.table): tie.sentence for tie in tree.ties}
    begun = any(tie.state == "done" for tie in tree.ties)
    return told.get(where, "") if begun and where else ""
