from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pairings.forms.players import WhyNotForm
from pairings.proof.page import explain_why_not, proof_page
from tournament.access.fetch import public_tournament
from tournament.errors import Refused
from tournament.event.display_names import load_names
from tournament.event.rounds import find_swiss_round
from tournament.models import Round, Tournament
from tournament.progress.posted_rounds import posted_rounds
from tournament.public import responses
from tournament.public.response_cache import cached_response
from tournament.web.staff_pages import StaffRequest, staff_view


@require_safe
@cached_response()
def proof(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    tournament = public_tournament(slug)
    rounds = posted_rounds(tournament)
    round_ = next((round_ for round_ in rounds if round_.number == number and round_.swiss), None)
    if round_ is None or round_.state == Round.State.REPAIRING:
        raise Http404
    version = f"{round_.revision}.{tournament.state}.{tournament.standings_revision}"

    def context() -> dict[str, Any]:
        return {
            "tournament": tournament,
            "round": round_,
            "page": proof_page(tournament, number),
        }

    return responses.page(request, tournament, version, "pairings/proof.html", context)


@staff_view("GET")
def why_not(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    form = WhyNotForm.from_address(request.GET, load_names(tournament), auto_id="why-%s")
    round_ = find_swiss_round(tournament, number)
    context: dict[str, Any] = {"tournament": tournament, "round": round_, "form": form}
    if form.is_bound and form.is_valid():
        a, b = form.cleaned_data["a"], form.cleaned_data["b"]
        try:
            context["answer"] = explain_why_not(tournament, number, a or b, (b if a else a) or None)
        except Refused as error:
            context["message"] = str(error)
    refused = "message" in context or (form.is_bound and not form.is_valid())
    return render(request, "pairings/why_not.html", context, status=422 if refused else 200)
