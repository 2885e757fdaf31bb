"""The standings as they are now, for staff: every result entered so far counts."""

from django.http import HttpResponse
from django.shortcuts import render

from standings.event.rounds import count_open_rounds
from standings.event.swiss import standings_of
from standings.table.cache import RankedEvent, staff_event_of
from standings.table.exports import csv_sheet_of
from standings.table.manual_order import manual_orders_of
from standings.table.sheet import sheet_of
from tournament.models import Tournament
from tournament.views.exports import saved_as
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import staff_view


@staff_view("GET")
def standings(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The standings with every result entered so far, also of open rounds."""
    event, names = staff_event_of(tournament)
    open_rounds = [round_ for round_ in event.rounds if round_.status == "published"]
    out = sum(match.result is None for round_ in open_rounds for match in round_.matches)
    event = count_open_rounds(event)
    ranking = standings_of(event)
    context = {
        "tournament": tournament,
        "sheet": sheet_of(event, names, ranking),
        "manual_orders": manual_orders_of(tournament, event, ranking, names),
        "out": out,
    }
    return render(request, "standings/live_standings/live_standings.html", context)


@staff_view("GET")
def as_csv(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """The same as a spreadsheet, with full names."""
    event, names = staff_event_of(tournament)
    event = count_open_rounds(event)
    text = csv_sheet_of(RankedEvent(event, standings_of(event), names))
    return saved_as(f"{tournament.slug}-standings.csv", text, "text/csv")
