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
def why_not(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The question about ?a= and ?b=, one of whom may be the word "bye", and its answer."""
    context = _answer_context(request, tournament, number)
    context |= {"progress": progress_of(tournament)}
    return render(request, "pairings/why_not.html", context, status=422 if context["message"] else 200)


@staff_view("GET")
def why_not_part(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The answer alone, for the draft's page."""
    context = _answer_context(request, tournament, number)
    return render(request, "pairings/_why_not.html", context, status=422 if context["message"] else 200)


def _answer_context(request: StaffRequest, tournament: Tournament, number: int) -> dict[str, Any]:
    round_ = round_of(tournament, number)
    form = WhyNotForm.from_address(request.GET, names_of(tournament), auto_id="why-%s")
    answer: list[str] = []
    message = ""
    if form.is_bound and form.is_valid():
        a, b = form.cleaned_data["a"], form.cleaned_data["b"]
        try:
            answer = explain_why_not(tournament, number, a or b, (b if a else a) or None)
        except Refused as error:
            message = str(error)
    elif form.is_bound:
        message = first_error(form)
    return {"tournament": tournament, "round": round_, "form": form, "answer": answer, "message": message}
