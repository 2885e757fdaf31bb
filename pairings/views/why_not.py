"""Why two players of a round are not paired, or why one does not have the bye."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from pairings.forms.why_not import WhyNotForm
from pairings.proof.why_not import explain_why_not
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.services.rounds import round_of
from tournament.text.display_names import names_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import first_error, staff_view


@staff_view("GET")
def why_not(
    request: StaffRequest, tournament: Tournament, number: int, *, part: bool = False
) -> HttpResponse:
    """The question about ?a= and ?b=, one of whom may be the word "bye", and its answer; as a `part` alone."""
    form = WhyNotForm.from_address(request.GET, names_of(tournament), auto_id="why-%s")
    context: dict[str, Any] = {"tournament": tournament, "round": round_of(tournament, number), "form": form}
    if form.is_bound and form.is_valid():
        a, b = form.cleaned_data["a"], form.cleaned_data["b"]
        try:
            context["answer"] = explain_why_not(tournament, number, a or b, (b if a else a) or None)
        except Refused as error:
            context["message"] = str(error)
    elif form.is_bound:
        context["message"] = first_error(form)
    if not part:
        context["progress"] = progress_of(tournament)
    template = "pairings/_why_not.html" if part else "pairings/why_not.html"
    return render(request, template, context, status=422 if "message" in context else 200)
