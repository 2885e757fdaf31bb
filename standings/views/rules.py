"""The rules of an event for everyone, in words."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from standings.views.public_parts import PublicPart
from standings.words.rules import origin_in_words, rules_in_words
from tournament.access.fetch import public_tournament
from tournament.event.profile import profile_of, start_of
from tournament.progress.posted_rounds import nav_of


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The event's ruleset in words."""
    part = _rules_part(slug)
    template = "standings/rules/rules.html"
    return part.page(request, template, lambda: {**part.context(), "nav": nav_of(part.tournament)})


@require_safe
def rules_part(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for the event's public home page."""
    return _rules_part(slug).poll(request)


def _rules_part(slug: str) -> PublicPart:
    """The rules, and what they changed of those they came from."""
    tournament = public_tournament(slug)

    def context() -> dict[str, object]:
        profile, starts_at = profile_of(tournament), start_of(tournament)
        origin = origin_in_words(tournament.ruleset, profile, starts_at)
        summary = [*rules_in_words(profile, tournament.team, starts_at), *origin]
        return {"tournament": tournament, "profile": profile, "summary": summary}

    mark = str(tournament.standings_revision)
    return PublicPart(tournament, "rules", mark, "standings/rules/_rules.html", context)
