"""Announcing something to everyone."""

from __future__ import annotations

import zoneinfo

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from tournament.access.fetch import OWNER
from tournament.errors import Refused
from tournament.forms.announcements import AnnouncementForm
from tournament.models import Tournament
from tournament.services.announcements import change_announcement
from tournament.views.desk import desk_context
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, see_other, staff_view


@staff_view("GET", "POST", roles=OWNER)
def announcement(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """Announce a text, replace it, or take it down."""
    form = AnnouncementForm(form_data(request), initial=AnnouncementForm.initial_of(tournament))
    status = 422 if form.is_bound else 200
    if form.is_valid():
        try:
            change_announcement(
                tournament, actor=request.user, key=form.cleaned_data["key"], **form.fields_for_service()
            )
            messages.success(request, _done_words(tournament))
            return see_other(reverse("desk", args=[tournament.slug]))
        except Refused as error:
            form.add_error(None, str(error))
            status = error.status
    context = {**desk_context(tournament), "announcement_form": form}
    return render(request, "tournament/desk/desk.html", context, status=status)


def _done_words(tournament: Tournament) -> str:
    """What is announced now, and until when in the event's time zone."""
    if not tournament.notice or tournament.announcement_until is None:
        return _("No announcement is shown.")
    zone = zoneinfo.ZoneInfo(tournament.time_zone)
    until, today = tournament.announcement_until.astimezone(zone), timezone.now().astimezone(zone).date()
    shown = "H:i" if until.date() == today else "j M Y, H:i"
    return _("Announced to everyone until %(until)s.") % {"until": date_format(until, shown)}
