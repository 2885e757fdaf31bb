"""Who enters which tables, what is outstanding in each range, and the form that sets them."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import DESK
from tournament.forms.table_ranges import RangeFormSet
from tournament.models import Tournament
from tournament.results.table_ranges import desk_members_of, range_words, ranges_of
from tournament.services.table_ranges import set_table_ranges
from tournament.views.rounds import sheet_at
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, read_action, read_number, report_success, staff_view


@staff_view("GET", "POST", roles=DESK)
def table_ranges(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """The ranges with their outstanding tables. POST: set them."""
    context = _context(tournament, number)
    initial = [
        {"username": str(each.user), "tables": range_words(tournament, each.first_table, each.last_table)}
        for each in desk_members_of(tournament)
    ]
    formset = RangeFormSet(form_data(request), initial=initial, form_kwargs={"venue": tournament})
    status = 200
    if formset.is_bound:
        if formset.is_valid():
            ranges = {form.cleaned_data["username"]: form.cleaned_data["tables"] for form in formset}
            about = read_action(request)
            set_table_ranges(tournament, ranges, actor=about["actor"], key=about["key"])
            return report_success(
                request, _("The table ranges are saved."), "table-ranges", tournament.slug, number
            )
        status = 422
    context["formset"] = formset
    return render(request, "tournament/hands/table_ranges.html", context, status=status)


@staff_view("GET", roles=DESK)
def range_counts(request: StaffRequest, tournament: Tournament, number: int) -> HttpResponse:
    """How many tables each range has outstanding; 204 while nothing changed since `?v=`."""
    if read_number(request, "v") == tournament.revision:
        return HttpResponse(status=204)
    return render(request, "tournament/hands/_range_counts.html", _context(tournament, number))


def _context(tournament: Tournament, number: int) -> dict[str, Any]:
    sheet = sheet_at(tournament, number)
    return {
        "tournament": tournament,
        "round": sheet.round,
        "sheet": sheet,
        "mode": "ranges",
        "ranges": ranges_of(tournament, sheet),
    }
