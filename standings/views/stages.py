"""The stages of an event for staff: what there is, another session, a second day."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from standings.deciding import make_day
from standings.forms_stages import DayForm, SessionForm
from tournament.access import DESK
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.road import road_of
from tournament.services.stages import add_session
from tournament.stages import lines_of
from tournament.views.staff import first_error, see_other, staff_view

FORMS: dict[str, type[SessionForm]] = {"session": SessionForm, "day": DayForm}


@staff_view("GET", "POST", roles=DESK)
def stages(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: every stage, and what can follow. POST: open another session, or a second day (`what`)."""
    if request.method != "POST":
        return _page(request, tournament)
    what = "day" if request.POST.get("what") == "day" else "session"
    form = FORMS[what](request.POST)
    if not form.is_valid():
        return _page(request, tournament, {what: form}, first_error(form), 422)
    data = {name: value for name, value in form.cleaned_data.items() if name != "key"}
    about: dict[str, Any] = {"actor": request.user, "key": form.cleaned_data["key"]}
    try:
        (make_day if what == "day" else add_session)(tournament, **data, **about)
    except Refused as error:
        return _page(request, tournament, {what: form}, str(error), error.status)
    messages.success(
        request,
        _("The next day is open: pair its first round.")
        if what == "day"
        else _("The session is open: register players, or let players enter again on their page."),
    )
    return see_other(reverse("stages", args=[tournament.slug]))


def _page(
    request: HttpRequest,
    tournament: Tournament,
    bound: dict[str, SessionForm] | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    lines = lines_of(tournament)
    can_follow = tournament.state == "running" and bool(lines) and lines[-1].swiss and bool(lines[-1].rounds)
    forms = {"session": SessionForm(), "day": DayForm(), **(bound or {})}
    context = {
        "tournament": tournament,
        "road": road_of(tournament),
        "lines": lines,
        "forms": forms,
        "message": message,
        "can_follow": can_follow,
    }
    return render(request, "standings/stages.html", context, status=status)
