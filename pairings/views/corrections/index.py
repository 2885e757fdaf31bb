"""Where a correction begins without a link to it: find the table or the player, or add a missing player."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from pairings.forms.corrections import TableForm
from tournament.access.fetch import DESK
from tournament.forms.search import EntrySearchForm
from tournament.models import Tournament
from tournament.text.display_names import find_names, names_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import see_other, staff_view

MOST_FOUND = 25  # more letters narrow them


@staff_view("GET", roles=DESK)
def corrections(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """What is wrong? A table by its number, a player by name or code, or a player who is missing."""
    form = TableForm(tournament, request.GET if "table" in request.GET else None)
    if form.is_valid():
        return see_other("correct", tournament.slug, form.cleaned_data["round"], form.cleaned_data["table"])
    search = EntrySearchForm(request.GET, action=reverse("corrections", args=[tournament.slug]))
    names = names_of(tournament, merged=False)
    code = search.words.upper()
    codes = [code] if code in names else find_names(names, search.words)
    context = {
        "tournament": tournament,
        "form": form,
        "search": search,
        "found": [(code, names[code]) for code in codes[:MOST_FOUND]],
        "more": len(codes) > MOST_FOUND,
    }
    return render(request, "pairings/corrections/index.html", context, status=422 if form.errors else 200)
