"""A rehearsal of an event."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from pairings.forms.rehearsal import FEWEST, MOST, USUAL, RehearsalForm
from pairings.simulation.rehearsal import create_rehearsal
from tournament.access.fetch import OWNER
from tournament.models import Tournament
from tournament.services.event_templates import helpers_of
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, report_success, staff_view


@staff_view("GET", "POST", roles=OWNER)
def rehearsal(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """A copy of the event with simulated players, as many as it has, to practice on."""
    count = tournament.entries.filter(house=False).exclude(status="merged").count()
    initial = {"players": min(count, MOST) if count >= FEWEST else USUAL}
    form = RehearsalForm(form_data(request), staff=helpers_of(tournament, request.user), initial=initial)
    if form.submit(create_rehearsal, tournament, owner=request.user):
        message = _("%(name)s is ready: pair round 1. Delete it under Settings when you are done.")
        return report_success(request, message % {"name": form.result.name}, "desk", form.result.slug)
    context = {"tournament": tournament, "form": form}
    return render(request, "pairings/rehearsal.html", context, status=form.status)
