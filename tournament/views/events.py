"""Creating, archiving and deleting an event."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tournament.access.fetch import OWNER
from tournament.errors import Refused
from tournament.event.profile import profile_of
from tournament.forms.events import ArchiveForm, DeleteForm, NewEventForm
from tournament.models import EventTemplate, Round, Staff, Tournament
from tournament.progress.next_step import progress_of
from tournament.services.event_deletion import delete_event
from tournament.services.events import archive_event, create_tournament
from tournament.views.home import events_for
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, private_view, report_success, staff_view

MOST_OFFERED = 5  # events to copy


@private_view("GET", "POST", signed_in=True)
def new(request: StaffRequest) -> HttpResponse:
    """Create an event: name and game are enough."""
    chosen = {"ruleset": request.GET["ruleset"]} if "ruleset" in request.GET else None
    form = NewEventForm(form_data(request), initial=chosen)
    if form.submit(create_tournament, owner=request.user):
        return event_created(request, form.result)
    context = {
        "form": form,
        "templates": EventTemplate.objects.filter(owner=request.user).only("name"),
        "earlier": _earlier(request.user),
    }
    return render(request, "tournament/events/new.html", context, status=form.status)


def _earlier(user: Any) -> list[Tournament]:
    """The organizer's own events to copy, the newest of each name."""
    mine = events_for(user).filter(role_=Staff.Role.OWNER).order_by("-starts_at", "-pk")
    newest: dict[str, Tournament] = {}
    for event in mine[: 10 * MOST_OFFERED]:
        newest.setdefault(event.name, event)
    return list(newest.values())[:MOST_OFFERED]


def event_created(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """On to what comes next: the players."""
    values = {"name": tournament.name, "ruleset": profile_of(tournament)["name"]}
    message = _("%(name)s is set up with the %(ruleset)s rules. Add your players.") % values
    return report_success(request, message, "entries", tournament.slug)


@staff_view("GET", "POST", roles=OWNER)
def archive(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: what archiving the event, or taking it out of the archive, changes. POST: do it."""
    form = ArchiveForm(form_data(request), event=tournament)
    if form.submit(archive_event, tournament, actor=request.user):
        text = _("%(name)s is archived.") if tournament.archived else _("%(name)s is back in the lists.")
        return report_success(request, text % {"name": tournament.name}, "event-settings", tournament.slug)
    question = _("Take %(name)s out of the archive?") if tournament.archived else _("Archive %(name)s?")
    context = {
        "tournament": tournament,
        "form": form,
        "question": question % {"name": tournament.name},
    }
    return render(request, "tournament/events/archive.html", context, status=form.status)


@staff_view("GET", "POST", roles=OWNER)
def delete(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: what would be deleted. POST: delete the event, if its name was typed."""
    filled_in = {"name": tournament.name} if tournament.demo else None  # a rehearsal goes in one step
    form = DeleteForm(form_data(request), event=tournament, initial=filled_in)
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            delete_event(tournament, form.cleaned_data["name"], actor=request.user)
            return report_success(request, _("%(name)s is deleted.") % {"name": tournament.name}, "home")
        except Refused as error:
            form.add_error("name", str(error))
            status = error.status
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "form": form,
        "rounds": tournament.rounds.exclude(state=Round.State.DRAFT).count(),
    }
    return render(request, "tournament/events/delete.html", context, status=status)
