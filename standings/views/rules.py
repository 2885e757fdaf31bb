"""The rules of an event for everyone, in words."""

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
    mark, template = str(tournament.standings_revision), "standings/rules/rules.html"

    def context() -> dict[str, Any]:
        return {**_rules_context(tournament), "nav": nav_of(tournament)}

    return responses.page(request, tournament, "rules", mark, template, context)


@require_safe
def rules_part(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for the event's public home page."""
    tournament = public_tournament(slug)
    mark, template = str(tournament.standings_revision), "standings/rules/_rules.html"
    return responses.fragment(
        request, tournament, "rules part", mark, template, lambda: _rules_context(tournament)
    )


def _rules_context(tournament: Tournament) -> dict[str, Any]:
    """The rules, and what they changed of those they came from."""
    profile = profile_of(tournament)
    return {
        "tournament": tournament,
        "profile": profile,
        "summary": [*rules_in_words(profile, tournament.team), *origin_in_words(tournament.ruleset, profile)],
    }
