"""The desk's page about venue screens: links to open each, and what the rotation shows."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.forms.screens import ScreensForm
from standings.views.screen_faces import Faces, Screen
from tournament.access.fetch import OWNER
from tournament.errors import Forbidden
from tournament.models import Tournament
from tournament.services.event_settings import change_settings
from tournament.web.requests import StaffRequest
from tournament.web.staff_pages import form_data, report_success, staff_view


@staff_view("GET", "POST")
def screens(request: StaffRequest, tournament: Tournament) -> HttpResponse:
    """GET: every screen there is. POST: what the rotation shows; only an organizer may."""
    if request.method == "POST" and tournament.role not in OWNER:
        raise Forbidden(_("Only an organizer can change the rotation."))
    form = ScreensForm(tournament, form_data(request))
    if form.submit(change_settings, tournament, actor=request.user):
        return report_success(request, _("Saved."), "desk-screens", tournament.slug)
    faces = Faces(tournament)
    there = {
        key: faces.has_bracket if key == Screen.BRACKET else bool(faces.of(key)) for key in Screen.values
    }
    rows = [(key, label, there[key]) for key, label in Screen.choices]
    context = {
        "tournament": tournament,
        "form": form,
        "rows": rows,
        "now": [Screen(key).label for key in dict.fromkeys(face.key for face in faces.in_turn())],
        "address": settings.SITE_URL + reverse("screen", args=[tournament.slug]),
    }
    return render(request, "standings/screens/desk.html", context, status=form.status)
