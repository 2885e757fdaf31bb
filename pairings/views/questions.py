"""Questions about a round: why not these two, can so many rounds be played, how was it paired."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pairings.forms.rounds import WhyForm
from pairings.proof.page import proof_page
from pairings.proof.why_not import explain_why_not
from pairings.views.draft_edits import asked_two
from pairings.words.problems import too_many_rounds_words
from tournament.access.fetch import public_tournament
from tournament.errors import Refused
from tournament.models import Round, Tournament
from tournament.progress.facts import progress_facts_of
from tournament.progress.next_step import progress_of
from tournament.progress.posted_rounds import nav_of, posted_rounds
from tournament.public import responses
from tournament.services.rounds import round_of
from tournament.text.display_names import names_of
from tournament.web.staff_pages import first_error, staff_view


@staff_view("GET")
def why(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """Why ?a= and ?b= do not meet in this round; one of them may be the word “bye”."""
    context = _answered(request, tournament, number)
    context |= {"progress": progress_of(tournament), "round": round_of(tournament, number)}
    return render(request, "pairings/why.html", context, status=422 if context["message"] else 200)


@staff_view("GET")
def why_part(request: HttpRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The same answer for the draft's page."""
    context = _answered(request, tournament, number)
    return render(request, "pairings/_why.html", context, status=422 if context["message"] else 200)


def _answered(request: HttpRequest, tournament: Tournament, number: int) -> dict[str, Any]:
    round_of(tournament, number)
    form = asked_two(request, names_of(tournament), WhyForm)
    said: list[str] = []
    message = ""
    if form.is_bound and form.is_valid():
        try:
            a, b = form.cleaned_data["a"], form.cleaned_data["b"]
            said = explain_why_not(tournament, number, a or b, (b if a else a) or None)
        except Refused as error:
            message = str(error)
    elif form.is_bound:
        message = first_error(form)
    return {"tournament": tournament, "number": number, "form": form, "said": said, "message": message}


@staff_view("GET")
def rounds_check(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Whether so many rounds can be played without a repeat."""
    context = {"tournament": tournament, "warning": too_many(tournament), "progress": progress_of(tournament)}
    return render(request, "pairings/rounds_check.html", context)


@staff_view("GET")
def rounds_check_part(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """The warning alone, for the event's home; nothing where all is well."""
    return render(request, "pairings/_rounds_check.html", {"warning": too_many(tournament)})


def too_many(tournament: Tournament) -> str:
    """One sentence where the planned rounds cannot be played without a repeat; else ""."""
    facts = progress_facts_of(tournament)
    several = [(one.players, one.planned, f"{one.name}: ") for one in facts.flights]
    for players, rounds, which in several or [(facts.players, facts.rounds, "")]:
        if players >= 2 and (warning := too_many_rounds_words(players, rounds)):
            return which + warning
    return ""


@require_safe
def proof(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """How a posted round was paired, for everybody: certificate, hand edits, and how to run it again."""
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
