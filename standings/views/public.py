"""Pages everybody may see of what the facts mean: standings, how a number came about, the bracket, the rules."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.event import bracket_of_event, places_of, standings_of
from standings.rules import rules_in_words
from standings.show import derivation_of, sheet_of
from standings.tree import Tree, tree_of
from tournament import public
from tournament.access import public_tournament
from tournament.archive.types import Event
from tournament.models import Round, Tournament
from tournament.naming import told_apart
from tournament.reading import event_of, profile_of
from tournament.sheets import nav_of, posted_rounds

IN_PLACE = 500  # above so many rows a number opens its own page: the attributes would weigh too much


def mark_of(tournament: Tournament) -> str:
    """What public standings and brackets depend on."""
    held = "h" if tournament.hold_standings else ""
    return f"{tournament.standings_revision}.{tournament.state[0]}{held}"


def event_and_names(tournament: Tournament) -> tuple[Event, dict[str, str]]:
    """The event as plain values, and everybody's name as it is shown."""
    event = event_of(tournament)
    return event, told_apart({code: entry.name for code, entry in event.entries.items()})


@require_safe
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """The standings as of the last complete round."""
    tournament = public_tournament(slug)
    mark = mark_of(tournament)

    def context() -> dict[str, Any]:
        table = public.part(
            tournament, "standings", mark, "standings/_table.html", lambda: table_context(tournament)
        )
        rounds = posted_rounds(tournament)
        complete = [r.number for r in rounds if r.swiss and r.state == Round.State.COMPLETE]
        after = max(complete, default=0) if not tournament.hold_standings else 0
        return {
            "tournament": tournament,
            "table": table,
            "nav": nav_of(tournament, rounds),
            "after": after,
        }

    return public.page(request, tournament, "standings page", mark, "standings/standings.html", context)


@require_safe
def table(request: HttpRequest, slug: str) -> HttpResponse:
    """The polled part of the standings."""
    tournament = public_tournament(slug)
    return public.fragment(
        request,
        tournament,
        "standings",
        mark_of(tournament),
        "standings/_table.html",
        lambda: table_context(tournament),
    )


def table_context(tournament: Tournament) -> dict[str, Any]:
    """What the table of the standings shows; nothing of it while the owner holds the standings back."""
    about: dict[str, Any] = {"tournament": tournament, "links": True}
    if tournament.hold_standings:
        return {**about, "held": True}
    event, names = event_and_names(tournament)
    sheet = sheet_of(event, names)
    return {**about, "sheet": sheet, "in_place": len(sheet.lines) <= IN_PLACE}


def _derived(slug: str, code: str, metric: str) -> tuple[Tournament, dict[str, Any]]:
    """The context of a derivation. Raises Http404 where there is none to show."""
    tournament = public_tournament(slug)
    if tournament.hold_standings:
        raise Http404
    event, names = event_and_names(tournament)
    ranking = standings_of(event)
    derivation = derivation_of(event, ranking, code, metric, names)
    if derivation is None:
        raise Http404
    about = {"tournament": tournament, "name": names[code], "row": ranking.row(code), "told": derivation}
    return tournament, {**about, "nav": nav_of(tournament)}


@require_safe
def explanation(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    """How one number of the standings came about."""
    _tournament, context = _derived(slug, code, metric)
    return public.plain(request, "standings/explanation.html", context)


@require_safe
def derivation(request: HttpRequest, slug: str, code: str, metric: str) -> HttpResponse:
    """The same as a row of the table, opened in place."""
    tournament, context = _derived(slug, code, metric)
    about = table_context(tournament)
    width = len(about["sheet"].columns) + 3
    return public.plain(request, "standings/_derivation_row.html", {**context, "width": width})


@require_safe
def bracket(request: HttpRequest, slug: str) -> HttpResponse:
    """The bracket, drawn and as lists, and the final ranking of everybody."""
    tournament = public_tournament(slug)
    mark = mark_of(tournament)

    def context() -> dict[str, Any]:
        tree = public.part(
            tournament, "bracket", mark, "standings/_bracket.html", lambda: bracket_context(tournament)
        )
        return {"tournament": tournament, "tree": tree, "nav": nav_of(tournament)}

    return public.page(request, tournament, "bracket page", mark, "standings/bracket.html", context)


@require_safe
def tree(request: HttpRequest, slug: str) -> HttpResponse:
    """The polled part of the bracket."""
    tournament = public_tournament(slug)
    return public.fragment(
        request,
        tournament,
        "bracket",
        mark_of(tournament),
        "standings/_bracket.html",
        lambda: bracket_context(tournament),
    )


def drawn(event: Event, names: dict[str, str]) -> Tree | None:
    """The event's bracket ready to be drawn; None before the cut."""
    found = bracket_of_event(event)
    return None if found is None else tree_of(found, names)


def bracket_context(tournament: Tournament) -> dict[str, Any]:
    """The tree, the champion, and the places of everybody once the bracket has begun."""
    event, names = event_and_names(tournament)
    shown = drawn(event, names)
    about: dict[str, Any] = {"tournament": tournament, "tree": shown}
    if shown is None or tournament.hold_standings:
        return about
    return {**about, "places": [(row.place, row.entry, names[row.entry]) for row in places_of(event)]}


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The event's ruleset in words."""
    tournament = public_tournament(slug)

    def context() -> dict[str, Any]:
        profile = profile_of(tournament)
        return {
            "tournament": tournament,
            "profile": profile,
            "told": rules_in_words(profile, tournament.team),
            "nav": nav_of(tournament),
        }

    mark = str(tournament.standings_revision)
    return public.page(request, tournament, "rules", mark, "standings/rules.html", context)


@require_safe
def rules_part(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for the event's home."""
    tournament = public_tournament(slug)

    def context() -> dict[str, Any]:
        profile = profile_of(tournament)
        return {"profile": profile, "told": rules_in_words(profile, tournament.team)}

    mark = str(tournament.standings_revision)
    return public.fragment(request, tournament, "rules part", mark, "standings/_rules.html", context)
