"""Whether there are enough players for the planned rounds."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from pairings.words.problems import too_many_rounds_words
from tournament.models import Tournament
from tournament.progress.facts import progress_facts_of
from tournament.progress.next_step import progress_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import staff_view


@staff_view("GET")
def rounds_check(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Whether the planned rounds can be played without rematches."""
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "warning": _warning_of(tournament),
    }
    return render(request, "pairings/rounds_check.html", context)


@staff_view("GET")
def rounds_check_part(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The warning alone, for the event's home; nothing where all is well."""
    return render(request, "pairings/_rounds_check.html", {"warning": _warning_of(tournament)})


def _warning_of(tournament: Tournament) -> str:
    """One sentence where the planned rounds cannot be played without rematches; else ""."""
    facts = progress_facts_of(tournament)
    fields = [(flight.players, flight.planned, f"{flight.name}: ") for flight in facts.flights]
    for players, rounds, prefix in fields or [(facts.players, facts.rounds, "")]:
        if players >= 2 and (warning := too_many_rounds_words(players, rounds)):
            return prefix + warning
    return ""
