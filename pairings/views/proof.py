"""How a round was paired, for everyone."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from pairings.proof.page import proof_page
from tournament.access.fetch import public_tournament
from tournament.models import Round
from tournament.progress.posted_rounds import nav_of, posted_rounds
from tournament.public import responses


@require_safe
def proof(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The certificate of a published round, changes by hand, and how to run the pairing again."""
    tournament = public_tournament(slug)
    rounds = posted_rounds(tournament)
    round_ = next((round_ for round_ in rounds if round_.number == number and round_.swiss), None)
    if round_ is None or round_.state == Round.State.REPAIRING:
        raise Http404
    mark = f"{round_.revision}.{tournament.state}.{tournament.standings_revision}"

    def context() -> dict[str, Any]:
        return {
            "tournament": tournament,
            "round": round_,
            "nav": nav_of(tournament, rounds),
            "page": proof_page(tournament, number),
        }

    return responses.page(request, tournament, f"proof {number}", mark, "pairings/proof.html", context)
