"""The stages of an event for staff: what there is, another session, a second day."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from standings.forms.stages import DayForm, NewSessionForm, SessionForm
from standings.stages.decisions import make_day
from tournament.access.fetch import DESK
from tournament.errors import Refused
from tournament.models import Tournament
from tournament.progress.next_step import progress_of
from tournament.progress.stages import stage_lines_of
from tournament.services.stages import add_session, remove_session
from tournament.web.staff_pages import first_error, read_action, read_session, see_other, staff_view

FORMS: dict[str, type[SessionForm]] = {"session": NewSessionForm, "day": DayForm}


@staff_view("GET", "POST", roles=DESK)
def stages(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """GET: every stage, and what can follow. POST: add a session, open a second day, or take a session away
    again (`what`)."""
    if request.method != "POST":
        return _page(request, tournament)
    if request.POST.get("what") == "remove":
        return _remove(request, tournament)
    what = "day" if request.POST.get("what") == "day" else "session"
    form = FORMS[what](request.POST)
    with timezone.override(tournament.time_zone):
        valid = form.is_valid()
    if not valid:
        return _page(request, tournament, {what: form}, first_error(form), 422)
    data = {name: value for name, value in form.cleaned_data.items() if name != "key"}
    if data.get("ends_at"):
        data["ends_at"] = data["ends_at"].isoformat()
    about: dict[str, Any] = {"actor": request.user, "key": form.cleaned_data["key"]}
    try:
        (make_day if what == "day" else add_session)(tournament, **data, **about)
    except Refused as error:
        return _page(request, tournament, {what: form}, str(error), error.status)
    messages.success(
        request,
        _("The next day is open: pair its first round.")
        if what == "day"
        else _("The session is open. Register players, or re-enter players from their pages."),
    )
    return see_other(reverse("stages", args=[tournament.slug]))


def _remove(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Take an empty session away again."""
    number = read_session(request) or 0
    try:
        remove_session(tournament, number, **read_action(request))
    except Refused as error:
        return _page(request, tournament, message=str(error), status=error.status)
    messages.success(request, _("Session %(number)s is removed.") % {"number": number})
    return see_other(reverse("stages", args=[tournament.slug]))


def _page(
    request: HttpRequest,
    tournament: Tournament,
    bound: dict[str, SessionForm] | None = None,
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    lines = stage_lines_of(tournament)
    swiss = tournament.state != "finished" and bool(lines) and lines[-1].swiss
    last = lines[-1] if swiss and len(lines) > 1 else None
    forms = {"session": NewSessionForm(), "day": DayForm(), **(bound or {})}
    context = {
        "tournament": tournament,
        "progress": progress_of(tournament),
        "lines": lines,
        "forms": forms,
        "message": message,
        "can_plan": swiss,
        "can_follow": swiss and all(line.rounds for line in lines),
        "removable": last.number if last and not (last.rounds or last.players or last.follows) else 0,
    }
    return render(request, "standings/stages.html", context, status=status)
