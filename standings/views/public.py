"""The rules of an event as everybody may read them."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.words.rules import origin_in_words, rules_in_words
from tournament.access.fetch import public_tournament
from tournament.event.profile import profile_of
from tournament.models import Tournament
from tournament.progress.posted_rounds import nav_of
from tournament.public import responses


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The event's ruleset in words."""
    tournament = public_tournament(slug)

    def context() -> dict[str, Any]:
        profile = profile_of(tournament)
        return {
            "tournament": tournament,
            "profile": profile,
            "summary": _summary(tournament, profile),
            "nav": nav_of(tournament),
        }

    mark = str(tournament.standings_revision)
    return responses.page(request, tournament, "rules", mark, "standings/rules.html", context)


@require_safe
def rules_part(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for the event's home."""
    tournament = public_tournament(slug)

    def context() -> dict[str, Any]:
        profile = profile_of(tournament)
        return {"profile": profile, "summary": _summary(tournament, profile)}

    mark = str(tournament.standings_revision)
    return responses.fragment(request, tournament, "rules part", mark, "standings/_rules.html", context)


def _summary(tournament: Tournament, profile: dict[str, Any]) -> list[tuple[str, str]]:
    """The rules, and what they changed of those they came from."""
    return [*rules_in_words(profile, tournament.team), *origin_in_words(tournament.ruleset, profile)]
